import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TextProtocol, wireForm } from "../support/text-caller.ts";
import { MODEL_OF, startTranslatedWorld, type TranslatedWorld } from "../support/translated-world.ts";
import type { Reply } from "../support/world.ts";

const UPSTREAMS = Object.keys(MODEL_OF) as TextProtocol[];

/** What clients write that vendors of other protocols refuse; each vendor here refuses what the real one does. */
describe("what clients are in the habit of, at upstreams of other protocols", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  const ask = (client: TextProtocol, upstream: TextProtocol, more: object, prompt = "Rivers?") => {
    const { path, body } = wireForm({ protocol: client, prompt, model: MODEL_OF[upstream] });
    return world.ask(path, { ...body, ...more });
  };
  const servedSilently = (reply: Reply): void => {
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers.get("x-faregate-dropped")).toBeNull();
  };

  it.each(UPSTREAMS.filter((name) => name !== "generate-content"))(
    "sends pictures in the letters of URLs, as some native SDKs do, in plain base64: %s",
    async (upstream) => {
      // Bytes whose base64 has all three: + or -, / or _, and padding.
      const data = Buffer.from("89504e470d0a1a0afbefbeff", "hex").toString("base64");
      const seen = async (spelt: string): Promise<unknown> => {
        const inlineData = { mimeType: "image/png", data: spelt };
        const contents = [{ role: "user", parts: [{ inlineData }, { text: "What is this?" }] }];
        servedSilently(await ask("generate-content", upstream, { contents }));
        return (await world.lastSeen(upstream))["request"];
      };
      const inUrls = data.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
      expect(inUrls).not.toBe(data);
      expect(await seen(inUrls)).toEqual(await seen(data));
    },
  );

  it.each(["chat-completions", "responses", "messages"] as const)(
    "reaches generateContent with pictures called image/jpg, which it refuses, as image/jpeg: %s",
    async (client) => {
      const seen = async (type: string): Promise<unknown> => {
        servedSilently(await ask(client, "generate-content", image(client, type)));
        return (await world.lastSeen("generate-content"))["request"];
      };
      const named = await seen("image/jpeg");
      expect(await seen("image/jpg")).toEqual(named);
      // Of bytes that nobody named, the bytes tell.
      expect(await seen("application/octet-stream")).toEqual(named);
    },
  );

  it.each(UPSTREAMS)(
    "offers tools whose names begin with a digit, and calls them by it: %s",
    async (upstream) => {
      const parameters = { type: "object", properties: { city: { type: "string" } } };
      const name = "7d5f-weather";
      const reply = await ask("chat-completions", upstream, {
        tools: [{ type: "function", function: { name, parameters } }],
        tool_choice: { type: "function", function: { name } },
      });
      servedSilently(reply);
      expect(reply.json.choices[0].message.tool_calls[0].function.name).toBe(name);
    },
  );

  it.each(UPSTREAMS)("asks for a stop at nothing, which stops nothing: %s", async (upstream) => {
    for (const stop of ["", [""], ["", "nowhere"]]) {
      const reply = await ask("chat-completions", upstream, { stop }, '[[sandbox: text="One river."]]');
      expect(reply.status, reply.text).toBe(200);
      expect(reply.json.choices[0].message.content).toBe("One river.");
    }
  });

  it.each(UPSTREAMS)("ends with a turn of the assistant that says nothing yet: %s", async (upstream) => {
    for (const content of ["", []]) {
      const messages = [
        { role: "user", content: "Rivers?" },
        { role: "assistant", content },
      ];
      servedSilently(await ask("messages", upstream, { messages }));
      if (upstream !== "chat-completions")
        servedSilently(await ask("chat-completions", upstream, { messages }));
    }
  });

  it.each(["chat-completions", "generate-content"] as const)(
    "lets messages go on from words that end in white space, which it refuses: %s",
    async (client) => {
      const begun = "Once upon a time, \n";
      const more =
        client === "chat-completions"
          ? {
              messages: [
                { role: "user", content: "A tale." },
                { role: "assistant", content: begun },
              ],
            }
          : { contents: [{ parts: [{ text: "A tale." }] }, { role: "model", parts: [{ text: begun }] }] };
      const reply = await ask(client, "messages", more);
      expect(reply.status, reply.text).toBe(200);
      expect(reply.headers.get("x-faregate-dropped")).toBe(
        client === "chat-completions" ? "messages" : "contents",
      );
    },
  );

  it.each(UPSTREAMS)("speaks between two results of one turn, and none is made up: %s", async (upstream) => {
    const tools = ["tide", "wind"].map((name) => ({
      type: "function",
      name,
      parameters: { type: "object" },
    }));
    const call = (name: string) => ({ type: "function_call", call_id: name, name, arguments: "{}" });
    const output = (name: string) => ({ type: "function_call_output", call_id: name, output: `the ${name}` });
    const input = [
      { role: "user", content: "Tide and wind?" },
      ...[call("tide"), call("wind"), output("wind")],
      { role: "user", content: "Be quick." },
      output("tide"),
    ];
    const reply = await ask("responses", upstream, { input, tools });
    servedSilently(reply);
    expect(reply.text).toContain("the tide");
    expect(reply.text).not.toContain("no result");
  });
});

const JPEG = Buffer.from("ffd8ffe000104a46494600010100000100010000ffd9", "hex").toString("base64");

/** A question about the same picture under any name of its type, as a client of this protocol asks it. */
function image(client: "chat-completions" | "responses" | "messages", type: string): object {
  const url = `data:${type};base64,${JPEG}`;
  switch (client) {
    case "chat-completions":
      return { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] };
    case "responses":
      return { input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] };
    case "messages": {
      const source = { type: "base64", media_type: type, data: JPEG };
      return { messages: [{ role: "user", content: [{ type: "image", source }] }] };
    }
  }
}
