import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Said, said } from "../support/said.ts";
import { pictured, STRUCTURED, TOOLS } from "../support/sample-wishes.ts";
import { TEXT_PROTOCOLS, type TextProtocol, type Wish, wireForm } from "../support/text-caller.ts";
import {
  MODEL_OF,
  PAIRS,
  type Pair,
  startTranslatedWorld,
  type TranslatedWorld,
} from "../support/translated-world.ts";
import type { Reply } from "../support/world.ts";

/** How each protocol says that a response ended by itself, by its limit, or for its calls. */
const FINISH: Readonly<Record<TextProtocol, { stop: string; length: string; calls: string }>> = {
  "chat-completions": { stop: "stop", length: "length", calls: "tool_calls" },
  responses: { stop: "completed", length: "max_output_tokens", calls: "completed" },
  messages: { stop: "end_turn", length: "max_tokens", calls: "tool_use" },
  "generate-content": { stop: "STOP", length: "MAX_TOKENS", calls: "STOP" },
};

interface Way extends Pair {
  readonly streamed: boolean;
}

const WAYS: readonly Way[] = PAIRS.flatMap((pair) =>
  [false, true].map((streamed) => ({ ...pair, streamed })),
);

/** What all ways of one wish came to. */
interface Outcome {
  readonly way: Way;
  readonly response: Said;
  /** Buckets with their prices, and the sum. */
  readonly bill: { readonly lines: unknown; readonly charge_nanos: unknown };
}

describe("translation, over all pairs, plain and streamed", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  /** Says one thing on all 32 ways and reads answer and receipt of each. */
  const sayEverywhere = async (
    wish: Omit<Wish, "protocol" | "streamed" | "model">,
    more: (protocol: TextProtocol) => object = () => ({}),
  ): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const way of WAYS) {
      const { client: protocol, streamed } = way;
      const { path, body } = wireForm({ ...wish, protocol, streamed, model: MODEL_OF[way.upstream] });
      const reply = await world.ask(path, merged(body, more(protocol)));
      expect(reply.status, `${JSON.stringify(way)} ${reply.text}`).toBe(200);
      const response = said(protocol, reply.text, streamed);
      outcomes.push({ way, response, bill: await billOf(reply) });
      expect((await world.lastSeen(way.upstream)).protocol).toBe(way.upstream);
    }
    return outcomes;
  };

  const billOf = async (reply: Reply): Promise<Outcome["bill"]> => {
    const { json } = await world.ask(`/v1/receipts/${reply.headers.get("x-request-id")}`);
    // Vendors differ in the buckets that they report as zero.
    const lines = json.lines.filter(({ tokens }: { tokens: number }) => tokens > 0);
    return { lines, charge_nanos: json.charge_nanos };
  };

  it("gives the same words, finish, tokens and charge to the nano", async () => {
    const outcomes = await sayEverywhere({ prompt: "Say something of rivers.", system: "You are terse." });
    expectAlike(outcomes, "stop");
    expect(outcomes[0]?.response.text).toMatch(/\w+ \w+/);
  });

  it("thinks before the same words, which every protocol bills alike", async () => {
    const outcomes = await sayEverywhere({ prompt: "Why do rivers bend?", thinking: true, maxTokens: 4_000 });
    expectAlike(outcomes, "stop");
    expect(JSON.stringify(outcomes[0]?.bill.lines)).toMatch(/"output_reasoning","tokens":[1-9]/);
  });

  it("says that the limit cut an answer short, and never that it is done", async () => {
    const outcomes = await sayEverywhere({ prompt: "A long tale. [[sandbox: tokens=100]]", maxTokens: 20 });
    expectAlike(outcomes, "length");
  });

  it("calls the same two tools in one turn with the same arguments", async () => {
    const outcomes = await sayEverywhere(
      { prompt: "Weather and tide? [[sandbox: tools=2]]" },
      (name) => TOOLS[name],
    );
    expectAlike(outcomes, "calls");
    expect(outcomes[0]?.response.calls).toEqual(
      ["get_weather", "get_tide"].map((name) => ({
        name,
        input: { city: expect.any(String), days: expect.any(Number) },
      })),
    );
  });

  it("gives the same object where the answer's form is set by a schema", async () => {
    const outcomes = await sayEverywhere({ prompt: "A city." }, (name) => STRUCTURED[name]);
    expectAlike(outcomes, "stop");
    expect(JSON.parse(outcomes[0]?.response.text ?? "")).toEqual({
      city: expect.any(String),
      days: expect.any(Number),
    });
  });

  it("carries a picture to every upstream, at the same price", async () => {
    const outcomes = await sayEverywhere({ prompt: "" }, (name) => pictured(name, "What is this?"));
    // Each upstream knows the picture by its own wire form, and answers it in words of its own.
    for (const upstream of TEXT_PROTOCOLS) {
      expectAlike(
        outcomes.filter(({ way }) => way.upstream === upstream),
        "stop",
      );
    }
    expect(new Set(outcomes.map(({ bill }) => JSON.stringify(bill))).size).toBe(1);
  });
});

/** Every way came to the same as the first, each in its own word for the finish. */
function expectAlike(outcomes: readonly Outcome[], finish: keyof (typeof FINISH)[TextProtocol]): void {
  const [first] = outcomes;
  for (const { way, response, bill } of outcomes) {
    const seen = { way, finish: response.finish, text: response.text, calls: response.calls, bill };
    const wanted = { text: first?.response.text, calls: first?.response.calls, bill: first?.bill };
    expect(seen).toEqual({ ...wanted, way, finish: FINISH[way.client][finish] });
  }
}

/** One level deep, since generateContent keeps limits and the response's form in one object. */
function merged(body: object, more: object): object {
  const found: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(more)) {
    const own = found[name];
    found[name] = isPlainObject(own) && isPlainObject(value) ? { ...own, ...value } : value;
  }
  return found;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
