import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { TOOLS } from "../support/sample-wishes.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { ask, type Reply } from "../support/world.ts";

/** Enough that eight wrong guesses in a row are one in 256. */
const CONVERSATIONS = 8;

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
type Wire = any;

/** A question that is thought about and calls a tool, and the turn that brings the result. */
interface Client {
  readonly path: string;
  first(prompt: string): object;
  next(prompt: string, response: Wire): object;
}

const CLIENTS: Readonly<Record<"chat-completions" | "responses", Client>> = {
  "chat-completions": {
    path: "/v1/chat/completions",
    first: (content) => ({ messages: [{ role: "user", content }], reasoning_effort: "low" }),
    next(content, { choices: [{ message }] }) {
      const results = message.tool_calls.map(({ id }: Wire) => ({
        role: "tool",
        tool_call_id: id,
        content: "fair",
      }));
      return { messages: [{ role: "user", content }, message, ...results], reasoning_effort: "low" };
    },
  },
  responses: {
    path: "/v1/responses",
    first: (input) => ({ input: [{ role: "user", content: input }], ...ENCRYPTED }),
    next(input, { output }) {
      const results = output
        .filter(({ type }: Wire) => type === "function_call")
        .map(({ call_id }: Wire) => ({ type: "function_call_output", call_id, output: "fair" }));
      return { input: [{ role: "user", content: input }, ...output, ...results], ...ENCRYPTED };
    },
  },
};
const ENCRYPTED = { reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"], store: false };

describe("a conversation whose thoughts an upstream has signed", () => {
  let vendors: readonly TestSandbox[];
  let gateway: TestGateway;
  beforeAll(async () => {
    // Sandboxes of different names refuse each other's signatures, as vendors do.
    vendors = await Promise.all(["one", "two"].map((name) => startSandbox({ name })));
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text"],
        upstreams: vendors.map(({ url }, index) => ({
          name: `vendor-${index}`,
          url,
          apiKey: "good-key",
          protocols: ["messages"],
        })),
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await Promise.all(vendors?.map((vendor) => vendor.stop()) ?? []);
  });

  const say = async (client: Client, protocol: keyof typeof CLIENTS, body: object): Promise<Reply> => {
    const reply = await ask(gateway.url, client.path, { model: "text", ...TOOLS[protocol], ...body });
    expect(reply.status, reply.text).toBe(200);
    return reply;
  };
  /** Which vendors were asked with this tag so far, in order. */
  const askedWith = async (tag: string): Promise<number[]> => {
    const journals = await Promise.all(vendors.map((vendor) => vendor.journal()));
    return journals
      .flatMap((lines, vendor) => lines.map((line) => ({ vendor, line })))
      .filter(({ line }) => line["tag"] === tag)
      .sort((a, b) => Number(a.line["at"]) - Number(b.line["at"]))
      .map(({ vendor }) => vendor);
  };
  /** Whether state of the request was dropped; that of the response has no slot in chat without a call. */
  const stateless = (reply: Reply): boolean =>
    /encrypted_content|extra_content/.test(reply.headers.get("x-faregate-dropped") ?? "");

  it.each(["chat-completions", "responses"] as const)("goes on where it began: %s", async (protocol) => {
    const client = CLIENTS[protocol];
    for (let index = 0; index < CONVERSATIONS; index += 1) {
      const tag = `${protocol}-${index}`;
      const prompt = `Weather? [[sandbox: tools=1 tag=${tag}]]`;
      const first = await say(client, protocol, client.first(prompt));
      const second = await say(client, protocol, client.next(prompt, first.json));
      expect(stateless(second)).toBe(false);
      const [began, ...later] = await askedWith(tag);
      expect(later).toEqual([began]);
    }
  });

  it.each(["chat-completions", "responses"] as const)(
    "goes on elsewhere without them where that vendor is out: %s",
    async (protocol) => {
      const client = CLIENTS[protocol];
      const tag = `${protocol}-out`;
      const prompt = `Weather? [[sandbox: tools=1 tag=${tag}]]`;
      const first = await say(client, protocol, client.first(prompt));
      const [began = 0] = await askedWith(tag);
      await vendors[began]?.script({ match: {}, directive: "error=503", times: 1 });
      const second = await say(client, protocol, client.next(prompt, first.json));
      expect(await askedWith(tag)).toEqual([began, began, 1 - began]);
      expect(stateless(second)).toBe(true);
    },
  );
});
