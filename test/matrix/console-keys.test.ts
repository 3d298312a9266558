import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseUsd } from "../../src/base/money.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";
import { ask, type Reply } from "../support/world.ts";

let sandbox: TestSandbox;
let gateway: TestGateway;
let operator: SignedIn;
let owner: SignedIn;
let member: SignedIn;
let viewer: SignedIn;
let alpha = "";
let beta = "";

beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await startGateway({
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    catalog: `version: 1
models:
  - { id: small, endpoints: [oa, an], context_tokens: 100000, max_output_tokens: 1000, price: { input: 3, output: 15 } }
  - { id: other, endpoints: [oa, an], context_tokens: 100000, max_output_tokens: 1000, price: { input: 3, output: 15 } }
upstreams:
  - { name: sandbox, kind: sandbox, base_url: "${sandbox.url}", models: [small, other] }
accounts: [{ name: alpha, balance: 10, keys: [{ name: filed, key: ${TEST_KEY} }] }, { name: beta, balance: 10 }]
`,
  });
  operator = await signIn(gateway);
  [alpha = "", beta = ""] = operator.session.accounts.map(({ id }) => id);
  const guest = (email: string, id: string, role: "owner" | "member" | "viewer") =>
    inviteGuest(gateway, operator, { email, account: { id, role } });
  owner = await guest("owner@example.test", alpha, "owner");
  member = await guest("member@example.test", alpha, "member");
  viewer = await guest("viewer@example.test", alpha, "viewer");
});
afterAll(async () => {
  await gateway?.clean();
  await sandbox?.stop();
});

const keys = (account = alpha): string => `/accounts/${account}/keys`;

function chat(key: string, model = "small", words = "hello"): Promise<Reply> {
  const body = { model, max_tokens: 20, messages: [{ role: "user", content: words }] };
  return ask(gateway.url, "/v1/chat/completions", body, { key });
}

async function makeKey(who: SignedIn, body: object): Promise<{ id: string; secret: string }> {
  const { status, body: made } = await who.post(keys(), body);
  if (status !== 201) throw new Error(`no key: ${JSON.stringify(made)}`);
  return { id: made.key.id, secret: made.secret };
}

const refused = (reply: Reply): boolean => reply.status === 401;

describe("keys in the console", () => {
  it("work as they were told, and their secret is in the answer of their making only", async () => {
    const { id, secret } = await makeKey(member, {
      name: "=formula",
      models: ["small"],
      expires_at: "2100-01-01T00:00:00Z",
      spending_limit: { amount_nanos: "5000000000", period: "month" },
      rate_limits: { requests_per_minute: 100 },
    });
    expect((await chat(secret)).status).toBe(200);
    expect((await chat(secret, "other")).status).toBe(404);
    const listed = await waitFor("the request in the key's sums", async () => {
      const { body } = await viewer.get(`${keys()}/${id}`);
      return body.spent_total_nanos === "0" ? undefined : body;
    });
    expect(listed).toMatchObject({
      name: "=formula",
      state: "active",
      models: ["small"],
      requests_last_hour: 1,
      may_change: false,
      rate_limits: { requests_per_minute: 100, tokens_per_minute: null, concurrency: null },
      spending_limit: { amount_nanos: "5000000000", period: "month", spent_nanos: listed.spent_total_nanos },
      created_by: { name: expect.any(String) },
    });
    const audit = (await owner.get(`/accounts/${alpha}/audit`)).body;
    expect(audit.data[0]).toMatchObject({ action: "key.create", subject: "=formula" });
    expect(JSON.stringify([listed, audit, (await viewer.get(keys())).body])).not.toContain(secret);
  });

  it("are made with the status that /openapi.json has for it, as clients made from it read no other", async () => {
    const { status } = await owner.post(keys(), { name: "described" });
    const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, { post: { responses: object } }>;
    };
    const described = Object.keys(paths["/api/accounts/{account}/keys"]?.post.responses ?? {});
    expect(described.filter((name) => name.startsWith("2"))).toEqual([String(status)]);
  });

  it("change, rest, and change their name, but to no other's", async () => {
    const { id, secret } = await makeKey(member, { name: "changing" });
    await makeKey(member, { name: "taken" });
    const changed = await member.patch(`${keys()}/${id}`, { models: ["other"], disabled: true });
    expect(changed).toMatchObject({ status: 200, body: { state: "disabled", models: ["other"] } });
    await waitFor("the key to rest", async () => refused(await chat(secret, "other")));
    const renamed = await member.patch(`${keys()}/${id}`, { name: "changed", disabled: false });
    expect(renamed.body).toMatchObject({ name: "changed", state: "active", models: ["other"] });
    expect((await member.patch(`${keys()}/${id}`, { name: "taken" })).status).toBe(409);
    expect((await member.patch(`${keys()}/${id}`, { models: ["unknown"] })).body.error.param).toBe("models");
    expect((await member.patch(`${keys()}/${id}`, { expires_at: "2020-01-01T00:00:00Z" })).status).toBe(400);
  });

  it("get a new secret, and the old one works as long as was said", async () => {
    const { id, secret } = await makeKey(member, { name: "turning" });
    const { body: graced } = await member.post(`${keys()}/${id}/rotation`, { grace_minutes: 60 });
    expect((await chat(secret)).status).toBe(200);
    expect((await chat(graced.secret)).status).toBe(200);
    expect(Date.parse(graced.key.old_secret_until)).toBeGreaterThan(Date.now());
    const { body: sharp } = await member.post(`${keys()}/${id}/rotation`, {});
    await waitFor("the secret before to end", async () => refused(await chat(graced.secret)));
    expect((await chat(sharp.secret)).status).toBe(200);
  });

  it("once revoked are refused for ever, and listed apart", async () => {
    const { id, secret } = await makeKey(member, { name: "ending" });
    expect((await member.del(`${keys()}/${id}`)).body).toMatchObject({ state: "revoked" });
    await waitFor("the key to be refused", async () => refused(await chat(secret)));
    expect((await member.del(`${keys()}/${id}`)).status).toBe(409);
    const names = (response: { body: { data: { name: string }[] } }) =>
      response.body.data.map(({ name }) => name);
    expect(names(await viewer.get(keys()))).not.toContain("ending");
    expect(names(await viewer.get(`${keys()}?state=revoked`))).toContain("ending");
  });

  it("belong to who made them and to owners; viewers look", async () => {
    const { id } = await makeKey(owner, { name: "the owner's" });
    expect((await viewer.post(keys(), {})).status).toBe(403);
    for (const response of [
      await member.patch(`${keys()}/${id}`, { disabled: true }),
      await member.post(`${keys()}/${id}/rotation`, {}),
      await member.del(`${keys()}/${id}`),
    ]) {
      expect(response.status).toBe(403);
    }
    const { id: own } = await makeKey(member, { name: "the member's" });
    expect((await owner.patch(`${keys()}/${own}`, { disabled: true })).status).toBe(200);
  });

  it("of another account are as unknown ones", async () => {
    const { body } = await operator.post(keys(beta), { name: "beta's" });
    for (const [who, path] of [
      [owner, `${keys()}/${body.key.id}`],
      [operator, `${keys()}/${body.key.id}`],
    ] as const) {
      const foreign = [await who.get(path), await who.patch(path, { disabled: true }), await who.del(path)];
      const unknown = await who.get(`${keys()}/999999999`);
      for (const response of foreign) {
        expect(response.status).toBe(404);
        expect(response.body.error.code).toBe(unknown.body.error.code);
      }
    }
    expect((await owner.get(keys(beta))).status).toBe(404);
    expect((await operator.get(`${keys(beta)}/${body.key.id}`)).body.state).toBe("active");
  });

  it("page through all of them, newest first", async () => {
    const seen: string[] = [];
    let next: string | null = "";
    while (next !== null) {
      const after: string = next === "" ? "" : `&after=${encodeURIComponent(next)}`;
      const { body } = await viewer.get(`${keys()}?limit=2${after}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      next = body.next;
    }
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).toEqual(seen.toSorted((a, b) => Number(b) - Number(a)));
  });

  it("for the playground work for a quarter of an hour and stand in no list", async () => {
    const { status, body } = await member.post(`/accounts/${alpha}/playground-key`);
    expect(status).toBe(201);
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    expect((await chat(body.secret)).status).toBe(200);
    expect(JSON.stringify((await owner.get(`${keys()}?limit=200`)).body)).not.toContain("playground-");
    expect((await viewer.post(`/accounts/${alpha}/playground-key`)).status).toBe(403);
    expect((await gateway.run("export")).stdout).not.toContain("playground-");
  });
});

describe("requests and spending in the console", () => {
  const requests = (account = alpha): string => `/accounts/${account}/requests`;

  it("show one with its receipt, timing and raw usage; the upstream to operators only", async () => {
    const { secret } = await makeKey(member, { name: "shown" });
    const id = (await chat(secret)).headers.get("x-request-id");
    const detail = await waitFor("the request in the log", async () => {
      const { body } = await viewer.get(`${requests()}/${id}`);
      return body.request === null ? undefined : body;
    });
    expect(detail).toMatchObject({
      receipt: { request_id: id, state: "posted", charge_nanos: detail.request.charge_nanos },
      request: { model: "small", endpoint: "chat-completions", status: 200, upstream: null, failed: false },
      upstream_model: null,
      place: null,
      cost: null,
    });
    expect(detail.request.total_ms).toBeGreaterThanOrEqual(detail.request.first_byte_ms);
    expect(detail.raw_usage).toBeTruthy();
    const seen = (await operator.get(`${requests()}/${id}`)).body;
    expect(seen).toMatchObject({ request: { upstream: "sandbox" }, upstream_model: "small" });
    // What vendors bill has no group's factor, which the charge has.
    expect(seen.cost.attempts).toMatchObject([{ upstream: "sandbox", used: "billed", stated_nanos: null }]);
    expect(seen.cost.attempts[0].cost_nanos).toBe(seen.cost.cost_nanos);
    expect(seen.cost.margin_nanos).toBe(
      String(BigInt(detail.receipt.charge_nanos) - BigInt(seen.cost.cost_nanos)),
    );
    // The sandbox takes no key.
    expect(seen.place).toEqual({ credential: "none", reason: "affinity" });
    expect((await viewer.get(`${requests()}?upstream=sandbox`)).status).toBe(403);
    const byUpstream = (await operator.get(`${requests()}?upstream=sandbox&limit=200`)).body.data;
    expect(byUpstream.map((row: { request_id: string }) => row.request_id)).toContain(id);

    const foreign = await operator.get(`${requests(beta)}/${id}`);
    const unknown = await operator.get(`${requests(beta)}/req_unknown`);
    expect([foreign.status, foreign.body.error.code]).toEqual([404, unknown.body.error.code]);
    expect((await operator.get(`${requests(beta)}?request=${id}`)).body.data).toEqual([]);
  });

  it("export what the filter says as CSV that no spreadsheet runs", async () => {
    const { body } = await viewer.get(`${requests()}?limit=200&model=small`);
    const file = await viewer.get(`${requests()}.csv?model=small`);
    expect(file.headers["content-type"]).toContain("text/csv");
    expect(file.headers["content-disposition"]).toContain("attachment");
    const lines = String(file.body).trimEnd().split("\r\n");
    expect(lines[0]).toContain("request_id");
    expect(lines[0]).not.toContain("upstream");
    // As in the other files: money in dollars, and units in the headers.
    expect(lines[0]).toContain(",charge_usd,");
    expect(lines).toHaveLength(body.data.length + 1);
    expect(String(file.body)).toContain("'=formula");
    expect(String((await operator.get(`${requests()}.csv`)).body).split("\r\n")[0]).toContain("upstream");
  });

  it("refuse filters that mean nothing", async () => {
    for (const query of [
      "after=nonsense",
      "key=x",
      "user=x",
      "limit=0",
      "from=yesterday",
      "min_cost_nanos=-1",
      "colour=red",
    ])
      expect((await viewer.get(`${requests()}?${query}`)).status, query).toBe(400);
    for (const query of ["from=2026-01-02&to=2026-01-01", "by=key&step=hour", "from=2000-01-01", "step=hour"])
      expect((await viewer.get(`/accounts/${alpha}/spending?${query}`)).status, query).toBe(400);
    expect((await viewer.get(`${requests()}?model=a%00b`)).status).toBe(400);
  });

  it("narrow to the keys that a person made, and to those that nobody did, as spending has them", async () => {
    const { secret } = await makeKey(owner, { name: "made by the owner" });
    const { secret: other } = await makeKey(member, { name: "made by the member" });
    const ids: (string | null)[] = [];
    for (const key of [secret, other, TEST_KEY]) ids.push((await chat(key)).headers.get("x-request-id"));
    const rows = async (person: string): Promise<{ request_id: string; charge_nanos: string }[]> =>
      (await viewer.get(`${requests()}?limit=200&user=${person}`)).body.data;
    const people = [owner.session.user.id, member.session.user.id, "nobody"];
    await waitFor("the requests in the log", async () =>
      (await Promise.all(people.map(rows))).every((found, at) => found[0]?.request_id === ids[at]),
    );
    const { groups } = (await viewer.get(`/accounts/${alpha}/spending?by=user`)).body;
    expect(groups.map(({ id }: { id: string }) => id).sort()).toEqual(people.sort());
    for (const { id, ...sums } of groups) {
      const found = await rows(id);
      const charge = found.reduce((sum, { charge_nanos }) => sum + BigInt(charge_nanos), 0n);
      expect([found.length, String(charge)], id).toEqual([sums.requests, sums.charge_nanos]);
    }
    expect(await rows(viewer.session.user.id)).toEqual([]);
    const elsewhere = await operator.get(`${requests(beta)}?user=${owner.session.user.id}`);
    expect(elsewhere.body.data).toEqual([]);
  });

  it("sum to what the requests cost, by person too", async () => {
    const { body: page } = await viewer.get(`${requests()}?limit=200`);
    const cost = page.data.reduce(
      (sum: bigint, row: { charge_nanos: string }) => sum + BigInt(row.charge_nanos),
      0n,
    );
    for (const by of ["model", "user"]) {
      const { body } = await viewer.get(`/accounts/${alpha}/spending?by=${by}`);
      expect(body.totals).toMatchObject({ requests: page.data.length, charge_nanos: String(cost) });
      expect(body.forecast.charged_nanos).toBe(String(cost));
    }
    const csv = String((await viewer.get(`/accounts/${alpha}/spending.csv?by=key`)).body);
    const [header, ...lines] = csv.trimEnd().split("\r\n");
    expect(header).toMatch(/,charge_usd$/);
    const charges = lines.map((line) => parseUsd(line.split(",").at(-1) ?? ""));
    expect(charges.reduce((sum, each) => sum + each, 0n)).toBe(cost);
    await cleanLedger(gateway);
  });
});

describe("the webhook secret", () => {
  const secretBy = (key: string) => ask(gateway.url, "/v1/webhooks/secret", undefined, { key });
  const REFUSED = {
    status: 403,
    json: { error: { code: "forbidden", message: expect.stringMatching(/dashboard/) } },
  };

  it("is shown to keys that owners, operators or the catalog file made, and to nobody else's", async () => {
    const shown = (await owner.post(`/accounts/${alpha}/webhook-secret`)).body.secret;
    for (const who of [owner, operator]) {
      const { secret: key } = await makeKey(who, { name: `of-${who.session.user.id}` });
      expect(await secretBy(key)).toMatchObject({ status: 200, json: { secret: shown } });
    }
    expect(await secretBy(TEST_KEY)).toMatchObject({ status: 200, json: { secret: shown } });
    const { secret: members } = await makeKey(member, { name: "a member's" });
    expect(await secretBy(members)).toMatchObject(REFUSED);
    expect(await viewer.post(`/accounts/${alpha}/webhook-secret`)).toMatchObject({ status: 403 });
  });

  it("is kept from a key with a list of models, whoever made it: such keys are given to others", async () => {
    const { secret: narrow } = await makeKey(owner, { name: "narrow", models: ["small"] });
    expect(await secretBy(narrow)).toMatchObject(REFUSED);
  });

  it("is kept from keys of who owns the account no more, from the next request on", async () => {
    const email = "leaving@example.test";
    const leaving = await inviteGuest(gateway, operator, { email, account: { id: alpha, role: "owner" } });
    const { id } = leaving.session.user;
    const { secret: key } = await makeKey(leaving, { name: "of the leaving" });
    expect(await secretBy(key)).toMatchObject({ status: 200 });
    expect(await owner.patch(`/accounts/${alpha}/members/${id}`, { role: "member" })).toMatchObject({
      status: 200,
    });
    expect(await secretBy(key)).toMatchObject(REFUSED);
    await owner.patch(`/accounts/${alpha}/members/${id}`, { role: "owner" });
    expect(await secretBy(key)).toMatchObject({ status: 200 });
    await operator.patch(`/operator/users/${id}`, { disabled: true });
    expect(await secretBy(key)).toMatchObject(REFUSED);
  });
});
