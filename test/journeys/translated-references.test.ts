import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

const OTHER_KEY = "sk-other-0123456789abcdef";

/** A request with one image at an address, to a model whose upstream speaks another protocol. */
const REQUESTS: Readonly<
  Record<string, (address: string) => { readonly path: string; readonly body: object }>
> = {
  responses: (address) => ({
    path: "/v1/responses",
    body: {
      model: "chat",
      input: [{ role: "user", content: [{ type: "input_image", image_url: address }] }],
    },
  }),
  messages: (address) => ({
    path: "/v1/messages",
    body: {
      model: "chat",
      max_tokens: 10,
      messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url: address } }] }],
    },
  }),
  "generate-content": (address) => ({
    path: "/v1beta/models/chat:generateContent",
    body: {
      contents: [{ role: "user", parts: [{ fileData: { mimeType: "image/png", fileUri: address } }] }],
    },
  }),
  "chat-completions": (address) => ({
    path: "/v1/chat/completions",
    body: {
      model: "responses",
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: address } }] }],
    },
  }),
};

let vendor: VendorUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await vendorUpstream();
  const model = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
  const upstream = `kind: openai, base_url: "${vendor.url}/v1", api_key: upstream-key-of-ours`;
  gateway = await startGateway({
    catalog: `version: 1
models:
  - { id: chat, ${model}, quirks: { media_urls: [image] } }
  - { id: responses, ${model}, quirks: { media_urls: [image] } }
upstreams:
  - { name: chats, ${upstream}, protocols: [chat-completions], models: [chat] }
  - { name: answers, ${upstream}, protocols: [responses], models: [responses] }
accounts:
  - { name: acme, balance: 10, keys: [{ name: test, key: ${TEST_KEY} }] }
  - { name: other, balance: 10, keys: [{ name: test, key: ${OTHER_KEY} }] }
`,
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await vendor?.close();
});

async function ask(caller: string, address: string): Promise<Response> {
  const request = REQUESTS[caller]?.(address);
  return await fetch(`${gateway.url}${request?.path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}` },
    body: JSON.stringify(request?.body),
  });
}

const KEPT = [
  "gs://bucket/a.png",
  "s3://bucket/a.png",
  "file:///etc/passwd",
  "GS://bucket/a.png",
  "https://generativelanguage.googleapis.com/v1beta/files/abc",
  "https://generativelanguage.googleapis.com.:443/v1beta/files/abc",
];

it.each(Object.keys(REQUESTS))(
  "of %s to what a vendor keeps are refused when translated, as when forwarded",
  async (caller) => {
    for (const address of KEPT) {
      const before = vendor.calls.length;
      const response = await ask(caller, address);
      expect([response.status, address]).toEqual([400, address]);
      expect(await response.text()).toContain("invalid_request");
      expect(vendor.calls.length).toBe(before);
    }
  },
);

it.each(Object.keys(REQUESTS))("of %s to public pages are translated", async (caller) => {
  const response = await ask(caller, "https://images.example/a.png");
  expect(response.status, await response.text()).toBe(200);
  expect(vendor.calls.at(-1)?.body.toString()).toContain("https://images.example/a.png");
});
