import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { TOOLS } from "../support/sample-wishes.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { ask, type Reply } from "../support/world.ts";

/** As many as of which nine failed when their upstream was drawn. */
const CONVERSATIONS = 20;

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
type Wire = any;

/** A question that is thought about and calls a tool, and the turn that brings the result. */
interface Client {
  readonly path: string;
  readonly tools: object;
  /** Where the state stands, as callers are told it. */
  readonly state: RegExp;
  first(prompt: string): object;
  next(prompt: string, response: Wire): object;
}

const ENCRYPTED = { reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"], store: false };
const THINKING = { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 1024 } };

const CLIENTS: Readonly<Record<string, Client>> = {
  responses: {
    path: "/v1/responses",
    tools: TOOLS.responses,
    state: /input\[\]\.encrypted_content/,
    first: (input) => ({ input: [{ role: "user", content: input }], ...ENCRYPTED }),
    next(input, { output }) {
      const results = output
        .filter(({ type }: Wire) => type === "function_call")
        .map(({ call_id }: Wire) => ({ type: "function_call_output", call_id, output: "fair" }));
      return { input: [{ role: "user", content: input }, ...output, ...results], ...ENCRYPTED };
    },
  },
  messages: {
    path: "/v1/messages",
    tools: TOOLS.messages,
    state: /messages\[\]\.content\[\]\.signature/,
    first: (content) => ({ messages: [{ role: "user", content }], ...THINKING }),
    next(prompt, { content }) {
      const results = content
        .filter(({ type }: Wire) => type === "tool_use")
        .map(({ id }: Wire) => ({ type: "tool_result", tool_use_id: id, content: "fair" }));
      const messages = [
        { role: "user", content: prompt },
        { role: "assistant", content },
        { role: "user", content: results },
      ];
      return { messages, ...THINKING };
    },
  },
  "generate-content": {
    path: "/v1beta/models/gemini-3-text:generateContent",
    tools: TOOLS["generate-content"],
    state: /contents\[\]\.parts\[\]\.thoughtSignature/,
    first: (text) => ({ contents: [{ role: "user", parts: [{ text }] }] }),
    next(text, { candidates: [{ content }] }) {
      const parts = content.parts
        .filter(({ functionCall }: Wire) => functionCall !== undefined)
        .map(({ functionCall: { name, id } }: Wire) => ({
          functionResponse: { name, ...(id === undefined ? {} : { id }), response: { result: "fair" } },
        }));
      return { contents: [{ role: "user", parts: [{ text }] }, content, { role: "user", parts }] };
    },
  },
};

describe("a conversation that carries a vendor's state in its own form, over two equal upstreams", () => {
  let vendors: readonly TestSandbox[];
  let gateway: TestGateway;
  beforeAll(async () => {
    // Sandboxes of different names refuse each other's signatures, as vendors do.
    vendors = await Promise.all(["one", "two"].map((name) => startSandbox({ name })));
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text", "gemini-3-text"],
        upstreams: vendors.map(({ url }, index) => ({ name: `vendor-${index}`, url, apiKey: "good-key" })),
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await Promise.all(vendors?.map((vendor) => vendor.stop()) ?? []);
  });

  const say = (client: Client, body: object, headers: Record<string, string> = {}): Promise<Reply> =>
    ask(gateway.url, client.path, { model: "text", ...client.tools, ...body }, { headers });
  const told = async (client: Client, body: object): Promise<Reply> => {
    const reply = await say(client, body);
    expect(reply.status, reply.text).toBe(200);
    return reply;
  };
  const dropped = (reply: Reply): string => reply.headers.get("x-faregate-dropped") ?? "";
  /** Which vendors were asked with this tag so far, in order. */
  const askedWith = async (tag: string): Promise<number[]> => {
    const journals = await Promise.all(vendors.map((vendor) => vendor.journal()));
    return journals
      .flatMap((lines, vendor) => lines.map((line) => ({ vendor, line })))
      .filter(({ line }) => line["tag"] === tag)
      .sort((a, b) => Number(a.line["at"]) - Number(b.line["at"]))
      .map(({ vendor }) => vendor);
  };
  const out = (vendor: number, times: number): Promise<unknown> | undefined =>
    vendors[vendor]?.script({ match: {}, directive: "error=503", times });

  it.each(Object.keys(CLIENTS))("goes on where it began, with its state: %s", async (name) => {
    const client = CLIENTS[name] as Client;
    const began = new Set<number | undefined>();
    for (let index = 0; index < CONVERSATIONS; index += 1) {
      const tag = `${name}-${index}`;
      const prompt = `Weather ${index}? [[sandbox: tools=1 tag=${tag}]]`;
      const first = await told(client, client.first(prompt));
      const second = await told(client, client.next(prompt, first.json));
      expect(dropped(second)).toBe("");
      const [where, ...later] = await askedWith(tag);
      expect(later).toEqual([where]);
      began.add(where);
    }
    expect(began.size).toBe(2);
  });

  it.each(Object.keys(CLIENTS))(
    "goes on elsewhere without it where that vendor is out, stays there, and takes along what is made there: %s",
    async (name) => {
      const client = CLIENTS[name] as Client;
      const tag = `${name}-out`;
      const prompt = `Weather elsewhere? [[sandbox: tools=1 tag=${tag}]]`;
      const first = await told(client, client.first(prompt));
      const [began = 0] = await askedWith(tag);
      await out(began, 1);
      const second = await told(client, client.next(prompt, first.json));
      expect(dropped(second)).toMatch(client.state);
      expect(await askedWith(tag)).toEqual([began, began, 1 - began]);
      const third = await told(client, client.next(prompt, first.json));
      expect(await askedWith(tag)).toEqual([began, began, 1 - began, 1 - began]);
      expect(dropped(third)).toMatch(client.state);
    },
  );

  it.each(Object.keys(CLIENTS))(
    "is sent on where its place refuses the state, which another place has made: %s",
    async (name) => {
      const client = CLIENTS[name] as Client;
      // A refused request leaves no tag: six conversations that were all guessed right would be one in 64.
      for (let index = 0; index < 6; index += 1) {
        const tag = `${name}-foreign-${index}`;
        const prompt = `Weather abroad ${index}? [[sandbox: tools=1 tag=${tag}]]`;
        const first = await told(client, client.first(prompt));
        // Called by another name it is another conversation to the gateway, at another place one time in two.
        const second = await say(client, client.next(prompt, first.json), { "x-session-id": `${tag}-other` });
        expect(second.status, second.text).toBe(200);
        expect(dropped(second)).toBe("");
        const asked = await askedWith(tag);
        expect(asked.at(-1)).toBe(asked[0]);
      }
    },
  );

  it.each(Object.keys(CLIENTS))("goes on without state that nobody has made: %s", async (name) => {
    const client = CLIENTS[name] as Client;
    const prompt = "Weather on Mars? [[sandbox: tools=1]]";
    const first = await told(client, client.first(prompt));
    const forged = JSON.stringify(client.next(prompt, first.json)).replace(
      /("(?:encrypted_content|signature|thoughtSignature)":")([^"]{8})/g,
      "$1AAAAAAAA",
    );
    const second = await told(client, JSON.parse(forged) as object);
    expect(dropped(second)).toMatch(client.state);
  });
});
