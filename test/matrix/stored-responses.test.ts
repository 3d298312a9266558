import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { RESPONSES } from "../support/endpoints.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type JournalLine, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { ask } from "../support/world.ts";

describe("stored responses with several upstreams and credentials", () => {
  let sandboxes: TestSandbox[];
  let gateway: TestGateway;
  beforeAll(async () => {
    sandboxes = await Promise.all([startSandbox({ name: "a" }), startSandbox({ name: "b" })]);
    gateway = await startGateway({
      catalog: catalogFile({
        upstreams: sandboxes.map(({ url }) => ({ url, priority: 0, apiKeys: ["key-1", "key-2", "key-3"] })),
      }),
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await Promise.all(sandboxes.map((sandbox) => sandbox.stop()));
  });

  /** Where a response was made: upstream and credential. */
  const placeOf = async (id: string): Promise<string> => {
    for (const [index, sandbox] of sandboxes.entries()) {
      const line = (await sandbox.journal()).find((each: JournalLine) => each["responseId"] === id);
      if (line !== undefined) return `${index} ${line["credential"]}`;
    }
    throw new Error(`nobody made ${id}`);
  };

  it("are gone on from where they are kept, plain and streamed, turn after turn", async () => {
    const places = new Set<string>();
    for (let conversation = 0; conversation < 12; conversation += 1) {
      const stream = conversation % 2 === 0;
      let previous: string | undefined;
      let place: string | undefined;
      for (let turn = 0; turn < 3; turn += 1) {
        const body = {
          ...RESPONSES.body,
          input: `Conversation ${conversation}`,
          stream,
          previous_response_id: previous,
        };
        const { status, text } = await ask(gateway.url, RESPONSES.path, body);
        expect(status, text).toBe(200);
        const id = /"id":\s*"(resp_[^"]+)"/.exec(text)?.[1] ?? "";
        const here = await placeOf(id);
        expect(here).toBe(place ?? here);
        place = here;
        previous = id;
      }
      if (place !== undefined) places.add(place);
    }
    // Without pins the conversations are spread.
    expect(places.size).toBeGreaterThan(2);
  });

  it("are known to a gateway that was started anew", async () => {
    const { json } = await ask(gateway.url, RESPONSES.path, RESPONSES.body);
    await gateway.end();
    const { database, dataDir } = gateway;
    if (database === undefined) throw new Error("no database");
    gateway = await startGateway({ database, dataDir });
    for (let turn = 0; turn < 4; turn += 1) {
      const body = { ...RESPONSES.body, previous_response_id: json.id };
      const reply = await ask(gateway.url, RESPONSES.path, body);
      expect(reply.status, reply.text).toBe(200);
      expect(await placeOf(reply.json.id)).toBe(await placeOf(json.id));
    }
  });

  it.each([
    ["an id longer than any", `"previous_response_id":"resp_${"x".repeat(2_000)}"`],
    ["an unknown id before none", '"previous_response_id":"resp_unknown","previous_response_id":null'],
    ["two ids", '"previous_response_id":"resp_unknown","previous_response_id":"KNOWN"'],
  ])("are not asked for by %s", async (_how, fields) => {
    const known = await ask(gateway.url, RESPONSES.path, RESPONSES.body);
    const body = JSON.stringify(RESPONSES.body).replace("{", `{${fields.replace("KNOWN", known.json.id)},`);
    const { status, json } = await ask(gateway.url, RESPONSES.path, body);
    expect(status).toBe(400);
    // Told by the gateway: the upstream, which knows no accounts, was not asked.
    expect(json.error).toMatchObject({ type: "gateway_error", code: "previous_response_not_found" });
  });
});
