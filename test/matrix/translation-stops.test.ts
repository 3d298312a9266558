import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { said } from "../support/said.ts";
import { type TextProtocol, wireForm } from "../support/text-caller.ts";
import { MODEL_OF, startTranslatedWorld, type TranslatedWorld } from "../support/translated-world.ts";

/** How each protocol that has stop sequences asks for them, and says that one was met. */
const STOPS: readonly {
  readonly client: TextProtocol;
  readonly finish: string;
  more(stops: readonly string[]): object;
}[] = [
  { client: "chat-completions", finish: "stop", more: (stop) => ({ stop }) },
  { client: "messages", finish: "stop_sequence", more: (stop_sequences) => ({ stop_sequences }) },
  {
    client: "generate-content",
    finish: "STOP",
    more: (stopSequences) => ({ generationConfig: { stopSequences } }),
  },
];

const RESPONSE = "One river runs north. END of the tale. Another runs south.";

describe("stop sequences at an upstream that has none", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  const ask = (client: TextProtocol, streamed: boolean, more: object) => {
    const prompt = `[[sandbox: text="${RESPONSE}" chunks=30]]`;
    const { path, body } = wireForm({ protocol: client, streamed, prompt, model: MODEL_OF.responses });
    return world.ask(path, { ...body, ...more });
  };

  const ways = STOPS.flatMap((each) => [false, true].map((streamed) => ({ ...each, streamed })));

  it.each(ways)("cut the answer, and nothing is dropped: $client, streamed $streamed", async (way) => {
    const { client, streamed, finish, more } = way;
    const reply = await ask(client, streamed, more(["nowhere", "END of", "south"]));
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers.get("x-faregate-dropped")).toBeNull();
    expect(said(client, reply.text, streamed)).toMatchObject({ text: "One river runs north. ", finish });
    if (client === "messages") expect(reply.text).toMatch(/"stop_sequence": ?"END of"/);
    expect(reply.text).not.toContain("south");
  });

  it.each(ways)("leave an answer alone that has none: $client, streamed $streamed", async (way) => {
    const { client, streamed, more } = way;
    const reply = await ask(client, streamed, more(["nowhere", "southern"]));
    expect(said(client, reply.text, streamed).text).toBe(RESPONSE);
  });

  it("are charged for all that the upstream wrote", async () => {
    const charges = new Set<unknown>();
    for (const { client, streamed, more } of ways) {
      for (const stops of [[], ["END"]]) {
        const reply = await ask(client, streamed, stops.length === 0 ? {} : more(stops));
        const { json } = await world.ask(`/v1/receipts/${reply.headers.get("x-request-id")}`);
        charges.add(json.charge_nanos);
      }
    }
    expect(charges.size).toBe(1);
  });
});
