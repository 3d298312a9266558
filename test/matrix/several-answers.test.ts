import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nanosOf } from "../support/money-books.ts";
import { TOOLS } from "../support/sample-wishes.ts";
import type { JournalLine } from "../support/sandbox.ts";
import { type TextProtocol, wireForm } from "../support/text-caller.ts";
import { readEvents } from "../support/text-errors.ts";
import { MODEL_OF, startTranslatedWorld, type TranslatedWorld } from "../support/translated-world.ts";
import { codeIn, KEYS, PRICE, type Reply } from "../support/world.ts";

const N = 3;

/** How a caller asks for several responses. */
const ASKING = {
  "chat-completions": (n: number) => ({ n }),
  "generate-content": (n: number) => ({ generationConfig: { candidateCount: n, maxOutputTokens: 2_000 } }),
} as const;
type Asking = keyof typeof ASKING;

/** Upstreams that make one response a request, for callers of the others. */
const FANNED = (["chat-completions", "generate-content"] as const).flatMap((client) =>
  (["responses", "messages", "generate-content"] as const)
    .filter((upstream) => upstream !== client)
    .flatMap((upstream) => [false, true].map((streamed) => ({ client, upstream, streamed }))),
);

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
type Wire = any;

interface Choice {
  text: string;
  ids: string[];
  finish: string;
}

/** The bodies that a response consists of: one, or an event each. */
function bodiesOf(reply: Reply, streamed: boolean): Wire[] {
  return streamed ? readEvents(reply.text).map(({ data }) => data) : [reply.json];
}

/** The choices of a response, each with its text, the ids of its calls and its finish. */
function choicesOf(reply: Reply, streamed: boolean): Choice[] {
  const choices: Choice[] = [];
  for (const each of bodiesOf(reply, streamed).flatMap((body) => body.choices ?? body.candidates ?? [])) {
    choices[each.index] ??= { text: "", ids: [], finish: "" };
    const said = choices[each.index] as Choice;
    const message = each.message ?? each.delta ?? {};
    const parts: Wire[] = each.content?.parts ?? [];
    said.text += [message.content, ...parts.map(({ text }) => text)].join("");
    said.ids.push(...(message.tool_calls ?? []).flatMap(({ id }: Wire) => id ?? []));
    said.ids.push(...parts.flatMap(({ functionCall }) => functionCall?.id ?? []));
    said.finish += each.finish_reason ?? each.finishReason ?? "";
  }
  return choices;
}

/** Totals of the usage that the caller was told. */
function reportedUsage(reply: Reply, streamed: boolean): { input: number; output: number } {
  const told = bodiesOf(reply, streamed).flatMap((body) => body.usage ?? body.usageMetadata ?? []);
  const last = told.at(-1);
  return {
    input: last.prompt_tokens ?? last.promptTokenCount,
    output: last.completion_tokens ?? last.candidatesTokenCount,
  };
}

const BUCKETS = [
  "inputUncached",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "outputVisible",
  "outputReasoning",
];

function sumOf(lines: readonly JournalLine[]): Record<string, number> {
  return Object.fromEntries(
    BUCKETS.map((bucket) => [bucket, lines.reduce((sum, { usage }) => sum + (usage[bucket] ?? 0), 0)]),
  );
}

describe("several answers of an upstream that makes one at a time", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  const ask = (
    client: Asking,
    upstream: TextProtocol,
    streamed: boolean,
    prompt: string,
    more: object = {},
  ) => {
    const { path, body } = wireForm({ protocol: client, streamed, prompt, model: MODEL_OF[upstream] });
    const usage =
      streamed && client === "chat-completions" ? { stream_options: { include_usage: true } } : {};
    return world.ask(path, { ...body, ...usage, ...ASKING[client](N), ...more });
  };
  const chargeOf = async (reply: Reply): Promise<Wire> =>
    (await world.ask(`/v1/receipts/${reply.headers.get("x-request-id")}`)).json;

  it.each(FANNED)(
    "are one answer at the price of their sum: $client to $upstream, streamed: $streamed",
    async ({ client, upstream, streamed }) => {
      const before = (await world.upstreams[upstream].journal()).at(-1)?.n ?? 0;
      const reply = await ask(client, upstream, streamed, "Rivers? [[sandbox: tokens=23]]");
      expect(reply.status, reply.text).toBe(200);
      const choices = choicesOf(reply, streamed);
      expect(choices).toHaveLength(N);
      for (const { text, finish } of choices) {
        expect(text.split(" ").length).toBeGreaterThan(5);
        expect(finish).toBe(client === "chat-completions" ? "stop" : "STOP");
      }
      const lines = await world.upstreams[upstream].journal(before);
      expect(lines.map(({ outcome }) => outcome)).toEqual(Array(N).fill("completed"));
      const used = sumOf(lines);
      const receipt = await chargeOf(reply);
      expect(receipt).toMatchObject({ reason: "completed", estimated: false });
      expect(receipt.charge_nanos).toBe(String(nanosOf(used, PRICE)));
      const { input, output } = reportedUsage(reply, streamed);
      expect(output).toBe(N * 23);
      expect(input).toBe((used["inputUncached"] ?? 0) + (used["cacheRead"] ?? 0));
      if (streamed && client === "chat-completions") expect(reply.text.match(/\[DONE\]/g)).toHaveLength(1);
    },
  );

  it("reads caches in every answer, each at the price of a read", async () => {
    const long = `${"The ferry leaves at nine. ".repeat(400)} [[sandbox: tokens=5]]`;
    await ask("chat-completions", "responses", false, long);
    const before = (await world.upstreams.responses.journal()).at(-1)?.n ?? 0;
    const reply = await ask("chat-completions", "responses", false, long);
    const used = sumOf(await world.upstreams.responses.journal(before));
    expect(used["cacheRead"]).toBeGreaterThan(N * 1_000);
    const { charge_nanos } = await chargeOf(reply);
    expect(charge_nanos).toBe(String(nanosOf(used, PRICE)));
    expect(reply.json.usage.prompt_tokens_details.cached_tokens).toBe(used["cacheRead"]);
  });

  it.each(FANNED)(
    "call tools under ids of their own: $client to $upstream, streamed: $streamed",
    async ({ client, upstream, streamed }) => {
      const reply = await ask(client, upstream, streamed, "Weather? [[sandbox: tools=2]]", TOOLS[client]);
      const ids = choicesOf(reply, streamed).flatMap((choice) => choice.ids);
      expect(new Set(ids).size).toBe(N * 2);
    },
  );

  it.each(["responses", "messages", "generate-content"] as const)(
    "are put together by the official SDK from interleaved streams of %s",
    async (upstream) => {
      const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEYS.main, maxRetries: 0 });
      const { choices } = await client.chat.completions
        .stream({
          model: MODEL_OF[upstream],
          n: N,
          ...TOOLS["chat-completions"],
          messages: [{ role: "user", content: "Weather and tide? [[sandbox: tools=2 pace=5]]" }],
        })
        .finalChatCompletion();
      expect(choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual(
        Array.from({ length: N }, (_, index) => [index, "tool_calls"]),
      );
      for (const { message } of choices) {
        const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
        expect(calls.map((call) => call.function.name)).toEqual(["get_weather", "get_tide"]);
        for (const call of calls) expect(JSON.parse(call.function.arguments)).toHaveProperty("city");
      }
    },
  );

  it("goes in one request where the upstream can make several", async () => {
    const before = (await world.upstreams["chat-completions"].journal()).at(-1)?.n ?? 0;
    const reply = await ask("generate-content", "chat-completions", false, "Rivers?");
    expect(reply.json.candidates).toHaveLength(N);
    expect(await world.upstreams["chat-completions"].journal(before)).toHaveLength(1);
  });

  it.each(FANNED.filter(({ streamed }) => !streamed))(
    "are at most eight, and the field is named: $client to $upstream",
    async ({ client, upstream }) => {
      const before = (await world.upstreams[upstream].journal()).at(-1)?.n ?? 0;
      const reply = await ask(client, upstream, false, "Rivers?", ASKING[client](9));
      expect(reply.status).toBe(400);
      expect(codeIn(reply.json)).toBe("invalid_request");
      expect(reply.json.error).toMatchObject({
        param: client === "chat-completions" ? "n" : "generationConfig.candidateCount",
        message: expect.stringContaining("at most 8"),
      });
      expect(await world.upstreams[upstream].journal(before)).toEqual([]);
    },
  );
});
