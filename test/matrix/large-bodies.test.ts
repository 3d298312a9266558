import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { report } from "../support/report.ts";
import { said } from "../support/said.ts";
import { TOOLS } from "../support/sample-wishes.ts";
import { type Wish, wireForm } from "../support/text-caller.ts";
import {
  FOREIGN_PAIRS,
  MODEL_OF,
  startTranslatedWorld,
  type TranslatedWorld,
} from "../support/translated-world.ts";
import { ask as askOf, type Reply } from "../support/world.ts";

/** Beyond the size from which translation is left to a worker. */
const PADDING = " ".repeat(1_100_000);

/** So many small values that reading them takes a worker far longer than anything else here takes. */
const MANY = 100_000;

describe("translated requests of more than a megabyte", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  const ask = (wish: Wish, more: object, padding = PADDING): Promise<Reply> => {
    const { path, body } = wireForm(wish);
    return askOf(world.url, path, JSON.stringify({ ...body, ...more }) + padding);
  };

  it.each(FOREIGN_PAIRS)(
    "are answered as small ones are: $client to $upstream",
    async ({ client, upstream }) => {
      for (const streamed of [false, true]) {
        const prompt = "Weather and tide? [[sandbox: tools=2]]";
        const wish = { protocol: client, streamed, prompt, model: MODEL_OF[upstream] };
        const large = await ask(wish, TOOLS[client]);
        expect(large.status, large.text).toBe(200);
        const small = await ask(wish, TOOLS[client], "");
        expect(said(client, large.text, streamed)).toEqual(said(client, small.text, streamed));
      }
    },
  );

  it("are refused by the field's name, as small ones are", async () => {
    const wish = { protocol: "chat-completions", prompt: "Rivers?", model: MODEL_OF.messages } as const;
    const reply = await ask(wish, { n: 9 });
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatchObject({ code: "invalid_request", param: "n" });
  });

  it("hold nobody else up while they are translated", async () => {
    const wish = { protocol: "chat-completions", prompt: "", model: MODEL_OF.messages } as const;
    // Sound has no slot there, which is found last: no upstream's time is in what follows.
    const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    const content = [...Array.from({ length: MANY }, () => ({ type: "text", text: "x" })), audio];
    let over = false;
    const startedMs = performance.now();
    const large = ask(wish, { messages: [{ role: "user", content }] }).finally(() => {
      over = true;
    });
    let longestMs = 0;
    while (!over) {
      const askedMs = performance.now();
      expect((await world.ask("/healthz")).status).toBe(200);
      longestMs = Math.max(longestMs, performance.now() - askedMs);
    }
    const tookMs = performance.now() - startedMs;
    expect((await large).json.error).toMatchObject({ param: expect.stringMatching(/^messages/) });
    report(`A translation of ${tookMs.toFixed(0)} ms held others up for ${longestMs.toFixed(0)} ms`);
    // On the event loop it would take most of the request's time, in which nothing is answered.
    expect(longestMs).toBeLessThan(tookMs / 2);
  });

  it("leave nothing behind that would keep the gateway from stopping", async () => {
    expect(await world.gateway.end()).toBe(0);
  });
});
