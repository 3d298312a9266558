import { request as openRequest } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cutAt, cutPlaces, jsonText } from "../laws/json-bodies.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { report } from "../support/report.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

const RUNS = 150;

/** A vendor's name of a model that must be escaped to stand in JSON. */
const THEIRS = 'vendor/"model"\\é 😀';

/** What each endpoint asks for beside the model; the native one has no model in its body. */
const REQUIRED = {
  "/v1/chat/completions": '"messages" : [ {"role":"user","content":"Hi"} ]',
  "/v1/responses": '"input":"Hi"',
  "/v1/messages": '"max_tokens":100,\n"messages":[{"role":"user","content":"Hi"}]',
  "/v1/embeddings": '"input":["Hi"]',
  "/v1/rerank": '"query":"q","documents":["Hi"]',
  "/v1beta/models/ours:generateContent": '"contents":[{"parts":[{"text":"Hi"}]}]',
} as const;

/** Names that no endpoint lists, in odd spellings; the same one may come twice. */
const name = fc.constantFrom(
  "x",
  "x",
  "\\u0078",
  "é",
  "",
  "modell",
  "model_",
  "model ",
  "__proto__",
  "constructor",
);
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const member = fc
  .tuple(name, space, space, jsonText, space)
  .map(([key, before, after, value, end]) => `"${key}"${before}:${after}${value}${end}`);
const modelKey = fc.constantFrom('"model"', '"mod\\u0065l"', '"\\u006Dodel"');
const modelValue = fc.constantFrom('"ours"', '"\\u006furs"', '"o\\u0075r\\u0073"');

const law = fc.record({
  path: fc.constantFrom(...(Object.keys(REQUIRED) as (keyof typeof REQUIRED)[])),
  extra: fc.array(member, { maxLength: 5 }),
  place: fc.nat(6),
  modelKey,
  modelValue,
  colon: fc.tuple(space, space),
  margin: fc.tuple(space, space, space),
  cuts: cutPlaces,
});

describe("the forwarding law, over the wire", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    const limits = "context_tokens: 200000, max_output_tokens: 32000";
    gateway = await startGateway({
      catalog: `version: 1
models:
  - { id: ours, ${limits}, price: { input: 3, output: 15 }, endpoints: [oa, oa-response, an, ge, embeddings, vendorz-rerank] }
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${vendor.url}", models: { ours: ${JSON.stringify(THEIRS)} } }
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it("lets the upstream receive the caller's own bytes with nothing but the model's value replaced", async () => {
    const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 2 ** 31);
    report(`forwarding law: seed ${seed}`);
    await fc.assert(
      fc.asyncProperty(law, async ({ path, extra, place, margin, colon, cuts, ...model }) => {
        const native = path.startsWith("/v1beta");
        const members = [REQUIRED[path], ...extra];
        const [before, after, end] = margin;
        const at = place % (members.length + 1);
        const spelled = `${model.modelKey}${colon[0]}:${colon[1]}`;
        const write = (value: string): Buffer => {
          const all = native ? members : members.toSpliced(at, 0, spelled + value);
          return Buffer.from(`${before}{${after}${all.join(",")}}${end}`);
        };
        const seen = vendor.calls.length;
        const status = await post(`${gateway.url}${path}`, cutAt(write(model.modelValue), cuts));
        expect(status).toBe(200);
        expect(vendor.calls.length - seen).toBe(1);
        expect(vendor.calls.at(-1)?.body.toString()).toBe(write(JSON.stringify(THEIRS)).toString());
      }),
      { numRuns: RUNS, seed },
    );
  });
});

/** Posts in these very chunks, each a write of its own. */
function post(url: string, chunks: readonly Buffer[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = openRequest(
      url,
      { method: "POST", headers: { authorization: `Bearer ${TEST_KEY}` } },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    request.on("error", reject);
    request.setNoDelay(true);
    const writeFrom = (index: number): void => {
      const chunk = chunks[index];
      if (chunk === undefined) request.end();
      else if (chunk.length === 0) writeFrom(index + 1);
      else request.write(chunk, () => setImmediate(() => writeFrom(index + 1)));
    };
    writeFrom(0);
  });
}
