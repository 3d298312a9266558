import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { said } from "../support/said.ts";
import { TOOLS } from "../support/sample-wishes.ts";
import { type TextProtocol, wireForm } from "../support/text-caller.ts";
import { MODEL_OF, startTranslatedWorld, type TranslatedWorld } from "../support/translated-world.ts";
import type { Reply } from "../support/world.ts";

const UPSTREAMS = ["chat-completions", "responses", "messages"] as const;

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
type Wire = any;

describe("a native stream without alt=sse, from upstreams of other protocols", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  const ask = (
    upstream: TextProtocol,
    prompt: string,
    more: object = {},
    form: "array" | "events" = "array",
  ): Promise<Reply> => {
    const wish = { protocol: "generate-content", streamed: true, prompt, model: MODEL_OF[upstream] } as const;
    const { path, body } = wireForm(wish);
    return world.ask(form === "array" ? path.replace("?alt=sse", "") : path, { ...body, ...more });
  };
  /** The array, told as events, for those who read events. */
  const asEvents = ({ json }: Reply): string =>
    json.map((each: Wire) => `data: ${JSON.stringify(each)}\n\n`).join("");

  it.each(UPSTREAMS)("is one JSON array that says what the events say: %s", async (upstream) => {
    for (const [prompt, more] of [
      ["Say something of rivers.", {}],
      ["Weather and tide? [[sandbox: tools=2]]", TOOLS["generate-content"]],
    ] as const) {
      const array = await ask(upstream, prompt, more);
      expect(array.status, array.text).toBe(200);
      expect(array.headers.get("content-type")).toMatch(/^application\/json/);
      expect(array.json.length).toBeGreaterThan(1);
      const events = await ask(upstream, prompt, more, "events");
      expect(events.headers.get("content-type")).toMatch(/^text\/event-stream/);
      expect(said("generate-content", asEvents(array), true)).toEqual(
        said("generate-content", events.text, true),
      );
      const [last] = array.json.slice(-1);
      expect(last.usageMetadata).toMatchObject({ totalTokenCount: expect.any(Number) });
    }
  });

  it.each(UPSTREAMS)("holds several answers, each in its own candidate: %s", async (upstream) => {
    const { json } = await ask(upstream, "Rivers?", { generationConfig: { candidateCount: 3 } });
    const finished = json
      .flatMap(({ candidates }: Wire) => candidates ?? [])
      .filter(({ finishReason }: Wire) => finishReason !== undefined)
      .map(({ index }: Wire) => index);
    expect(finished).toEqual([0, 1, 2]);
  });

  it.each(UPSTREAMS.flatMap((upstream) => ["error=529 at=3", "cut=3"].map((fault) => ({ upstream, fault }))))(
    "stays an array when it breaks off, and its last element is the error: $upstream, $fault",
    async ({ upstream, fault }) => {
      const reply = await ask(upstream, `A tale. [[sandbox: chunks=10 ${fault}]]`);
      expect(reply.status, reply.text).toBe(200);
      const said = JSON.parse(reply.text) as Wire[];
      expect(said.length).toBeGreaterThan(1);
      expect(said.at(-1)).toMatchObject({ error: { code: expect.any(Number), message: expect.any(String) } });
      expect(reply.text).not.toContain("finishReason");
    },
  );

  it.each(UPSTREAMS)("is a plain error where it never begins: %s", async (upstream) => {
    const reply = await ask(upstream, "A tale. [[sandbox: error=400]]");
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({
      error: { message: expect.stringContaining("scripted to be invalid") },
    });
  });
});
