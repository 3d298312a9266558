import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import {
  BOOTSTRAP_PASSWORD,
  type ConsoleResponse,
  callerOf,
  type SignedIn,
  signedInBy,
  signIn,
} from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

let sandbox: TestSandbox;
let gateway: TestGateway;
let receiver: Server;
let operator: SignedIn;
/** An account that an operator opened, its key, and its people. */
let account: { id: string; key: string; owner: SignedIn; member: SignedIn; viewer: SignedIn };
let other: string;

interface Heard {
  readonly signature: string;
  readonly body: string;
}
const heard: Heard[] = [];

beforeAll(async () => {
  sandbox = await startSandbox();
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      heard.push({
        signature: String(request.headers["x-faregate-signature"]),
        body: Buffer.concat(chunks).toString(),
      });
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  gateway = await startGateway({
    catalog: catalogFile({
      upstreams: [{ url: sandbox.url }],
      settings: `{ egress_allow: ["127.0.0.1:${port()}"] }`,
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
  const opened = await operator.post("/operator/accounts", { name: "harbour" });
  expect(opened.status).toBe(201);
  const { id } = opened.body;
  account = {
    id,
    key: (await operator.post(`/accounts/${id}/keys`, { name: "main" })).body.secret,
    owner: await invite(id, "owner"),
    member: await invite(id, "member"),
    viewer: await invite(id, "viewer"),
  };
  other = (await operator.post("/operator/accounts", { name: "elsewhere" })).body.id;
});

afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await sandbox?.stop();
  receiver?.close();
});

const port = () => (receiver.address() as AddressInfo).port;
const at = (path: string) => `/accounts/${account.id}${path}`;
const call = () =>
  ask(
    gateway.url,
    "/v1/chat/completions",
    { model: "text", max_tokens: 20, messages: [{ role: "user", content: "hello" }] },
    { key: account.key },
  );

describe("a redemption code", () => {
  it("lets an account without money go on, and its statement says so", async () => {
    const refused = await call();
    expect([refused.status, refused.json.error.code]).toEqual([403, "insufficient_user_quota"]);
    const [code] = await codes({ amount_usd: "2.5", count: 2, note: "for the harbour" });
    const typed = ` ${String(code).toLowerCase().replaceAll("-", " ")} `;
    const redeemed = await account.member.post(at("/redemptions"), { code: typed });
    expect(redeemed.body).toMatchObject({
      credited_nanos: "2500000000",
      repeated: false,
      balance_nanos: "2500000000",
    });
    expect((await call()).status).toBe(200);
    const entries = await waitFor("the charge on the statement", async () => {
      const { body } = await account.viewer.get(at("/statement"));
      return body.data.some(({ kind }: { kind: string }) => kind === "usage") && body.data;
    });
    expect(entries).toMatchObject([
      { kind: "usage", requests: 1, reference: { type: "flush" } },
      { kind: "code", change_nanos: "2500000000", balance_after_nanos: "2500000000" },
    ]);
    const { body: made } = await account.viewer.get(at(`/statement/${entries[0].id}/requests`));
    expect(made.data).toMatchObject([{ model: "text", charge_nanos: entries[0].amount_nanos }]);
    const csv = await account.viewer.get(at("/statement.csv?view=funding"));
    expect(csv.body).toMatch(/^entry,at,kind.*\r\n\d+,[^,]+,code,2\.5,2\.5,,code:\d+,,\r\n$/);
  });

  it("is credited once, however often it is sent at once, and the books stay right", async () => {
    const before = BigInt((await account.owner.get(at("/balance"))).body.balance_nanos);
    const [code] = await codes({ amount_nanos: "1000000000", count: 1 });
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const who = index % 2 === 0 ? account.owner : account.member;
        return who.post(at("/redemptions"), { code });
      }),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(responses.filter(({ body }) => !body.repeated)).toHaveLength(1);
    const after = BigInt((await account.owner.get(at("/balance"))).body.balance_nanos);
    expect(after - before).toBe(1_000_000_000n);
    const elsewhere = await operator.post(`/accounts/${other}/redemptions`, { code });
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([409, "conflict"]);
    expect(elsewhere.body.error.message).not.toContain("harbour");
    const { body: verified } = await operator.post("/operator/ledger/verify");
    expect(verified).toMatchObject({ ok: true, breaches: [], quarantined_records: 0 });
  });

  it("is shown once, listed without itself, and can be withdrawn until it is redeemed", async () => {
    const { body } = await operator.post("/operator/code-batches", { amount_usd: "1", count: 3 });
    const [used, ...unused] = body.plain_codes;
    await account.owner.post(at("/redemptions"), { code: used });
    const path = `/operator/code-batches/${body.id}`;
    expect((await operator.post(`${path}/revoke`)).body).toEqual({ revoked: 2 });
    expect((await operator.post(`${path}/revoke`)).status).toBe(409);
    const listed = await operator.get(`${path}/codes?limit=2`);
    expect(listed.body.data).toMatchObject([
      { state: "redeemed", account: { name: "harbour" } },
      { state: "revoked", account: null },
    ]);
    expect(listed.body.next).not.toBeNull();
    const batches = await operator.get("/operator/code-batches?limit=1");
    expect(batches.body.data).toMatchObject([{ id: body.id, codes: 3, redeemed: 1, revoked: 2 }]);
    expect(JSON.stringify([listed.body, batches.body])).not.toContain(used);
    const withdrawn = await account.owner.post(at("/redemptions"), { code: unused[0] });
    expect(withdrawn.status).toBe(400);
    expect(withdrawn.body.error.message).toContain("This code was withdrawn by the operator.");
  });

  it("cannot be guessed: 429 after ten that do not exist, for this account alone", async () => {
    const wrong = await guesses(12);
    const typo = await operator.post(`/accounts/${other}/redemptions`, { code: "FG-0000-0000-0000-0001" });
    expect([typo.status, typo.body.error.param]).toEqual([400, "code"]);
    const statuses: number[] = [];
    for (const code of wrong) {
      const { status } = await operator.post(`/accounts/${other}/redemptions`, { code });
      statuses.push(status);
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
    const last = await operator.post(`/accounts/${other}/redemptions`, { code: wrong[0] });
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(800);
    expect((await account.owner.post(at("/redemptions"), { code: wrong[0] })).status).toBe(400);
  });
});

describe("the alert of a low balance", () => {
  it("reaches the owner's receiver once per fall, signed, and lists what became of it", async () => {
    const url = `http://127.0.0.1:${port()}/low`;
    const balance = BigInt((await account.owner.get(at("/balance"))).body.available_nanos);
    await account.owner.put(at("/balance-alert"), { amount_nanos: String(balance - 500n), url });
    await adjust(-1000n, "to-fire");
    await waitFor("the first alert", () => heard.length > 0);
    await adjust(-1000n, "no-second");
    await adjust(5000n, "up-again");
    await waitFor("the alert armed again", async () => {
      const { body } = await account.owner.get(at("/balance-alert"));
      return body.alert.below === false;
    });
    await adjust(-5000n, "down-again");
    const { body: shown } = await waitFor("the second delivery", async () => {
      const response = await account.owner.get(at("/balance-alert"));
      const done = (each: { delivered_at: string | null }) => each.delivered_at !== null;
      return response.body.deliveries.filter(done).length === 2 && response;
    });
    expect(heard).toHaveLength(2);
    expect(shown.deliveries[0]).toMatchObject({ event: "balance.low", url, attempts: [{ status: 200 }] });
    const { secret } = (await account.owner.post(at("/webhook-secret"))).body;
    const [, t = "", v1] = /^t=(\d+),v1=(\w+)$/.exec(heard[0]?.signature ?? "") ?? [];
    expect(createHmac("sha256", secret).update(`${t}.${heard[0]?.body}`).digest("hex")).toBe(v1);
    expect(JSON.parse(heard[0]?.body ?? "{}")).toMatchObject({
      type: "balance.low",
      data: { account: account.id, account_name: "harbour" },
    });
    const rotated = (await account.owner.post(at("/webhook-secret/rotate"))).body.secret;
    expect(rotated).toMatch(/^whsec_\w{40}$/);
    expect(rotated).not.toBe(secret);
    expect((await account.owner.post(at("/webhook-secret"))).body.secret).toBe(rotated);
  });

  it("never leads into the operator's own network", async () => {
    const url = "http://127.0.0.1:1/metadata";
    await account.owner.put(at("/balance-alert"), { amount_usd: "1000", url });
    const failure = await waitFor("the failed attempt", async () => {
      const { body } = await account.owner.get(at("/balance-alert"));
      return body.deliveries[0]?.url === url && body.deliveries[0].attempts[0]?.failure;
    });
    expect(failure).toMatch(
      /^Its address is in a network that this gateway does not fetch from.*egress_allow/,
    );
    expect((await account.owner.del(at("/balance-alert"))).body.alert).toBeNull();
  });
});

describe("an operator", () => {
  it("moves money once per idempotency key, with a reason that its owner reads", async () => {
    const before = BigInt((await account.owner.get(at("/balance"))).body.balance_nanos);
    const send = { amount_usd: "0.5", reason: "for your patience", idempotency_key: "patience-1" };
    const path = `/operator/accounts/${account.id}/adjustments`;
    const responses = await Promise.all(Array.from({ length: 8 }, () => operator.post(path, send)));
    expect(responses.filter(({ body }) => body.repeated === false)).toHaveLength(1);
    expect((await operator.post(path, { ...send, amount_usd: "0.6" })).status).toBe(409);
    expect((await operator.post(path, { ...send, reason: " " })).status).toBe(400);
    const all = { ...send, amount_usd: "-100000", idempotency_key: "patience-2" };
    expect((await operator.post(path, all)).body.error.message).toMatch(/available, which is less than that/);
    const after = await account.owner.get(at("/balance"));
    expect(BigInt(after.body.balance_nanos) - before).toBe(500_000_000n);
    const [latest] = (await account.owner.get(at("/statement?view=funding"))).body.data;
    expect(latest).toMatchObject({ kind: "credit", reason: "for your patience" });
  });

  it("revokes a key at once", async () => {
    const { body } = await operator.post(at("/keys"), { name: "short-lived" });
    const tryKey = () => ask(gateway.url, "/v1/models", undefined, { key: body.secret });
    expect((await tryKey()).status).toBe(200);
    expect((await operator.del(at(`/keys/${body.key.id}`))).status).toBe(200);
    expect((await tryKey()).status).toBe(401);
  });

  it("suspends an account at once, and resumes it", async () => {
    expect((await call()).status).toBe(200);
    const path = `/operator/accounts/${account.id}`;
    expect((await operator.patch(path, { disabled: true })).body.disabled).toBe(true);
    const refused = await call();
    expect([refused.status, refused.json.error.message]).toEqual([
      401,
      expect.stringMatching(/^The account of this API key is suspended\./),
    ]);
    const { accounts } = (await account.owner.get("/session")).body;
    expect(accounts).toMatchObject([{ name: "harbour", suspended: true }]);
    await operator.patch(path, { disabled: false });
    await waitFor("the key to work again", async () => (await call()).status === 200);
    const { body } = await operator.get(path);
    expect(body).toMatchObject({ name: "harbour", keys: 1, members: 3, group: "default" });
    expect(BigInt(body.spent_this_month_nanos)).toBeGreaterThan(0n);
    expect(body.requests_last_hour).toBeGreaterThan(0);
  });

  it("finds accounts page by page, and cannot make one twice", async () => {
    const names: string[] = [];
    for (let after = ""; ; ) {
      const { body } = await operator.get(`/operator/accounts?limit=1${after && `&after=${after}`}`);
      names.push(...body.data.map(({ name }: { name: string }) => name));
      if (body.next === null) break;
      after = body.next;
    }
    expect(names).toEqual(["acme", "elsewhere", "harbour"]);
    const found = await operator.get("/operator/accounts?search=ARB&disabled=false");
    expect(found.body.data).toMatchObject([{ name: "harbour" }]);
    expect((await operator.post("/operator/accounts", { name: "acme" })).status).toBe(409);
    expect((await operator.post("/operator/accounts", { name: "x", group: "none" })).body.error.param).toBe(
      "group",
    );
  });

  it("keeps groups with exact factors, and deletes none that is used", async () => {
    const made = await operator.post("/operator/groups", { name: "friends", factor: "0.850001" });
    expect([made.status, made.body.factor]).toEqual([201, "0.850001"]);
    await operator.patch(`/operator/accounts/${account.id}`, { group: "friends" });
    expect((await operator.patch("/operator/groups/friends", { factor: "0.9" })).body).toMatchObject({
      name: "friends",
      factor: "0.9",
      accounts: 1,
    });
    expect((await operator.del("/operator/groups/friends")).status).toBe(409);
    await operator.patch(`/operator/accounts/${account.id}`, { group: "default" });
    expect((await operator.del("/operator/groups/friends")).status).toBe(200);
    expect((await operator.del("/operator/groups/default")).status).toBe(409);
  });

  it("makes one group of those that are made under one name at once", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, number) =>
        operator.post("/operator/groups", { name: "together", factor: `${number + 1}` }),
      ),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const { factor } = made.find(({ status }) => status === 201)?.body ?? {};
    const { data } = (await operator.get("/operator/groups")).body;
    expect(data).toContainEqual(expect.objectContaining({ name: "together", factor }));
  });

  it("looks into the books", async () => {
    const losses = await operator.get("/operator/ledger/losses");
    expect(losses.body).toMatchObject({ total_nanos: "0", data: [], next: null });
    expect((await operator.get("/operator/ledger/write-offs")).body).toEqual({
      total_nanos: "0",
      data: [],
      next: null,
    });
    expect((await operator.get("/operator/ledger/quarantine")).body.data).toEqual([]);
    const costs = await operator.get("/operator/ledger/vendor-costs?days=1");
    expect(costs.body.text).toMatchObject([{ upstream: "upstream-1", reporting: 0, reported_cost: null }]);
    const entries = await gateway.database?.database.query<{ action: string }>(
      "select distinct action from audit_entries order by action",
    );
    expect(entries?.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        ...[
          "account.create",
          "account.update",
          "alert.delete",
          "alert.update",
          "balance.adjust",
          "code.redeem",
        ],
        ...[
          "codes.create",
          "codes.revoke",
          "group.create",
          "group.delete",
          "group.update",
          "webhook_secret.rotate",
          "webhook_secret.show",
        ],
      ]),
    );
  });
});

describe("a monthly statement", () => {
  const month = () => new Date().toISOString().slice(0, 7);

  it("adds up to the balance, row by row and in its CSV, in dollars beside nanos", async () => {
    const { body: statement } = await account.viewer.get(at(`/statements/${month()}`));
    const { balance_nanos: balance } = (await account.viewer.get(at("/balance"))).body;
    expect(statement).toMatchObject({
      month: month(),
      currency: "USD",
      complete: false,
      closing_nanos: balance,
      account: { id: account.id, name: "harbour", legal_name: null },
    });
    const rows: { kind: string; change_nanos: string; balance_after_nanos: string; usage: unknown }[] = [];
    for (let after = ""; ; ) {
      const { body } = await account.viewer.get(at(`/statements/${month()}/rows?limit=2${after}`));
      rows.push(...body.data);
      if (body.next === null) break;
      after = `&after=${encodeURIComponent(body.next)}`;
    }
    expect(rows[0]).toMatchObject({ kind: "code", change_nanos: "2500000000", change_usd: "2.5" });
    const changes = rows.reduce((sum, row) => sum + BigInt(row.change_nanos), 0n);
    expect(BigInt(statement.opening_nanos) + changes).toBe(BigInt(statement.closing_nanos));
    expect(rows.at(-1)).toMatchObject({
      kind: "usage",
      balance_after_nanos: balance,
      usage: { tasks_usd: "0" },
    });
    const csv = await account.viewer.get(at(`/statements/${month()}/rows.csv`));
    expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(csv.body.trimEnd().split("\r\n")).toHaveLength(rows.length + 3);
    expect(csv.body).toContain(`closing_balance,,,${statement.closing_usd},`);
    const { body: months } = await account.viewer.get(at("/statements"));
    expect(months.data[0]).toMatchObject({ month: month(), closing_nanos: balance });
  });

  it("is there for each month that has begun, and for no other", async () => {
    const { body: early } = await account.viewer.get(at("/statements/2020-01"));
    expect(early).toMatchObject({ complete: true, opening_nanos: "0", closing_usd: "0" });
    expect((await account.viewer.get(at("/statements/2020-01/rows"))).body).toEqual({ data: [], next: null });
    for (const none of ["2999-01", "2026-13", "2026-1", "now", "1999-12"])
      for (const path of ["", "/rows", "/rows.csv"]) {
        const { status } = await account.viewer.get(at(`/statements/${none}${path}`));
        expect([none, path, status]).toEqual([none, path, 404]);
      }
  });

  it("names who pays, as owners and operators state it, with an entry of the audit log", async () => {
    const details = { legal_name: " Harbour Ltd. ", address: "1 Quay\r\nRotterdam", tax_id: "NL123" };
    expect((await account.member.put(at("/billing-details"), details)).status).toBe(403);
    const { body: before } = await account.viewer.get(at("/billing-details"));
    const { body: saved } = await account.owner.put(at("/billing-details"), details);
    expect(saved).toMatchObject({
      legal_name: "Harbour Ltd.",
      address: "1 Quay\nRotterdam",
      tax_id: "NL123",
    });
    const late = { method: "PUT", path: at("/billing-details"), body: details };
    const refused = await account.owner.ask({ ...late, headers: { "if-match": `"${before.revision}"` } });
    expect([refused.status, refused.body.error.code]).toEqual([412, "changed_meanwhile"]);
    expect((await account.viewer.get(at(`/statements/${month()}`))).body.account).toEqual({
      ...{ id: account.id, name: "harbour" },
      ...{ legal_name: "Harbour Ltd.", address: "1 Quay\nRotterdam", tax_id: "NL123" },
    });
    const [entry] = (await operator.get("/operator/audit?limit=1")).body.data;
    expect(entry).toMatchObject({ action: "account.update", after: { tax_id: "NL123" } });
    const cleared = { ...details, tax_id: null };
    expect((await operator.put(at("/billing-details"), cleared)).body.tax_id).toBeNull();
  });

  it.each([
    ["legal_name", "n".repeat(201)],
    ["legal_name", "two\nlines"],
    ["address", "line\n".repeat(13)],
    ["address", "bell\u0007"],
    ["tax_id", "t".repeat(101)],
  ])("takes no details that fit no page: %s", async (param, value) => {
    const details = { legal_name: null, address: null, tax_id: null, [param]: value };
    const { status, body } = await account.owner.put(at("/billing-details"), details);
    expect([status, body.error.param]).toEqual([400, param]);
  });
});

describe("who may do it", () => {
  it("are the account's own people by their roles; another account's ids are answered like unknown ones", async () => {
    const code = { code: "FG-0000-0000-0000-0000" };
    expect((await account.viewer.post(at("/redemptions"), code)).status).toBe(403);
    expect((await account.member.get(at("/balance-alert"))).status).toBe(403);
    expect((await account.member.post(at("/webhook-secret"))).status).toBe(403);
    expect((await account.member.post(at("/webhook-secret/rotate"))).status).toBe(403);
    for (const path of [
      "/balance",
      "/statement",
      "/statement.csv",
      "/statement/1/requests",
      "/statements",
      "/statements/2026-01",
      "/statements/2026-01/rows",
      "/statements/2026-01/rows.csv",
      "/billing-details",
      "/balance-alert",
    ]) {
      const foreign = await account.owner.get(`/accounts/${other}${path}`);
      const unknown = await account.owner.get(`/accounts/999999${path}`);
      expect(withoutId(foreign)).toEqual(withoutId(unknown));
      expect(foreign.status).toBe(404);
      expect((await callerOf(gateway).get(at(path))).status).toBe(401);
    }
    const [entry] = (await account.owner.get(at("/statement"))).body.data;
    const elsewhere = await operator.get(`/accounts/${other}/statement/${entry.id}/requests`);
    expect(elsewhere.body.data).toEqual([]);
  });

  it("are operators alone, where it says so", async () => {
    const asks = [
      ...["accounts", `accounts/${account.id}`, "groups", "code-batches", "code-batches/1/codes"].map(get),
      ...["ledger/losses", "ledger/write-offs", "ledger/quarantine", "ledger/vendor-costs"].map(get),
      ...["accounts", `accounts/${account.id}/adjustments`, "groups", "code-batches"].map(post),
      ...["code-batches/1/revoke", "code-batches/1/codes/1/revoke", "ledger/verify"].map(post),
      { method: "PATCH", path: `/operator/accounts/${account.id}`, body: { disabled: false } },
      { method: "PATCH", path: "/operator/groups/default", body: { factor: "0" } },
      { method: "DELETE", path: "/operator/groups/default" },
    ];
    for (const wish of asks) {
      expect([wish.path, (await account.owner.ask(wish)).status]).toEqual([wish.path, 403]);
    }
  });
});

const get = (path: string) => ({ method: "GET", path: `/operator/${path}` });
const post = (path: string) => ({ method: "POST", path: `/operator/${path}`, body: {} });

function withoutId({ status, body }: ConsoleResponse): unknown {
  return { status, body: JSON.stringify(body).replace(/req_[0-9a-f]+/g, "") };
}

async function invite(id: string, role: string): Promise<SignedIn> {
  const invited = await operator.post(`/accounts/${id}/invitations`, { email: `${role}@harbour.test`, role });
  const token = /[^/=#]+$/.exec(invited.body.link)?.[0] ?? "";
  const accepted = await callerOf(gateway).post("/invitations/accept", {
    token,
    password: BOOTSTRAP_PASSWORD,
  });
  expect(accepted.status).toBe(200);
  return signedInBy(gateway, accepted);
}

async function codes(batch: object): Promise<string[]> {
  const { status, body } = await operator.post("/operator/code-batches", batch);
  expect(status).toBe(201);
  return body.plain_codes;
}

/** Codes of the right form that never were: made, and then taken out of the database. */
async function guesses(count: number): Promise<string[]> {
  const made = await codes({ amount_usd: "1", count });
  await gateway.database?.database.execute(
    "delete from redemption_codes where batch_id = (select max(id) from redemption_batches)",
  );
  return made;
}

async function adjust(nanos: bigint, key: string): Promise<void> {
  const { status } = await operator.post(`/operator/accounts/${account.id}/adjustments`, {
    amount_nanos: String(nanos),
    reason: "a test",
    idempotency_key: `alert-${key}`,
  });
  expect(status).toBe(200);
}
