import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CatalogUpstream, catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const PRICE =
  '{ input: 3, output: 15, calls: { web_search: 0.01, "service_tier:priority": { price: 0.002, per: request } } }';
const WISHES = { tools: [{ type: "web_search_preview" }], service_tier: "priority" };

let sandbox: TestSandbox;
/** Its upstream speaks the caller's protocol. */
let forwarding: TestGateway;
/** Its upstream does not. */
let translating: TestGateway;
/** Its first upstream speaks the caller's protocol and cannot be reached. */
let failingOver: TestGateway;
/** It leaves tools without a price out, at an upstream that speaks the caller's protocol and at one that does not. */
let dropping: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  const start = (...upstreams: CatalogUpstream[]): Promise<TestGateway> =>
    startGateway({ catalog: catalogFile({ upstreams, price: PRICE }) });
  const foreign = { url: sandbox.url, protocols: ["messages"] };
  const settings = "{ unpriced: drop }";
  const unreached = { url: "http://127.0.0.1:1", protocols: ["responses"] };
  [forwarding, translating, failingOver, dropping] = await Promise.all([
    start({ url: sandbox.url }),
    start(foreign),
    start(unreached, { ...foreign, priority: 1 }),
    startGateway({ catalog: catalogFile({ upstreams: [{ url: sandbox.url }], price: PRICE, settings }) }),
  ]);
});

afterAll(async () => {
  await Promise.all([forwarding?.clean(), translating?.clean(), failingOver?.clean(), dropping?.clean()]);
  await sandbox?.stop();
});

describe("what is not tokens", () => {
  it("is charged by the request for a field, and for a tool as often as the response counts it: not at all here", async () => {
    const { receipt, tokenNanos } = await charged(forwarding, WISHES);
    expect(countsOf(receipt)).toEqual([
      { kind: "call", name: "service_tier:priority", count: 1, usd_each: "0.002", usd: "0.002" },
    ]);
    expect(receipt["charge_nanos"]).toBe(String(tokenNanos + 2_000_000));
    // Held for a call all the same, of which nobody knows before.
    expect(Number(receipt["hold_usd"])).toBeGreaterThan(0.012);
  });

  it("is refused without a price, naming what would need one", async () => {
    const response = await ask(forwarding, { tools: [{ type: "image_generation" }] });
    const { error } = (await response.json()) as { error: { code: string; param: string; message: string } };
    expect([response.status, error.code, error.param]).toEqual([400, "invalid_request", "tools"]);
    expect(error.message).toContain('price.calls "image_generation"');
  });

  it.each([false, true])(
    "is left out where the operator wants that, and named (streamed: %s)",
    async (stream) => {
      const tools = [{ type: "image_generation" }, { type: "web_search" }, { type: "file_search" }];
      const response = await ask(dropping, { tools, stream });
      expect([response.status, response.headers.get("x-faregate-dropped")]).toEqual([
        200,
        "tools[].image_generation, tools[].file_search",
      ]);
      await response.text();
      const body = JSON.stringify({ model: "text", input: "Hello", tools: [{ type: "web_search" }], stream });
      const sent = (await sandbox.journal()).at(-1);
      expect(sent?.["request"]).toMatchObject({ sha256: hash("sha256", body), bytes: body.length });
      expect((await receiptOf(dropping, response))["losses"]).toEqual([
        "tools[].image_generation (unpriced)",
        "tools[].file_search (unpriced)",
      ]);
      const forced = await ask(dropping, { tools, tool_choice: { type: "file_search" } });
      const { error } = (await forced.json()) as { error: { param: string } };
      expect([forced.status, error.param]).toEqual([400, "tool_choice"]);
    },
  );

  it("is neither charged nor refused where no upstream would be asked for it", async () => {
    const { receipt, tokenNanos } = await charged(translating, {
      tools: [{ type: "image_generation" }],
      service_tier: "priority",
    });
    expect(countsOf(receipt)).toEqual([]);
    expect(receipt["charge_nanos"]).toBe(String(tokenNanos));
    expect(receipt["losses"]).toEqual(["tools[] (no-slot)", "service_tier (no-slot)"]);
  });

  it("is not charged where the upstream that answered was not asked for it, on any receipt", async () => {
    const { receipt, tokenNanos, posted } = await charged(failingOver, WISHES);
    for (const each of [receipt, await posted()]) {
      expect(countsOf(each)).toEqual([]);
      expect(each["charge_nanos"]).toBe(String(tokenNanos));
      expect(Number(each["exact_usd"]) * 1e9).toBeCloseTo(tokenNanos, 3);
    }
    await cleanLedger(failingOver);
  });
});

/** Lines of a receipt that are no tokens. */
function countsOf(receipt: Record<string, unknown>): unknown[] {
  return (receipt["lines"] as object[]).filter((line) => "kind" in line);
}

interface Charged {
  /** As it stands at once. */
  readonly receipt: Record<string, unknown>;
  /** As it stands in the usage log. */
  posted(): Promise<Record<string, unknown>>;
  /** What the response's tokens cost. */
  readonly tokenNanos: number;
}

async function charged(gateway: TestGateway, fields: object): Promise<Charged> {
  const response = await ask(gateway, fields);
  expect(response.status).toBe(200);
  const { usage } = (await response.json()) as { usage: { input_tokens: number; output_tokens: number } };
  const receipt = (): Promise<Record<string, unknown>> => receiptOf(gateway, response);
  return {
    receipt: await receipt(),
    async posted() {
      await waitFor("the request in the usage log", async () => (await receipt())["state"] === "posted");
      return receipt();
    },
    tokenNanos: usage.input_tokens * 3_000 + usage.output_tokens * 15_000,
  };
}

function ask(gateway: TestGateway, fields: object): Promise<Response> {
  return fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}` },
    body: JSON.stringify({ model: "text", input: "Hello", ...fields }),
  });
}

async function receiptOf(gateway: TestGateway, response: Response): Promise<Record<string, unknown>> {
  const url = `${gateway.url}/v1/receipts/${response.headers.get("x-request-id")}`;
  const receipt = await fetch(url, { headers: { authorization: `Bearer ${TEST_KEY}` } });
  return (await receipt.json()) as Record<string, unknown>;
}
