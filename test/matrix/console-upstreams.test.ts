// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what catalog files hold.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Model, Models, PriceHistory } from "../../src/console/catalog/contract.ts";
import type { Route } from "../../src/console/routing/contract.ts";
import type { SettingsResponse } from "../../src/console/settings/contract.ts";
import type { Traffic } from "../../src/console/traffic/contract.ts";
import type { Upstream, UpstreamReport } from "../../src/console/upstreams/contract.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

const CANARIES = ["file-canary-1234567890", "page-canary-1234567890", "rotated-canary-1234567890"] as const;
const [FILE_KEY, PAGE_KEY, ROTATED_KEY] = CANARIES;

let first: VendorUpstream;
let second: VendorUpstream;
let brokenSecond = false;
let gateway: TestGateway;
let operator: SignedIn;

beforeAll(async () => {
  first = await vendorUpstream();
  second = await vendorUpstream((call) => {
    if (brokenSecond) call.response.writeHead(500, { "content-type": "application/json" }).end("{}");
    else if (call.request.method === "GET") {
      const takesKey = call.request.headers.authorization === `Bearer ${PAGE_KEY}`;
      call.response.writeHead(takesKey ? 200 : 401, { "content-type": "application/json" }).end("{}");
    } else serveWell(call);
  });
  gateway = await startGateway({
    catalog: catalogFile({
      upstreams: [{ url: first.url, name: "first", apiKeys: [FILE_KEY], priority: 5 }],
      settings: "{ usage_retention_days: 60 }",
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, UNUSED_CANARY: "environment-canary-123" },
  });
  operator = await signIn(gateway);
});

afterAll(async () => {
  await gateway?.clean();
  await first?.close();
  await second?.close();
});

let calls = 0;

/** Each is a conversation of its own. */
async function call(model = "text"): Promise<{ status: number; requestId: string }> {
  calls += 1;
  const response = await request(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: `hello ${calls}` }], max_tokens: 50 }),
  });
  await response.body.dump();
  return { status: response.statusCode, requestId: String(response.headers["x-request-id"]) };
}

async function created(): Promise<Upstream> {
  const { data } = (await operator.get("/operator/upstreams")).body as { data: Upstream[] };
  const found = data.find(({ name }) => name === "second");
  if (found === undefined) throw new Error("not created");
  return found;
}

describe("an upstream made in the console", () => {
  it("serves as soon as it is created, by its priority", async () => {
    const response = await operator.post("/operator/upstreams", {
      name: "second",
      kind: "openai",
      base_url: `${second.url}/v1`,
      models: { text: "theirs" },
      priority: 1,
      api_keys: [PAGE_KEY],
    });
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    expect(await call()).toMatchObject({ status: 200 });
    expect(second.calls.at(-1)).toMatchObject({ model: "theirs" });
    expect(second.calls.at(-1)?.request.headers.authorization).toBe(`Bearer ${PAGE_KEY}`);
  });

  it("is refused by the rules of the catalog file, which name the field", async () => {
    const wrong = {
      name: "third",
      kind: "openai",
      base_url: "https://v.example",
      models: {},
      api_keys: ["k"],
    };
    const cases = [
      [{ ...wrong, models: { nothing: "x" } }, "models.nothing"],
      [{ ...wrong, api_keys: [] }, "api_keys"],
      [{ ...wrong, kind: "none-such" }, "kind"],
      [{ ...wrong, groups: ["nobody"] }, "groups[0]"],
      [{ ...wrong, weight: 0 }, "weight"],
      [{ ...wrong, name: "second" }, "name"],
    ] as const;
    for (const [body, param] of cases) {
      const { status, body: response } = await operator.post("/operator/upstreams", body);
      expect([400, 409], JSON.stringify(response)).toContain(status);
      expect(response.error.param, JSON.stringify(response)).toMatch(param.replace("api_keys", "api_key"));
    }
  });

  it("is tested with one click, and says what is wrong with a credential", async () => {
    const { id, credentials } = await created();
    const path = `/operator/upstreams/${id}/credentials`;
    const good = await operator.post(`${path}/${credentials[0]?.id}/test`);
    expect(good.body).toMatchObject({ ok: true, latency_ms: expect.any(Number) });
    const added = await operator.post(path, { secret: "wrong-key-for-tests", name: "spare" });
    expect(added.status).toBe(201);
    const spare = (added.body as Upstream).credentials.find(({ name }) => name === "spare");
    const bad = await operator.post(`${path}/${spare?.id}/test`);
    expect(bad.body).toMatchObject({ ok: false, message: expect.stringMatching(/refuses the key/) });
    expect((await operator.del(`${path}/${spare?.id}`)).body.credentials).toHaveLength(1);
    expect((await operator.del(`${path}/${credentials[0]?.id}`)).status).toBe(400);
  });

  it("does not send its stored credential to another server", async () => {
    const { id, kind, models } = await created();
    const moved = { kind, models, base_url: "http://127.0.0.1:1/v1" };
    const response = await operator.put(`/operator/upstreams/${id}`, moved);
    expect(response).toMatchObject({ status: 400, body: { error: { param: "api_keys" } } });
  });

  it("fails over when it breaks, is shown as ill, and is shown on the route with the reason", async () => {
    brokenSecond = true;
    for (let round = 0; round < 6; round += 1) expect(await call()).toMatchObject({ status: 200 });
    const { health, credentials } = await created();
    // One account's failures close it to that account alone.
    expect(health).toMatchObject({ state: "failing", open_breakers: 0, attempts: { failed: 5 } });
    expect(credentials[0]?.troubles[0]).toMatchObject({ model: "theirs", closed_accounts: 1 });
    const route = (await operator.get("/operator/routing?model=text&endpoint=chat-completions"))
      .body as Route;
    expect(
      route.targets.map(({ upstream, credentials: keys }) => [upstream.name, keys[0]?.closed_accounts]),
    ).toEqual([
      ["second", 1],
      ["first", 0],
    ]);
    brokenSecond = false;
  });

  it("gets nothing new while it is disabled", async () => {
    const { id } = await created();
    const disabled = await operator.put(`/operator/upstreams/${id}/state`, { enabled: false });
    expect(disabled.body).toMatchObject({ enabled: false, health: { state: "disabled" } });
    const before = second.calls.length;
    expect(await call()).toMatchObject({ status: 200 });
    expect(second.calls.length).toBe(before);
    await operator.put(`/operator/upstreams/${id}/state`, { enabled: true });
  });

  it("keeps a credential's place when its secret is replaced", async () => {
    const { id, credentials } = await created();
    const path = `/operator/upstreams/${id}/credentials/${credentials[0]?.id}`;
    const replaced = (await operator.patch(path, { secret: ROTATED_KEY })).body as Upstream;
    expect(replaced.credentials.map((each) => each.id)).toEqual(credentials.map((each) => each.id));
    expect(replaced.credentials[0]?.hint).toBe("…7890");
    expect((await operator.post(`${path}/test`)).body).toMatchObject({ ok: false });
  });

  it("is reported by day with its failures", async () => {
    const { id } = await created();
    const report = (await operator.get(`/operator/upstreams/${id}/report?days=7`)).body as UpstreamReport;
    expect(report.days.at(-1)?.requests).toBeGreaterThan(0);
  });
});

describe("the catalog in the console", () => {
  it("adds a row to the price book for another price and leaves what was charged", async () => {
    const before = ((await operator.get("/operator/models")).body as Models).data.find(
      ({ id }) => id === "text",
    );
    if (before === undefined) throw new Error("no model");
    expect(before.price).toMatchObject({ input: "3", output: "15", cache_read: "0.3" });
    const { requestId } = await call();
    const receipt = async () => {
      const headers = { authorization: `Bearer ${TEST_KEY}` };
      const { body } = await request(`${gateway.url}/v1/receipts/${requestId}`, { headers });
      const { state, ...charged } = (await body.json()) as Record<string, unknown>;
      return state === "posted" && charged;
    };
    const frozen = await waitFor("the receipt to be final", receipt);
    expect(frozen).toHaveProperty("charge_nanos");
    const { id: _, price_since: _since, upstreams: _upstreams, callable_in: _groups, ...read } = before;
    const { revision: _revision, ...terms } = read;
    const price = { ...before.price, input: "3.000000001" };
    const response = await operator.put("/operator/models/text", { ...terms, price });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect((response.body as Model).price?.input).toBe("3.000000001");
    const { data } = (await operator.get("/operator/models/text/prices")).body as PriceHistory;
    expect(data.map((row) => [row.price.input, row.in_force])).toEqual([
      ["3.000000001", true],
      ["3", false],
    ]);
    expect(await receipt()).toEqual(frozen);
  });

  it("creates and removes a model whose id has a slash", async () => {
    const model = { id: "vendor/odd:name", context_tokens: 1000, max_output_tokens: 100 };
    expect((await operator.post("/operator/models", model)).body.error.param).toBe("price");
    const priced = { ...model, price: { input: "1", output: "2" } };
    expect((await operator.post("/operator/models", priced)).status).toBe(201);
    expect((await operator.post("/operator/models", priced)).status).toBe(409);
    const path = `/operator/models/${encodeURIComponent(model.id)}`;
    expect((await operator.del(path)).body).toEqual({ removed: true });
    expect((await operator.del(path)).status).toBe(404);
  });

  it("compares a file as the command line does, and shows every problem by its line", async () => {
    const exported = (await operator.get("/operator/catalog/file")).body as string;
    const text = exported
      .replace("owned_by", "owned_by")
      .replace("usage_retention_days: 60", "usage_retention_days: 45");
    const readable = text
      .replace(/api_key: \$\{UPSTREAM_FIRST_API_KEY\}/, `api_key: ${FILE_KEY}`)
      .replace(/api_key: \$\{UPSTREAM_SECOND_API_KEY\}/, `api_key: ${ROTATED_KEY}`)
      .replace(/key: \$\{KEY_ACME_TEST\}/, `key: ${TEST_KEY}`);
    expect(readable).not.toContain(": ${");
    const file = join(gateway.dataDir, "import.yaml");
    await writeFile(file, readable);
    const cli = await gateway.run("apply", file, "--dry-run");
    expect(cli.code, cli.stderr).toBe(0);
    for (const each of [text, readable]) {
      const plan = await operator.post("/operator/catalog/plan", { text: each });
      expect(plan.body.problems).toEqual([]);
      expect(`${plan.body.rendered}\nDry run: nothing was changed.\n`).toBe(cli.stdout);
    }
    const broken = await operator.post("/operator/catalog/plan", { text: text.replace("factor:", "facto:") });
    expect(broken.body).toMatchObject({
      ok: false,
      problems: [{ line: expect.any(Number), message: /factor/ }],
    });
  });

  it("applies the file that was looked at, and nothing once the catalog has changed since", async () => {
    const exported = (await operator.get("/operator/catalog/file")).body as string;
    const text = exported.replace("usage_retention_days: 60", "usage_retention_days: 45");
    const plan = (await operator.post("/operator/catalog/plan", { text })).body;
    const { version } = plan;
    expect((await operator.post("/operator/catalog/apply", { text, version })).status).toBe(200);
    expect((await operator.post("/operator/catalog/apply", { text, version })).status).toBe(409);
    expect(((await operator.get("/operator/settings")).body as SettingsResponse).overrides).toEqual({
      usage_retention_days: 45,
    });
  });

  it("knows public prices", async () => {
    const { data } = (await operator.get("/operator/known-prices?search=claude+sonnet+4.5+anthropic")).body;
    expect(data[0]).toMatchObject({
      vendor: "Anthropic",
      price: { input: "3", output: "15", cache_read: "0.3" },
    });
  });
});

describe("settings and traffic in the console", () => {
  it("judges settings by the rules of the file and says which hold", async () => {
    const wrong = await operator.put("/operator/settings", { overrides: { usage_retention_days: 0 } });
    expect(wrong).toMatchObject({ status: 400, body: { error: { param: "usage_retention_days" } } });
    const right = await operator.put("/operator/settings", { overrides: { task_retention_days: 31 } });
    const { fields, processes, database, environment } = right.body as SettingsResponse;
    expect(fields.find(({ name }) => name === "task_retention_days")).toMatchObject({
      effective: 31,
      default: 30,
      is_set: true,
      description: expect.stringContaining("days"),
    });
    expect(processes).toMatchObject([{ is_this: true }]);
    expect(database.kind).toBe("server");
    expect(environment).toContainEqual({ name: "FAREGATE_CONFIG", is_set: true });
  });

  it("shows the last seconds of the usage log of all processes", async () => {
    await call();
    const hour = await waitFor("the requests in the traffic", async () => {
      const { body } = await operator.get("/operator/traffic");
      const traffic = body as Traffic;
      return traffic.total.requests >= 10 ? traffic : undefined;
    });
    expect(hour.upstreams.map(({ name }) => name)).toContain("first");
    expect(hour.models[0]).toMatchObject({ name: "text", errors: 0 });
    expect(hour.slots).toHaveLength(60);
    expect(hour.slots.reduce((sum, { requests }) => sum + requests, 0)).toBe(hour.total.requests);
  });
});

describe("secrets", () => {
  it("stand in no answer of any operation of the operators", async () => {
    const { id } = await created();
    const paths = [
      ...["upstreams", `upstreams/${id}`, `upstreams/${id}/report`, "kinds", "models", "models/text/prices"],
      ...["catalog/file", "settings", "traffic", "audit?limit=200", "known-prices"],
      "routing?model=text&endpoint=chat-completions",
    ];
    for (const path of paths) {
      const response = await operator.get(`/operator/${path}`);
      expect(response.status, path).toBe(200);
      const text = JSON.stringify(response.body);
      for (const canary of [...CANARIES, "environment-canary-123", TEST_KEY])
        expect(text, path).not.toContain(canary);
    }
    expect(gateway.output()).not.toContain("canary");
  });
});
