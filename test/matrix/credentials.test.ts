import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, type Endpoint, KEYED_ENDPOINTS, withQuery } from "../support/endpoints.ts";
import { type RawReply, rawAsk } from "../support/raw-ask.ts";
import { codeIn, KEYS, startWorld, type World } from "../support/world.ts";

type Header = readonly [name: string, value: string];

/** Every header that carries a key, in the specification's spellings and the vendors'. */
const CARRIERS: Readonly<Record<string, (key: string) => Header>> = {
  authorization: (key) => ["Authorization", `Bearer ${key}`],
  "authorization, oddly cased": (key) => ["AUTHORIZATION", `bEaReR ${key}`],
  "authorization, without Bearer": (key) => ["Authorization", key],
  "x-api-key": (key) => ["x-api-key", key],
  "x-vendory-api-key": (key) => ["x-vendory-api-key", key],
  "x-goog-api-key": (key) => ["x-goog-api-key", key],
};
const CARRIER_NAMES = Object.keys(CARRIERS);

function carry(name: string, key: string): Header {
  const carrier = CARRIERS[name];
  if (carrier === undefined) throw new Error(`no carrier ${name}`);
  return carrier(key);
}

describe("credentials", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const send = (endpoint: Endpoint, headers: readonly Header[], query?: string): Promise<RawReply> =>
    rawAsk(
      world.url,
      endpoint.method,
      query === undefined ? endpoint.path : withQuery(endpoint.path, query),
      headers,
      endpoint.body === undefined ? undefined : JSON.stringify(endpoint.body),
    );

  const expectRefused = (reply: RawReply, what: string): void => {
    expect(reply.status, what).toBe(401);
    expect(reply.json.error, what).toMatchObject({ type: "gateway_error", param: "" });
    expect(codeIn(reply.json), what).toBe("");
    expect(reply.json.error.message, what).toMatch(/ \(request id: req_[0-9a-f]+\)$/);
  };

  for (const endpoint of KEYED_ENDPOINTS) {
    it(`are accepted in every header on ${endpoint.name}, and an invalid one never`, async () => {
      for (const carrier of CARRIER_NAMES) {
        expect((await send(endpoint, [carry(carrier, KEYS.main)])).status, carrier).toBe(200);
        expectRefused(await send(endpoint, [carry(carrier, KEYS.invalid)]), carrier);
      }
      expectRefused(await send(endpoint, []), "none");
      expectRefused(await send(endpoint, [["authorization", `Basic ${KEYS.main}`]]), "Basic");
      expectRefused(await send(endpoint, [["authorization", "Bearer "]]), "empty");
      expectRefused(await send(endpoint, [["authorization", `Token ${KEYS.main}`]]), "another scheme");
      expectRefused(await send(endpoint, [carry("authorization", KEYS.main.toUpperCase())]), "other case");
    });
  }

  it("are told apart from none", async () => {
    const told = async (headers: readonly Header[]) => (await send(CHAT, headers)).json.error.message;
    expect(await told([])).toMatch(/^The request has no API key\. Send a key/);
    expect(await told([["Authorization", "Bearer nobodys-key-0123456789"]])).toMatch(
      /^Invalid API key\. Send/,
    );
  });

  it("in the query count under /v1beta alone", async () => {
    for (const endpoint of KEYED_ENDPOINTS) {
      const reply = await send(endpoint, [], `key=${KEYS.main}`);
      if (endpoint.path.startsWith("/v1beta")) expect(reply.status, endpoint.name).toBe(200);
      else expectRefused(reply, endpoint.name);
    }
    const [native] = KEYED_ENDPOINTS.filter(({ path }) => path.startsWith("/v1beta"));
    if (native === undefined) throw new Error("no native endpoint");
    expect((await send(native, [], `key=${KEYS.invalid}&key=${KEYS.main}`)).status).toBe(200);
    expectRefused(await send(native, [], `key=${KEYS.second}&key=${KEYS.main}`), "two keys");
  });

  it("that are valid stand beside invalid ones, in any order of carriers", async () => {
    const [endpoint] = KEYED_ENDPOINTS;
    if (endpoint === undefined) throw new Error("no endpoint");
    for (const valid of CARRIER_NAMES) {
      for (const invalid of CARRIER_NAMES) {
        const [name] = carry(valid, "");
        if (name.toLowerCase() === carry(invalid, "")[0].toLowerCase()) continue;
        const headers = [carry(invalid, KEYS.invalid), carry(valid, KEYS.main)];
        expect((await send(endpoint, headers)).status, `${valid} beside ${invalid}`).toBe(200);
      }
      if (valid.startsWith("authorization")) continue;
      const basic: Header = ["authorization", "Basic dXNlcjpwYXNz"];
      expect((await send(endpoint, [basic, carry(valid, KEYS.main)])).status, valid).toBe(200);
    }
  });

  it("that are valid but of two keys are refused, be it of one account or two", async () => {
    for (const endpoint of KEYED_ENDPOINTS) {
      for (const other of [KEYS.second, KEYS.partner]) {
        const headers = [carry("authorization", KEYS.main), carry("x-api-key", other)];
        const reply = await send(endpoint, headers);
        expectRefused(reply, endpoint.name);
        expect(reply.json.error.message, endpoint.name).toContain("two different valid API keys");
      }
      for (const carrier of CARRIER_NAMES) {
        const twice = (key: string) => send(endpoint, [carry(carrier, KEYS.main), carry(carrier, key)]);
        expectRefused(await twice(KEYS.second), `${endpoint.name}, ${carrier} twice`);
        expect((await twice(KEYS.main)).status, `${endpoint.name}, ${carrier} twice alike`).toBe(200);
        expect((await twice(KEYS.invalid)).status, `${endpoint.name}, ${carrier} once valid`).toBe(200);
      }
      const same = [carry("authorization", KEYS.main), carry("x-goog-api-key", KEYS.main)];
      expect((await send(endpoint, same)).status, `${endpoint.name}, one key twice`).toBe(200);
    }
  });

  it("never reach an upstream, nor the log", async () => {
    for (const endpoint of KEYED_ENDPOINTS) {
      const headers = CARRIER_NAMES.filter((name) => !name.includes(" ")).map((name) =>
        carry(name, KEYS.main),
      );
      const query = endpoint.path.startsWith("/v1beta") ? `key=${KEYS.main}` : undefined;
      expect((await send(endpoint, headers, query)).status, endpoint.name).toBe(200);
    }
    const journal = JSON.stringify(await world.sandbox.journal());
    expect(journal.length).toBeGreaterThan(1_000);
    expect(journal).not.toContain(KEYS.main);
    // The sandbox blots credentials out, so it is their fingerprint that tells whose came.
    const credentials = new Set((await world.sandbox.journal()).map((line) => line["credential"]));
    expect(credentials.size).toBe(1);
    for (const key of Object.values(KEYS)) expect(world.gateway.output()).not.toContain(key);
  });
});
