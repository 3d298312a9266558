import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { rawAsk } from "../support/raw-ask.ts";
import { TEXT_PROTOCOLS, wireForm } from "../support/text-caller.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

/** Names that would leave their place if anything took them for a path. */
const ODD = [
  "../admin",
  "../../../etc/passwd",
  "..%2f..%2fadmin",
  "%2e%2e/admin",
  "a/../../b",
  "..",
  ".",
  "text%00",
  "text\u0000",
  "text%0d%0aHost: evil",
  "text?alt=sse&key=x",
  "text#fragment",
  "text\\..\\admin",
  "//evil.example/v1",
  "http://evil.example/",
  "text:generateContent",
  ":generateContent",
  "text;a=b",
  "%",
  "%zz",
  "\ud800",
  "é😀",
  "a".repeat(10_240),
  "%41".repeat(3_000),
];

/** What a catalog can name that is still a name for an upstream; dots alone cannot stand in a path at all. */
const MAPPED = [
  "../../admin",
  "a/b?c#d",
  "100%",
  "x y",
  "é/😀",
  "a:b",
  "//evil.example",
  "..%2f..",
  "..",
  ".",
];

describe("B5, ids and paths", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    const limits = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
    const models = Object.fromEntries(MAPPED.map((name, index) => [`odd-${index}`, name]));
    gateway = await startGateway({
      catalog: `version: 1
models:
${Object.keys(models)
  .map((id) => `  - { id: ${id}, ${limits} }`)
  .join("\n")}
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${vendor.url}/prefix", models: ${JSON.stringify(models)} }
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

  const headers = [["authorization", `Bearer ${TEST_KEY}`]] as const;

  it("sends nothing upstream for an id that no catalog has, in a body or a path", async () => {
    for (const model of ODD) {
      for (const protocol of TEXT_PROTOCOLS) {
        const { path, body } = wireForm({ protocol, model: encoded(model), prompt: "Hello" });
        const named = "model" in body ? { ...body, model } : body;
        for (const target of targetsOf(path, model)) {
          const reply = await rawAsk(gateway.url, "POST", target, headers, JSON.stringify(named));
          expect([model.slice(0, 40), target.slice(0, 60), reply.status]).toEqual([
            ...[
              model.slice(0, 40),
              target.slice(0, 60),
              expect.toSatisfy((status) => status >= 400 && status < 500),
            ],
          ]);
        }
      }
      for (const list of ["/v1/models/", "/v1beta/models/"]) {
        for (const target of targetsOf(`${list}${encoded(model)}`, model)) {
          const reply = await rawAsk(gateway.url, "GET", target, headers);
          expect(reply.status).toBeLessThan(500);
        }
      }
    }
    expect(vendor.calls).toEqual([]);
  });

  it("keeps whatever an upstream calls a model one segment below its own prefix", async () => {
    for (const [index, theirs] of MAPPED.entries()) {
      const before = vendor.calls.length;
      const { path, body } = wireForm({
        protocol: "generate-content",
        model: `odd-${index}`,
        prompt: "Hello",
      });
      const reply = await rawAsk(gateway.url, "POST", path, headers, JSON.stringify(body));
      if (/^\.+$/.test(theirs)) {
        expect([theirs, reply.status, vendor.calls.length - before]).toEqual([theirs, 502, 0]);
        continue;
      }
      expect([theirs, reply.status]).toEqual([theirs, 200]);
      const segment = encodeURIComponent(theirs);
      expect(vendor.calls.at(-1)?.path).toBe(`/prefix/v1beta/models/${segment}:generateContent`);
    }
  });
});

/** The path with the id encoded, and as it is where a request line can hold it. */
function targetsOf(path: string, model: string): string[] {
  const plain = path.replace(encoded(model), () => model);
  return /^[\x21-\x7e]+$/.test(plain) ? [path, plain] : [path];
}

/** Half a character has no encoding. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd"));
}
