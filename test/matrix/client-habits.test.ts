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
});
