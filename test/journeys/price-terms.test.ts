import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

// Nanos for a token: 3,000 in and 15,000 out, at every hour once more by half.
const PRICE =
  "{ input: 3, output: 15, tiers: { priority: { factor: 2 }, flex: { input: 1, output: 4 } }, " +
  "speeds: { fast: { factor: 6 } }, regions: { us: { factor: 1.1 } }, " +
  'hours: [{ name: always, utc: ["00:00-24:00"], factor: 1.5 }] }';

const PATHS = {
  "v1/chat/completions": (stream: boolean) => ({
    body: { model: "text", messages: [{ role: "user", content: "Hello" }], stream },
    tier: "service_tier",
  }),
  "v1/responses": (stream: boolean) => ({
    body: { model: "text", input: "Hello", stream },
    tier: "service_tier",
  }),
  "v1/messages": (stream: boolean) => ({
    body: { model: "text", max_tokens: 100, messages: [{ role: "user", content: "Hello" }], stream },
    tier: "service_tier",
  }),
  "v1beta/models/text": (_stream: boolean) => ({
    body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
    tier: "serviceTier",
  }),
};
type Path = keyof typeof PATHS;

let sandbox: TestSandbox;
let forwarding: TestGateway;
/** Its upstream speaks another protocol than the caller of responses. */
let translating: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  const foreign = { url: sandbox.url, protocols: ["messages"] };
  [forwarding, translating] = await Promise.all([
    startGateway({ catalog: catalogFile({ upstreams: [{ url: sandbox.url }], price: PRICE }) }),
    startGateway({ catalog: catalogFile({ upstreams: [foreign], price: PRICE }) }),
  ]);
});

afterAll(async () => {
  await Promise.all([forwarding?.clean(), translating?.clean()]);
  await sandbox?.stop();
});

describe.each(Object.keys(PATHS) as Path[])("how a request is served, on %s", (path) => {
  describe.each([false, true])("streamed: %s", (stream) => {
    const { body, tier } = PATHS[path](stream);
    const charge = (fields: object) => charged(forwarding, path, stream, { ...body, ...fields });

    it("costs the model's price at that hour without a tier", async () => {
      expect(await charge({})).toEqual({ rates: [4_500, 22_500], row: undefined, told: [HOURS] });
    });

    it("costs the tier that the response names, be it asked under another name", async () => {
      const told = [{ dimension: "tier", name: "priority", from: "response", factor: "2" }, HOURS];
      for (const asked of ["priority", "fast"])
        expect(await charge({ [tier]: asked })).toEqual({ rates: [9_000, 45_000], row: undefined, told });
    });

    it("costs the tier's own row where it has one", async () => {
      expect(await charge({ [tier]: "flex" })).toEqual({
        rates: [1_500, 6_000],
        row: "tier flex",
        told: [{ dimension: "tier", name: "flex", from: "response" }, HOURS],
      });
    });

    it("is refused for a tier without a price", async () => {
      const response = await ask(forwarding, path, stream, { ...body, [tier]: "turbo" });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('price.tiers \\"turbo\\"');
    });
  });
});

const HOURS = { dimension: "hours", name: "always", from: "time", factor: "1.5" };

it.each([false, true])("multiplies by speed and region of messages (streamed: %s)", async (stream) => {
  const { body } = PATHS["v1/messages"](stream);
  const fields = { ...body, speed: "fast", inference_geo: "us" };
  expect(await charged(forwarding, "v1/messages", stream, fields)).toEqual({
    rates: [29_700, 148_500],
    row: undefined,
    told: [
      { dimension: "speed", name: "fast", from: "response", factor: "6" },
      { dimension: "region", name: "us", from: "response", factor: "1.1" },
      HOURS,
    ],
  });
});

it("costs no tier where the upstream was not asked for it", async () => {
  const { body } = PATHS["v1/responses"](false);
  const fields = { ...body, service_tier: "priority" };
  expect(await charged(translating, "v1/responses", false, fields)).toMatchObject({ rates: [4_500, 22_500] });
});

it("charges the price by the request besides, translated too", async () => {
  const price = "{ input: 3, output: 15, request: 0.012 }";
  const upstreams = [{ url: sandbox.url, protocols: ["messages"] }];
  const gateway = await startGateway({ catalog: catalogFile({ upstreams, price }) });
  try {
    const { body } = PATHS["v1/responses"](false);
    const response = await ask(gateway, "v1/responses", false, { ...body, service_tier: "priority" });
    const url = `${gateway.url}/v1/receipts/${response.headers.get("x-request-id")}`;
    const read = await fetch(url, { headers: { authorization: `Bearer ${TEST_KEY}` } });
    const receipt = (await read.json()) as Record<string, unknown>;
    const lines = receipt["lines"] as { usd: string }[];
    expect(lines.at(-1)).toEqual({
      kind: "request",
      name: "request",
      count: 1,
      usd_each: "0.012",
      usd: "0.012",
    });
    const sum = lines.reduce((total, { usd }) => total + Number(usd), 0);
    expect(Number(receipt["charge_usd"])).toBeCloseTo(sum, 9);
  } finally {
    await gateway.clean();
  }
});

it("leaves books that agree", async () => {
  await cleanLedger(forwarding);
});

interface Charged {
  /** Nanos for a token of input and of output, as the charge has them. */
  readonly rates: readonly number[];
  readonly row: unknown;
  readonly told: unknown;
}

function ask(gateway: TestGateway, path: Path, stream: boolean, fields: object): Promise<Response> {
  const call = path.startsWith("v1beta")
    ? stream
      ? ":streamGenerateContent?alt=sse"
      : ":generateContent"
    : "";
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  return fetch(`${gateway.url}/${path}${call}`, { method: "POST", headers, body: JSON.stringify(fields) });
}

/** What the receipt says, which is the same at once and in the usage log. */
async function charged(gateway: TestGateway, path: Path, stream: boolean, fields: object): Promise<Charged> {
  const response = await ask(gateway, path, stream, fields);
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  const read = async (): Promise<Record<string, unknown>> => {
    const url = `${gateway.url}/v1/receipts/${response.headers.get("x-request-id")}`;
    const headers = { authorization: `Bearer ${TEST_KEY}` };
    return (await (await fetch(url, { headers })).json()) as Record<string, unknown>;
  };
  const first = await read();
  await waitFor("the request in the usage log", async () => (await read())["state"] === "posted");
  const posted = await read();
  expect({ ...first, state: "posted" }).toEqual(posted);

  const lines = posted["lines"] as { bucket: string; tokens: number; usd: string }[];
  const nanos = lines.reduce((sum, { usd }) => sum + Number(usd) * 1e9, 0);
  expect(Number(posted["charge_nanos"])).toBe(Math.round(nanos));
  expect(Number(posted["charge_usd"])).toBeLessThanOrEqual(Number(posted["hold_usd"]));
  expect(posted["unpriced"]).toBeUndefined();
  const rate = (bucket: string): number => {
    const line = lines.find((each) => each.bucket === bucket);
    return Math.round((Number(line?.usd) * 1e9) / (line?.tokens ?? 0));
  };
  return {
    rates: [rate("input_uncached"), rate("output_visible")],
    row: posted["row"],
    told: posted["served"],
  };
}
