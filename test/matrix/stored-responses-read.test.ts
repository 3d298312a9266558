import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { keyOf } from "../support/issuing-vendor.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask, KEYS } from "../support/world.ts";

/** A vendor that keeps responses by key, and tells of each call. */
describe("a stored response", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  let count = 0;
  const kept = new Map<string, string>();
  const large = new Map<string, { readonly output: readonly object[]; readonly error: object | null }>();
  beforeAll(async () => {
    vendor = await vendorUpstream((call) => {
      const { path, request, response } = call;
      const answer = (status: number, body: object): void => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      };
      if (path === "/v1/responses") {
        count += 1;
        const id = `resp_${count}`;
        kept.set(id, keyOf(call));
        const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
        const output = [
          { type: "message", id: `msg_${count}`, role: "assistant", status: "completed", content: [] },
        ];
        return answer(200, {
          id,
          object: "response",
          created_at: 1,
          status: "completed",
          model: "m",
          output,
          usage,
        });
      }
      const [, id = "", below = ""] = /^\/v1\/responses\/([^/?]+)(\/\w+)?/.exec(path) ?? [];
      if (kept.get(id) !== keyOf(call)) return answer(404, { error: { message: "No such response" } });
      if (request.method === "DELETE") {
        kept.delete(id);
        return answer(200, { id, object: "response", deleted: true });
      }
      if (below === "/cancel")
        return answer(400, {
          error: { message: "Only background responses", type: "invalid_request_error" },
        });
      if (below === "/input_items") {
        const data = [{ id: "msg_0", type: "message", role: "user", content: [] }];
        return answer(200, { object: "list", data, first_id: "msg_0", last_id: "msg_0", has_more: false });
      }
      const { output, error } = large.get(id) ?? { output: [], error: null };
      answer(200, { id, object: "response", created_at: 1, status: "completed", model: "m", output, error });
    });
    const price = "price: { input: 3, output: 15 }";
    gateway = await startGateway({
      catalog: `version: 1
groups: [{ name: default, factor: 1 }]
models: [{ id: m, context_tokens: 200000, max_output_tokens: 32000, ${price} }]
upstreams:
  - { name: o, kind: openai, base_url: "${vendor.url}/v1", api_keys: [key-1, key-2, key-3], models: [m] }
accounts:
  - { name: acme, group: default, balance: 10, keys: [{ name: main, key: ${KEYS.main} }, { name: slow, key: ${KEYS.slow}, rate_limits: { requests_per_minute: 1 } }] }
  - { name: other, group: default, balance: 10, keys: [{ name: other, key: ${KEYS.partner} }] }
`,
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await vendor.close();
  });
  beforeEach(() => {
    vendor.calls.length = 0;
  });

  const client = (apiKey: string = KEYS.main): OpenAI =>
    new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const made = async (): Promise<string> => (await client().responses.create({ model: "m", input: "Hi" })).id;

  it("is read, listed and deleted where it is kept, with the credential that made it", async () => {
    for (let times = 0; times < 5; times += 1) {
      const id = await made();
      expect(
        await client().responses.retrieve(id, { include: ["message.output_text.logprobs"] }),
      ).toMatchObject({ id });
      const items = await client().responses.inputItems.list(id, { limit: 5, order: "asc" });
      expect(items.data).toHaveLength(1);
      const asked = vendor.calls.map(({ path }) => path);
      expect(asked.at(-2)).toMatch(/\?include/);
      expect(asked.at(-1)).toBe(`/v1/responses/${id}/input_items?limit=5&order=asc`);
      await client().responses.delete(id);
      expect(kept.has(id)).toBe(false);
      await expect(client().responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    }
  });

  it("is read whole however large it is, pictures and all", async () => {
    const image = (megabytes: number): object => ({
      type: "image_generation_call",
      id: "ig_1",
      result: "A".repeat(megabytes * 1024 * 1024),
    });
    for (const [megabytes, error] of [
      [9, null],
      [5, { code: "server_error", message: "It broke at key-1." }],
    ] as const) {
      const id = await made();
      const output = [image(megabytes)];
      large.set(id, { output, error });
      const { status, json, text } = await ask(gateway.url, `/v1/responses/${id}`);
      expect(status, text.slice(0, 200)).toBe(200);
      expect(json).toMatchObject({ id, status: "completed" });
      expect(json.output[0].result.length).toBe(megabytes * 1024 * 1024);
      expect(json.error === null).toBe(error === null);
      expect(text).not.toContain("key-1");
    }
    const held = await waitFor("nothing held", async () => {
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      return /response_memory_bytes 0$/m.test(metrics) ? "released" : undefined;
    });
    expect(held).toBe("released");
  });

  it("passes the vendor's word on what cannot be done", async () => {
    const error = await client()
      .responses.cancel(await made())
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(String(error)).toContain("Only background responses");
  });

  it("is nobody else's, in the same words as one that there never was", async () => {
    const id = await made();
    vendor.calls.length = 0;
    for (const [method, below] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/input_items"],
      ["POST", "/cancel"],
    ] as const) {
      const told = async (which: string, key: string): Promise<string> => {
        const reply = await ask(gateway.url, `/v1/responses/${which}${below}`, undefined, { method, key });
        expect(reply.status).toBe(404);
        return reply.json.error.message.replace(which, "").replace(/\(request id.*/, "");
      };
      expect(await told(id, KEYS.partner)).toBe(await told("resp_none", KEYS.main));
      const { status } = await ask(gateway.url, `/v1/responses/${id}${below}`, undefined, {
        method,
        key: KEYS.invalid,
      });
      expect(status).toBe(401);
    }
    for (const odd of ["%2e%2e", "..%2Fmodels", "%00", "x".repeat(3_000)]) {
      const { status } = await ask(gateway.url, `/v1/responses/${odd}`);
      expect([400, 404]).toContain(status);
    }
    expect(vendor.calls).toEqual([]);
    expect(await client().responses.retrieve(id)).toMatchObject({ id });
  });

  it("is read within the rate of the key, and not as a stream", async () => {
    const id = await made();
    expect((await ask(gateway.url, `/v1/responses/${id}`, undefined, { key: KEYS.slow })).status).toBe(200);
    expect((await ask(gateway.url, `/v1/responses/${id}`, undefined, { key: KEYS.slow })).status).toBe(429);
    const { status, json } = await ask(gateway.url, `/v1/responses/${id}?stream=true`);
    expect([status, json.error.param]).toEqual([400, "stream"]);
  });
});
