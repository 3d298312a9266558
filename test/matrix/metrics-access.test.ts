// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";

/** What /metrics says of money, models and upstreams is for monitors: on this machine, or with the token. */

const TOKEN = "canary-metrics-token-Zm9ydHk";
const CATALOG = `version: 1
models: []
settings: { metrics_token: "\${METRICS_TOKEN}" }
accounts: [{ name: acme, balance: 1, keys: [{ name: main, key: ${TEST_KEY} }] }]
`;

let gateway: TestGateway;
let admin: SignedIn;
beforeAll(async () => {
  gateway = await startGateway({
    catalog: CATALOG,
    env: { HOST: "0.0.0.0", METRICS_TOKEN: TOKEN, FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  admin = await signIn({ url: here() });
});
afterAll(() => gateway?.clean());

const here = (): string => `http://127.0.0.1:${new URL(gateway.url).port}`;

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Asks at an address of this machine, as whatever client. */
function get(
  headers: Record<string, string> = {},
  { host = "127.0.0.1", path = "/metrics", method = "GET" } = {},
) {
  return new Promise<Reply>((resolve, reject) => {
    const { port } = new URL(gateway.url);
    const sent = request({ host, port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    sent.on("error", reject).end();
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("/metrics on the public port", () => {
  it("answers who asks on this machine", async () => {
    const { port } = new URL(gateway.url);
    expect(await get(bearer(TEST_KEY))).toMatchObject({ status: 200 });
    for (const host of [`127.0.0.1:${port}`, "localhost", "localhost:1", "[::1]:9"])
      expect(await get({ host }), host).toMatchObject({
        status: 200,
        text: expect.stringContaining("faregate_requests_running 0"),
      });
    expect(await get({}, { method: "HEAD" })).toMatchObject({ status: 200 });
    expect(await get({}, { host: "127.8.7.6" })).toMatchObject({ status: 200 });
  });

  it.each<Record<string, string>>([
    { "x-forwarded-for": "203.0.113.9" },
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-for": "" },
    { "X-Forwarded-Proto": "https" },
    { "x-forwarded-host": "ai.example.com" },
    { forwarded: "for=127.0.0.1" },
    { "x-real-ip": "127.0.0.1" },
    { via: "1.1 proxy" },
    { "cf-connecting-ip": "203.0.113.9" },
    { "true-client-ip": "203.0.113.9" },
    { host: "ai.example.com" },
    { host: "localhost.example.com" },
    { host: "127.0.0.1.example.com" },
    { origin: "http://page.example" },
    { "sec-fetch-site": "cross-site" },
  ])("is nowhere for who comes through a proxy or a page of another site: %j", async (headers) => {
    for (const path of ["/metrics", "//metrics", "/metrics/", "/%6detrics", "/metrics?x=1"]) {
      const response = await get(headers, { path });
      expect([response.status, response.text.includes("faregate_")], path).toEqual([404, false]);
    }
  });

  it("is nowhere for other machines", async () => {
    const outward = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === "IPv4" && !each.internal)?.address;
    expect(outward, "an address of this machine that is none of its own loop").toBeDefined();
    expect(await get({}, { host: outward })).toMatchObject({ status: 404 });
    expect(await get(bearer(TOKEN), { host: outward })).toMatchObject({ status: 200 });
  });

  it("answers the token from wherever, and nothing that is near it", async () => {
    const away = { "x-forwarded-for": "203.0.113.9" };
    expect(await get({ ...away, ...bearer(TOKEN) })).toMatchObject({ status: 200 });
    for (const authorization of [`bearer ${TOKEN}`, TOKEN])
      expect(await get({ ...away, authorization }), authorization).toMatchObject({ status: 200 });
    const settings = (await admin.get("/operator/settings")).body;
    const near = [
      ...["", " ", TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase(), "undefined", "null", TEST_KEY],
      ...["${METRICS_TOKEN}", String(settings.overrides.metrics_token)],
    ];
    for (const token of near)
      expect(await get({ ...away, ...bearer(token) }), token).toMatchObject({ status: 404 });
    expect(await get({ ...away, authorization: `Basic ${TOKEN}` })).toMatchObject({ status: 404 });
    expect(await get(away, { path: `/metrics?token=${TOKEN}` })).toMatchObject({ status: 404 });
  });

  it("lets no page of another origin read the answer", async () => {
    const response = await get({ ...bearer(TOKEN), origin: "http://page.example" });
    expect(response.status).toBe(200);
    expect(response.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("settings.metrics_token", () => {
  it("is in no export, answer, log or dump, and an export changes nothing when it is applied", async () => {
    const exported = await gateway.run("export");
    expect(exported.stdout).toContain("metrics_token: ${METRICS_TOKEN}");
    expect(exported.stdout).toMatch(/^# {3}METRICS_TOKEN: /m);
    const read = await admin.get("/operator/settings");
    const rows = await gateway.database?.database.query("select t::text from settings t");
    for (const text of [exported.stdout, JSON.stringify(read.body), gateway.output(), JSON.stringify(rows)])
      expect(text).not.toContain(TOKEN);
    const plan = await admin.post("/operator/catalog/plan", { text: exported.stdout });
    expect(plan).toMatchObject({ status: 200, body: { changes: [] } });
  });

  it("is kept by who writes back what was read, and replaced by who writes another", async () => {
    const away = { "x-forwarded-for": "203.0.113.9" };
    const before = (await admin.get("/operator/settings")).body.overrides;
    expect(await admin.put("/operator/settings", { overrides: before })).toMatchObject({ status: 200 });
    expect(await get({ ...away, ...bearer(TOKEN) })).toMatchObject({ status: 200 });
    const another = "another-metrics-token";
    const written = await admin.put("/operator/settings", {
      overrides: { ...before, metrics_token: another },
    });
    expect(written.status).toBe(200);
    expect(JSON.stringify(written.body)).not.toContain(another);
    expect(await get({ ...away, ...bearer(another) })).toMatchObject({ status: 200 });
    expect(await get({ ...away, ...bearer(TOKEN) })).toMatchObject({ status: 404 });
    for (const bad of ["short", "with a blank in it!", "ünïcode-metrics-token", 5, ""])
      expect(
        await admin.put("/operator/settings", { overrides: { metrics_token: bad } }),
        String(bad),
      ).toMatchObject({ status: 400 });
    const file = `version: 1\nsettings: { metrics_token: "${TOKEN}" }\n`;
    const plan = await admin.post("/operator/catalog/plan", { text: file });
    expect(JSON.stringify(plan.body)).toContain("metrics_token (changed)");
    expect(JSON.stringify(plan.body)).not.toContain(TOKEN);
    const log = await admin.get("/operator/audit?limit=50");
    for (const secret of [TOKEN, another]) expect(JSON.stringify(log.body)).not.toContain(secret);
  });
});
