import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { said } from "../support/said.ts";
import { TOOLS } from "../support/sample-wishes.ts";
import { type TextProtocol, wireForm } from "../support/text-caller.ts";
import {
  FOREIGN_PAIRS,
  MODEL_OF,
  startTranslatedWorld,
  type TranslatedWorld,
} from "../support/translated-world.ts";
import { codeIn, type Reply } from "../support/world.ts";

/** Hints and unknown fields of each protocol, and which of the others have a slot for them. */
const HINTS: readonly {
  readonly client: TextProtocol;
  readonly more: object;
  readonly path: string;
  readonly knownTo?: readonly TextProtocol[];
}[] = [
  { client: "chat-completions", more: { seed: 7 }, path: "seed", knownTo: ["generate-content"] },
  { client: "chat-completions", more: { logit_bias: { "50256": -100 } }, path: "logit_bias" },
  {
    client: "chat-completions",
    more: { user: "u-1" },
    path: "user",
    knownTo: ["responses", "messages"],
  },
  { client: "chat-completions", more: { brand_new: true }, path: "brand_new" },
  {
    client: "responses",
    more: { prompt_cache_key: "k" },
    path: "prompt_cache_key",
    knownTo: ["chat-completions", "messages"],
  },
  {
    client: "chat-completions",
    more: { verbosity: "low" },
    path: "verbosity",
    knownTo: ["responses"],
  },
  { client: "responses", more: { metadata: { a: "b" } }, path: "metadata" },
  { client: "responses", more: { brand_new: true }, path: "brand_new" },
  { client: "messages", more: { top_k: 5 }, path: "top_k", knownTo: ["generate-content"] },
  {
    client: "messages",
    more: { system: [{ type: "text", text: "Be terse.", cache_control: { type: "ephemeral" } }] },
    path: "cache_control",
  },
  {
    // What Claude Code sends after a search for tools.
    client: "messages",
    more: {
      ...TOOLS.messages,
      messages: [
        { role: "user", content: "How is the weather?" },
        { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "get_tide", input: {} }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_1",
              content: [{ type: "tool_reference", tool_name: "get_weather" }],
            },
          ],
        },
      ],
    },
    path: "messages[].content[].content[]",
  },
  {
    // As long as what Claude Code sends.
    client: "messages",
    more: { metadata: { user_id: "u".repeat(150) } },
    path: "metadata.user_id",
  },
  {
    client: "generate-content",
    more: { generationConfig: { topK: 5 } },
    path: "generationConfig.topK",
    knownTo: ["messages"],
  },
  {
    client: "generate-content",
    more: { generationConfig: { seed: 7 } },
    path: "generationConfig.seed",
    knownTo: ["chat-completions"],
  },
];

/** What changes the meaning of a response and exists in one protocol alone. */
const MEANINGS: readonly { readonly client: TextProtocol; readonly more: object; readonly param: RegExp }[] =
  [
    { client: "responses", more: { background: true }, param: /^background$/ },
    {
      client: "responses",
      more: { tools: [{ type: "mcp", server_label: "s", server_url: "https://example.com" }] },
      param: /^tools/,
    },
    { client: "chat-completions", more: { modalities: ["text", "audio"] }, param: /^modalities/ },
    {
      client: "messages",
      more: { mcp_servers: [{ type: "url", url: "https://example.com", name: "s" }] },
      param: /^mcp_servers/,
    },
    { client: "generate-content", more: { cachedContent: "cachedContents/1" }, param: /^cachedContent$/ },
  ];

describe("what translation cannot carry", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  const ask = (
    client: TextProtocol,
    upstream: TextProtocol,
    more: object,
    { streamed = false, prompt = "Rivers?" } = {},
  ): Promise<Reply> => {
    const { path, body } = wireForm({ protocol: client, streamed, prompt, model: MODEL_OF[upstream] });
    return world.ask(path, { ...body, ...more });
  };
  const droppedOf = (reply: Reply): string[] =>
    (reply.headers.get("x-faregate-dropped") ?? "").split(", ").filter(Boolean);

  it("is nothing where nothing was asked that the other protocol lacks", async () => {
    for (const { client, upstream } of FOREIGN_PAIRS) {
      const reply = await ask(client, upstream, TOOLS[client]);
      expect([client, upstream, reply.status, droppedOf(reply)]).toEqual([client, upstream, 200, []]);
    }
  });

  const pairs = FOREIGN_PAIRS.flatMap((pair) =>
    HINTS.filter(({ client }) => client === pair.client).map((hint) => ({ ...hint, ...pair })),
  );
  it.each(FOREIGN_PAIRS.filter(({ client }) => client === "chat-completions" || client === "responses"))(
    "of two names for the end user one has no slot: $client to $upstream",
    async ({ client, upstream }) => {
      const reply = await ask(client, upstream, { user: "u-1", safety_identifier: "s-1" });
      expect(reply.status, reply.text).toBe(200);
      expect(droppedOf(reply)).toContain("safety_identifier");
      const alike = await ask(client, upstream, { user: "u-1", safety_identifier: "u-1" });
      expect(droppedOf(alike)).not.toContain("safety_identifier");
    },
  );

  it.each(pairs)("a hint is named in the header or has a slot: $client to $upstream, $path", async (each) => {
    const { client, upstream, more, path, knownTo = [] } = each;
    for (const streamed of [false, true]) {
      const reply = await ask(client, upstream, more, { streamed });
      expect(reply.status, reply.text).toBe(200);
      expect(droppedOf(reply)).toEqual(knownTo.includes(upstream) ? [] : [path]);
      expect(said(client, reply.text, streamed).text).toMatch(/\w/);
    }
  });

  const refusals = FOREIGN_PAIRS.flatMap((pair) =>
    MEANINGS.filter(({ client }) => client === pair.client).map((meaning) => ({ ...meaning, ...pair })),
  );
  it.each(refusals)("meaning is refused by the field's name: $client to $upstream, $param", async (each) => {
    const { client, upstream, more, param } = each;
    for (const streamed of [false, true]) {
      const seen = (await world.upstreams[upstream].journal()).length;
      const reply = await ask(client, upstream, more, { streamed });
      expect(reply.status, reply.text).toBe(400);
      expect(codeIn(reply.json)).toBe("invalid_request");
      expect(reply.json.error.param).toMatch(param);
      expect((await world.upstreams[upstream].journal()).length).toBe(seen);
    }
  });

  it("an earlier response is known to no other upstream, and the refusal says so", async () => {
    const first = await ask("responses", "responses", {});
    for (const upstream of ["chat-completions", "messages", "generate-content"] as const) {
      const reply = await ask("responses", upstream, { previous_response_id: first.json.id });
      expect(reply.status, reply.text).toBe(400);
      expect(reply.json.error).toMatchObject({ param: "previous_response_id" });
    }
  });
});
