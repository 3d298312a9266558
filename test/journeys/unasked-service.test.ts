import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Upstream } from "../../src/console/upstreams/contract.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";

const PRICE =
  "{ input: 3, output: 15, tiers: { priority: { factor: 2 } }, speeds: { fast: { factor: 6 } }, regions: { us: { factor: 1.1 }, eu: { factor: 0.9 } } }";

/** What the vendor says of how it served a request, beside the usage. */
let told: object = {};
let vendor: ScriptedUpstream;
let plain: TestGateway;
let declared: TestGateway;

beforeAll(async () => {
  vendor = await scriptedUpstream(respond);
  const upstream = { url: vendor.url, protocols: ["messages"] };
  const start = (...upstreams: Parameters<typeof catalogFile>[0]["upstreams"]) =>
    startGateway({
      catalog: catalogFile({ upstreams, price: PRICE }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
  plain = await start(upstream);
  declared = await start({ ...upstream, unaskedTiers: ["priority"], region: "US" });
});

afterAll(async () => {
  await Promise.all([plain?.clean(), declared?.clean()]);
  await vendor?.close();
});

function respond({ socket }: WireRequest): void {
  const text = JSON.stringify({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "text",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 100, output_tokens: 10, ...told },
  });
  const length = Buffer.byteLength(text);
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`,
  );
}

const messages = [{ role: "user", content: "Hello" }];
const WAYS = [
  { way: "forwarded", path: "messages", body: { model: "text", max_tokens: 100, messages } },
  { way: "translated", path: "chat/completions", body: { model: "text", max_tokens: 100, messages } },
];
const COST = 100 * 3_000 + 10 * 15_000;

describe.each(WAYS)("a request that asks for nothing, $way,", (way) => {
  const region = { dimension: "region", name: "us", from: "upstream", factor: "1.1" };

  it("is charged in the upstream's region where the response names none, and held for that", async () => {
    told = {};
    const [there, here] = [await charged(declared, way), await charged(plain, way)];
    expect(here).toMatchObject({ nanos: COST, served: undefined });
    expect(there).toMatchObject({ nanos: Math.round(COST * 1.1), served: [region] });
    // Twice for the tier that may come unasked.
    expect(there.hold / here.hold).toBeCloseTo(2.2, 6);
  });

  it("is charged in the region that the response names, be it the plain one", async () => {
    told = { inference_geo: "eu" };
    expect(await charged(declared, way)).toMatchObject({
      nanos: Math.round(COST * 0.9),
      served: [{ dimension: "region", name: "eu", from: "response", factor: "0.9" }],
    });
    told = { inference_geo: "global" };
    expect(await charged(declared, way)).toMatchObject({ nanos: COST, served: undefined });
  });

  it("is charged in the tier that came unasked", async () => {
    told = { service_tier: "priority" };
    expect(await charged(declared, way)).toMatchObject({
      nanos: Math.round(COST * 2.2),
      served: [{ dimension: "tier", name: "priority", from: "response", factor: "2" }, region],
    });
  });
});

/** Of each dimension its field in a request and in a response, plain service, and what the upstream declares for the charge. */
const DIMENSIONS = [
  {
    dimension: "tier",
    field: "service_tier",
    told: "service_tier",
    plain: "standard_only",
    other: "priority",
  },
  { dimension: "speed", field: "speed", told: "speed", plain: "standard", other: "fast" },
  {
    dimension: "region",
    field: "inference_geo",
    told: "inference_geo",
    plain: "global",
    other: "eu",
    upstream: "us",
  },
] as const;
const FACTORS: Readonly<Record<string, number>> = { priority: 2, fast: 6, eu: 0.9, us: 1.1 };
const PLACES = DIMENSIONS.flatMap((row) =>
  [undefined, row.plain, row.other].flatMap((inRequest) =>
    [undefined, row.plain, row.other].map((inAnswer) => ({ ...row, inRequest, inAnswer })),
  ),
);

describe("the answer's word counts before the request's, and that before the upstream's:", () => {
  it.each(PLACES)("$dimension asked as $inRequest and told as $inAnswer", async (row) => {
    const { dimension, field, inRequest, inAnswer, plain: plainWord } = row;
    told = inAnswer === undefined ? {} : { [row.told]: inAnswer };
    const request = { ...WAYS[0]?.body, [field]: inRequest };
    const { nanos, served = [] } = await charged(declared, { path: "messages", body: request });
    const word = inAnswer ?? inRequest ?? ("upstream" in row ? row.upstream : undefined);
    const name = word === plainWord ? undefined : word;
    // What the others are is the upstream's region alone.
    const beside = dimension === "region" ? 1 : 1.1;
    expect(nanos).toBe(Math.round(COST * beside * (FACTORS[name ?? ""] ?? 1)));
    const found = (served as { dimension: string; name: string; from: string }[]).find(
      (term) => term.dimension === dimension,
    );
    const from = inAnswer !== undefined ? "response" : inRequest !== undefined ? "asked" : "upstream";
    expect(found && { name: found.name, from: found.from }).toEqual(name && { name, from });
  });
});

it("is declared by the file and by hand, refused where it means plain service, and exported", async () => {
  const operator = await signIn(declared);
  const { data } = (await operator.get("/operator/upstreams")).body as { data: Upstream[] };
  const [upstream] = data;
  expect(upstream).toMatchObject({ unasked_tiers: ["priority"], region: "US" });
  const { kind, base_url, models, protocols } = upstream ?? { kind: "" };
  const terms = { kind, base_url, models, protocols };
  const put = (changes: object) =>
    operator.put(`/operator/upstreams/${upstream?.id}`, { ...terms, ...changes });
  expect((await put({ unasked_tiers: ["default"] })).body.error.param).toBe("unasked_tiers[0]");
  expect((await put({ region: "us east" })).body.error.param).toBe("region");
  expect((await put({ region: "global" })).body.error.param).toBe("region");
  expect((await put({ unasked_tiers: ["flex", "priority"], region: "eu" })).body).toMatchObject({
    unasked_tiers: ["flex", "priority"],
    region: "eu",
  });
  const { stdout } = await declared.run("export");
  expect(stdout).toContain("unasked_tiers: [flex, priority]\n    region: eu\n");
});

it("leaves books that agree", async () => {
  await cleanLedger(declared);
});

async function charged(
  gateway: TestGateway,
  { path, body }: { readonly path: string; readonly body: object },
) {
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  const url = `${gateway.url}/v1/${path}`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  const place = `${gateway.url}/v1/receipts/${response.headers.get("x-request-id")}`;
  const receipt = (await (await fetch(place, { headers })).json()) as Record<string, unknown>;
  expect(receipt["unpriced"]).toBeUndefined();
  expect(Number(receipt["charge_usd"])).toBeLessThanOrEqual(Number(receipt["hold_usd"]));
  return {
    nanos: Number(receipt["charge_nanos"]),
    hold: Number(receipt["hold_usd"]),
    served: receipt["served"],
  };
}
