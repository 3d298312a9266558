import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { rawAsk } from "../support/raw-ask.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { codeIn } from "../support/world.ts";

const LIMITS = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
const KEYS = {
  free: "free-key-0123456789abcdef",
  narrow: "narrow-key-0123456789abcdef",
  nothing: "nothing-key-0123456789abcdef",
  partner: "partner-key-0123456789abcdef",
} as const;
type KeyName = keyof typeof KEYS;

const MODELS = [
  ...[
    "open",
    "secret",
    "chat-only",
    "partners-only",
    "hidden",
    "unserved",
    "switched-off",
    "other-group-upstream",
  ],
  ...["embed", "rerank"],
] as const;

const ENDPOINTS = [
  { type: "oa", path: () => "/v1/chat/completions", body: { messages: [{ role: "user", content: "Hi" }] } },
  { type: "oa-response", path: () => "/v1/responses", body: { input: "Hi" } },
  {
    type: "an",
    path: () => "/v1/messages",
    body: { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  },
  {
    type: "ge",
    path: (model: string) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    body: { contents: [{ parts: [{ text: "Hi" }] }] },
  },
  { type: "embeddings", path: () => "/v1/embeddings", body: { input: "Hi" } },
  { type: "vendorz-rerank", path: () => "/v1/rerank", body: { query: "q", documents: ["Hi"] } },
] as const;

const CARRIERS = ["authorization", "x-api-key", "x-vendory-api-key", "x-goog-api-key", "?key"] as const;
type Carrier = (typeof CARRIERS)[number];

/** What each key may call, said here once more by hand. */
const MAY: Readonly<Record<KeyName, readonly string[]>> = {
  free: ["open", "secret", "chat-only", "embed", "rerank"],
  narrow: ["open", "embed"],
  nothing: [],
  partner: ["open", "secret", "chat-only", "partners-only", "other-group-upstream", "embed", "rerank"],
};

/** Other ways to spell a forbidden model: what the vendor calls it, another case, stray characters. */
const SPELLINGS = [
  ...[
    "secret",
    "SECRET",
    "Secret",
    " secret",
    "secret ",
    "secret\u0000",
    "secret\n",
    "vendor-secret",
    "models/secret",
  ],
  ...[
    "secret:latest",
    "secret/",
    "./secret",
    "open/../secret",
    "ｓecret",
    "secret\u200b",
    "open,secret",
    "open secret",
  ],
] as const;

describe("A3, the whitelist holds", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    const text = ["open", "partners-only", "hidden", "unserved", "switched-off", "other-group-upstream"];
    const here = ["open", "chat-only", "partners-only", "hidden", "embed", "rerank"];
    gateway = await startGateway({
      catalog: `version: 1
groups: [{ name: default, factor: 1 }, { name: partners, factor: 0.5 }]
models:
  - { id: open, ${LIMITS} }
  - { id: secret, ${LIMITS} }
  - { id: chat-only, endpoints: [oa], ${LIMITS} }
  - { id: partners-only, groups: [partners], ${LIMITS} }
  - { id: hidden, groups: [], ${LIMITS} }
${text
  .slice(3)
  .map((id) => `  - { id: ${id}, ${LIMITS} }`)
  .join("\n")}
  - { id: embed, endpoints: [embeddings], context_tokens: 9000, price: { input: 1 } }
  - { id: rerank, endpoints: [vendorz-rerank], context_tokens: 9000, price: { input: 1 } }
upstreams:
  - name: main
    kind: sandbox
    base_url: ${vendor.url}
    models: { ${here.map((id) => `${id}: ${id}`).join(", ")}, secret: vendor-secret }
  - { name: off, kind: sandbox, base_url: "${vendor.url}", models: [switched-off], disabled: true }
  - { name: theirs, kind: sandbox, base_url: "${vendor.url}", models: [other-group-upstream], groups: [partners] }
accounts:
  - name: acme
    balance: 100
    keys:
      - { name: free, key: ${KEYS.free} }
      - { name: narrow, key: ${KEYS.narrow}, models: [open, embed] }
      - { name: nothing, key: ${KEYS.nothing}, models: [] }
  - { name: partner, group: partners, balance: 100, keys: [{ name: partner, key: ${KEYS.partner} }] }
`,
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const ask = (
    method: string,
    path: string,
    key: KeyName,
    carrier: Carrier,
    body?: object,
    more: string[][] = [],
  ) =>
    rawAsk(
      gateway.url,
      method,
      carrier === "?key" ? `${path}?key=${KEYS[key]}` : path,
      [
        ...(more as [string, string][]),
        ...(carrier === "?key"
          ? []
          : [[carrier, carrier === "authorization" ? `Bearer ${KEYS[key]}` : KEYS[key]] as const]),
      ],
      body === undefined ? undefined : JSON.stringify(body),
    );

  /** Status, and whether anything reached the upstream. */
  const call = async (
    key: KeyName,
    carrier: Carrier,
    endpoint: (typeof ENDPOINTS)[number],
    model: string,
  ) => {
    const before = vendor.calls.length;
    const reply = await ask("POST", endpoint.path(model), key, carrier, { ...endpoint.body, model });
    return { ...reply, reached: vendor.calls.length - before };
  };

  const carriersOf = (path: string): Carrier[] =>
    CARRIERS.filter((carrier) => carrier !== "?key" || path.startsWith("/v1beta"));

  it.each(Object.keys(KEYS) as KeyName[])(
    "lists for the key %s what it may call, in every list",
    async (key) => {
      const records = (await ask("GET", "/v1/models", key, "authorization")).json;
      expect(records.data.map(({ id }: { id: string }) => id).sort()).toEqual([...MAY[key]].sort());
      const version = [["vendorx-version", "2023-06-01"]];
      const messages = (await ask("GET", "/v1/models", key, "x-api-key", undefined, version)).json;
      expect(messages.data.map(({ id }: { id: string }) => id).sort()).toEqual([...MAY[key]].sort());
      const native = (await ask("GET", "/v1beta/models", key, "?key")).json;
      expect(native.models.map(({ name }: { name: string }) => name.replace("models/", "")).sort()).toEqual(
        [...MAY[key]].sort(),
      );
      for (const id of MODELS) {
        const one = (await ask("GET", `/v1/models/${id}`, key, "authorization")).json;
        expect([id, one.error === undefined]).toEqual([id, MAY[key].includes(id)]);
        expect((await ask("GET", `/v1beta/models/${id}`, key, "?key")).status).toBe(
          MAY[key].includes(id) ? 200 : 404,
        );
      }
    },
  );

  it.each(Object.keys(KEYS) as KeyName[])(
    "lets the key %s call exactly what it lists, on exactly the listed endpoints, by every carrier",
    async (key) => {
      const { data } = (await ask("GET", "/v1/models", key, "authorization")).json;
      for (const endpoint of ENDPOINTS) {
        for (const model of MODELS) {
          const record = data.find(({ id }: { id: string }) => id === model);
          const listed = record?.supported_endpoint_types.includes(endpoint.type) === true;
          for (const carrier of carriersOf(endpoint.path(model))) {
            const { status, reached, json } = await call(key, carrier, endpoint, model);
            const expected = listed
              ? [200, undefined, 1]
              : record
                ? [400, "unsupported_endpoint", 0]
                : [404, "model_not_found", 0];
            expect([endpoint.type, model, carrier, status, codeIn(json), reached]).toEqual([
              ...[endpoint.type, model, carrier, ...expected],
            ]);
          }
        }
      }
    },
  );

  it("knows a model by its very id alone: no other spelling gets a narrow key past its list", async () => {
    for (const endpoint of ENDPOINTS.slice(0, 4)) {
      for (const spelling of SPELLINGS) {
        for (const carrier of carriersOf(endpoint.path(spelling))) {
          const { status, reached, text } = await call("narrow", carrier, endpoint, spelling);
          expect([endpoint.type, spelling, status, reached]).toEqual([endpoint.type, spelling, 404, 0]);
          expect(text).not.toContain("vendor-model");
        }
      }
    }
    const escaped = JSON.stringify({ ...ENDPOINTS[0].body, model: "HERE" }).replace("HERE", "\\u0073ecret");
    const headers = [["authorization", `Bearer ${KEYS.narrow}`]] as const;
    expect((await rawAsk(gateway.url, "POST", "/v1/chat/completions", headers, escaped)).status).toBe(404);
  });

  it("says the same of a forbidden model as of one that does not exist", async () => {
    for (const endpoint of ENDPOINTS) {
      const [forbidden, unknown] = await Promise.all(
        ["secret", "does-not-exist"].map(async (model) => {
          const { status, text, headers } = await call("narrow", "authorization", endpoint, model);
          const words = text.replaceAll(model, "ID").replaceAll(/req_\w+/g, "REQUEST");
          return { status, words, headers: Object.keys(headers).sort() };
        }),
      );
      expect(forbidden).toEqual(unknown);
    }
  });

  it("takes the model from the path alone on native endpoints", async () => {
    const { status, reached } = await (async () => {
      const before = vendor.calls.length;
      const body = { ...ENDPOINTS[3].body, model: "open" };
      const reply = await ask("POST", ENDPOINTS[3].path("secret"), "narrow", "authorization", body);
      return { ...reply, reached: vendor.calls.length - before };
    })();
    expect([status, reached]).toEqual([404, 0]);
  });
});
