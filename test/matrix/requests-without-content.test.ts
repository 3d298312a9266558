import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TextProtocol } from "../support/text-caller.ts";
import { MODEL_OF, PAIRS, startTranslatedWorld, type TranslatedWorld } from "../support/translated-world.ts";
import { codeIn, type Reply } from "../support/world.ts";

let world: TranslatedWorld;

beforeAll(async () => {
  world = await startTranslatedWorld();
}, 120_000);

afterAll(() => world.stop());

interface Caller {
  readonly field: string;
  path(model: string): string;
  body(model: string, content: unknown): object;
  /** A conversation whose last turn has neither content nor parts. */
  readonly silent: unknown;
}

const CALLERS: Readonly<Record<TextProtocol, Caller>> = {
  "chat-completions": {
    field: "messages",
    path: () => "/v1/chat/completions",
    body: (model, messages) => ({ model, messages }),
    silent: [{ role: "user" }],
  },
  responses: {
    field: "input",
    path: () => "/v1/responses",
    body: (model, input) => ({ model, input }),
    silent: [{ role: "user" }],
  },
  messages: {
    field: "messages",
    path: () => "/v1/messages",
    body: (model, messages) => ({ model, max_tokens: 99, messages }),
    silent: [{ role: "user", content: [] }],
  },
  "generate-content": {
    field: "contents",
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_, contents) => ({ contents }),
    silent: [{ role: "user" }],
  },
};

function ask(client: TextProtocol, upstream: TextProtocol, content: unknown): Promise<Reply> {
  const model = MODEL_OF[upstream];
  const { path, body } = CALLERS[client];
  return world.ask(path(model), body(model, content));
}

async function seen(upstream: TextProtocol): Promise<number> {
  return (await world.upstreams[upstream].journal()).length;
}

describe("requests without content", () => {
  it("are refused by the gateway, forwarded or translated, and reach no vendor", async () => {
    for (const { client, upstream } of PAIRS) {
      const before = await seen(upstream);
      for (const content of client === "responses" ? [[], "", null] : [[], null]) {
        const { status, json } = await ask(client, upstream, content);
        const title = `${client} at ${upstream}: ${JSON.stringify(content)}`;
        expect([status, codeIn(json), json.error.param], title).toEqual([
          400,
          "invalid_request",
          CALLERS[client].field,
        ]);
      }
      expect(await seen(upstream)).toBe(before);
    }
  });

  it("are those too whose last turn has none, where they are translated", async () => {
    for (const { client, upstream } of PAIRS.filter((pair) => pair.client !== pair.upstream)) {
      const before = await seen(upstream);
      const { status, json } = await ask(client, upstream, CALLERS[client].silent);
      expect([status, codeIn(json), json.error.param], `${client} at ${upstream}`).toEqual([
        400,
        "invalid_request",
        CALLERS[client].field,
      ]);
      expect(await seen(upstream)).toBe(before);
    }
  });

  it("are none where responses name what brings it: that is the vendor's to find", async () => {
    const body = { model: MODEL_OF.responses, prompt: { id: "pmpt_7", variables: { topic: "rivers" } } };
    const before = await seen("responses");
    await world.ask("/v1/responses", body);
    expect(await seen("responses")).toBe(before + 1);
    for (const upstream of ["chat-completions", "messages", "generate-content"] as const) {
      const refused = await world.ask("/v1/responses", { ...body, model: MODEL_OF[upstream] });
      expect([refused.status, refused.json.error.param], upstream).toEqual([400, "prompt"]);
    }
  });

  it("are told of with the words that stand in their place", async () => {
    const talk = [
      { role: "user", content: "Name a river." },
      { role: "assistant", content: "" },
      { role: "user", content: "And another?" },
    ];
    const reply = await ask("chat-completions", "messages", talk);
    expect([reply.status, reply.headers.get("x-faregate-dropped")]).toEqual([200, "messages"]);
  });
});
