import { hostname, userInfo } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complaints } from "../support/complaints.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

const CATALOG = `version: 1
models: []
accounts: [{ name: acme, balance: 10 }]
`;
const WHO = `cli (${userInfo().username} on ${hostname()})`;
let gateway: TestGateway;
let admin: SignedIn;
let account = "";

beforeAll(async () => {
  gateway = await startGateway({
    catalog: CATALOG,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  admin = await signIn(gateway);
  account = admin.session.accounts[0]?.id ?? "";
});
afterAll(() => gateway?.clean());

/** What a command printed with --json. */
async function json(...args: string[]) {
  const result = await gateway.run(...args, "--json");
  expect([args.join(" "), result.code, complaints(result)]).toEqual([args.join(" "), 0, []]);
  return JSON.parse(result.stdout);
}

async function refusal(...args: string[]): Promise<[number | null, string]> {
  const { code, stderr } = await gateway.run(...args);
  return [code, stderr];
}

const newest = async () => (await admin.get("/operator/audit?limit=1")).body.data[0];

describe("keys by commands", () => {
  const OF_ACME = ["--account", "acme"] as const;

  it("are made with limits and expiry, listed without their secret, and revoked while gateways run", async () => {
    const limits = ["--limit", "50/month", "--requests-per-minute", "600", "--expires", "2100-01-31"];
    const { key, id } = await json("keys", "create", ...OF_ACME, "--name", "ci", ...limits);
    expect((await ask(gateway.url, "/v1/models", undefined, { key })).status).toBe(200);
    expect((await admin.get(`/accounts/${account}/keys/${id}`)).body).toMatchObject({
      spending_limit: { amount_nanos: "50000000000", period: "month" },
      rate_limits: { requests_per_minute: 600, tokens_per_minute: null, concurrency: null },
      expires_at: "2100-01-31T23:59:59.000Z",
    });
    expect(await newest()).toMatchObject({
      actor: WHO,
      action: "key.create",
      after: { spending_limit: { amount_usd: "50", period: "month" } },
    });

    const listed = await json("keys", "list", ...OF_ACME);
    expect(listed.keys.find((each: { name: string }) => each.name === "ci")).toMatchObject({
      state: "active",
      spending_limit: { amount_usd: "50", period: "month" },
    });
    const text = await gateway.run("keys", "list", ...OF_ACME);
    expect(text.stdout).toMatch(/^ci .* active .* 50 USD, month /m);
    expect(JSON.stringify(listed) + text.stdout).not.toContain(key);

    expect(await json("keys", "revoke", "ci", ...OF_ACME)).toMatchObject({ revoked: { id, name: "ci" } });
    await waitFor("the gateway to refuse the key", async () => {
      const { status } = await ask(gateway.url, "/v1/models", undefined, { key });
      return status === 401;
    });
    expect(await newest()).toMatchObject({ actor: WHO, action: "key.revoke", subject: "ci" });
    expect((await json("keys", "list", ...OF_ACME, "--revoked")).keys).toMatchObject([
      { name: "ci", state: "revoked" },
    ]);
  });

  it("are refused in one sentence that names the slip", async () => {
    for (const [args, code, sentence] of [
      [["keys", "revoke", "none", ...OF_ACME], 1, 'acme has no key "none"'],
      [["keys", "list", "--account", "acmee"], 1, 'did you mean "acme"'],
      [["keys", "list"], 2, "missing option --account NAME"],
      [["keys", "create", ...OF_ACME, "--limit", "1,50/month"], 2, "--limit takes US dollars and a period"],
      [["keys", "create", ...OF_ACME, "--limit", "50"], 2, "--limit takes US dollars and a period"],
      [["keys", "create", ...OF_ACME, "--expires", "2001-01-01"], 2, "is in the past"],
      [["keys", "create", ...OF_ACME, "--expires", "2100-02-30"], 2, "--expires takes a day or a time"],
      [["keys", "create", ...OF_ACME, "--concurrency", "0"], 2, "--concurrency takes a number"],
    ] as const)
      expect(await refusal(...args)).toEqual([code, expect.stringContaining(sentence)]);
  });
});

describe("budgets list", () => {
  it("lists an account's budgets, or those of all, with what is spent", async () => {
    const budget = { name: "team", amount_usd: "25", period: "month", hard: true };
    expect((await admin.post(`/accounts/${account}/budgets`, budget)).status).toBe(201);
    const { budgets } = await json("budgets", "list");
    expect(budgets).toMatchObject([
      { account: "acme", name: "team", amount_usd: "25", spent_usd: "0", period: "month", hard: true },
    ]);
    expect((await json("budgets", "list", "--account", "acme")).budgets).toEqual(budgets);
    const text = await gateway.run("budgets", "list");
    expect(text.stdout).toMatch(/^acme +team +0 USD +25 USD, month +refuses /m);
    expect(await refusal("budgets", "list", "--account", "acmee")).toEqual([
      1,
      expect.stringContaining('did you mean "acme"'),
    ]);
  });
});

describe("accounts details", () => {
  it("shows and sets what statements print, and leaves what it does not name", async () => {
    const stated = ["--legal-name", "Acme Ltd.", "--address", "1 Quay\nRotterdam", "--tax-id", "NL123"];
    const details = {
      account: "acme",
      legal_name: "Acme Ltd.",
      address: "1 Quay\nRotterdam",
      tax_id: "NL123",
    };
    expect(await json("accounts", "details", "acme", ...stated)).toEqual(details);
    expect(await newest()).toMatchObject({
      actor: WHO,
      action: "account.update",
      after: { tax_id: "NL123" },
    });
    expect(await json("accounts", "details", "acme", "--tax-id", "")).toEqual({ ...details, tax_id: null });
    expect((await admin.get(`/accounts/${account}/billing-details`)).body).toMatchObject({
      legal_name: "Acme Ltd.",
      tax_id: null,
    });
    const { stdout } = await gateway.run("accounts", "details", "acme");
    expect(stdout).toBe("legal_name: Acme Ltd.\naddress: 1 Quay\n  Rotterdam\ntax_id: none\n");
    const [code, stderr] = await refusal("accounts", "details", "acme", "--tax-id", "a\nb");
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--tax-id must not contain control characters"),
    ]);
  });
});

describe("accounts credit", () => {
  const REASON = ["--reason", "invoice 1042"] as const;

  it("moves money once for one idempotency key, with its reason on the statement and in the audit log", async () => {
    const order = ["accounts", "credit", "acme", "2.50", ...REASON, "--idempotency-key", "invoice-1042"];
    expect(await json(...order)).toMatchObject({ moved_usd: "2.5", repeated: false, balance_usd: "12.5" });
    expect(await newest()).toMatchObject({
      actor: WHO,
      action: "balance.adjust",
      subject: "acme",
      after: { moved: "2.5 USD", reason: "invoice 1042" },
    });
    expect(await json(...order)).toMatchObject({ moved_usd: "0", repeated: true, balance_usd: "12.5" });
    const statement = (await admin.get(`/accounts/${account}/statement`)).body;
    expect(JSON.stringify(statement.data[0])).toContain("invoice 1042");
    const debit = await gateway.run("accounts", "credit", ...REASON, "--", "acme", "-0.5");
    expect([debit.code, debit.stdout]).toEqual([0, "Done: acme has 12 USD.\n"]);
  });

  it("moves nothing for an amount that could be read in two ways, without a reason, or beyond the balance", async () => {
    for (const [args, code, sentence] of [
      [["accounts", "credit", "acme", "1,50", ...REASON], 2, '"1,50" is no amount'],
      [["accounts", "credit", "acme", "0", ...REASON], 2, '"0" is no amount'],
      [["accounts", "credit", "acme", "1"], 2, "--reason TEXT is required"],
      [["accounts", "credit", ...REASON, "--", "acme", "-999"], 1, "less than that"],
    ] as const)
      expect(await refusal(...args)).toEqual([code, expect.stringContaining(sentence)]);
    expect((await admin.get(`/accounts/${account}/balance`)).body).toMatchObject({
      balance_nanos: "12000000000",
    });
  });
});

describe("users", () => {
  it("lists who can sign in, with their roles, for people and for scripts", async () => {
    const [user, ...others] = (await json("users")).users;
    expect(user).toMatchObject({
      email: "admin@localhost",
      operator_role: "operator",
      accounts: [{ name: "acme", role: "owner" }],
    });
    expect(others).toEqual([]);
    const { stdout } = await gateway.run("users", "--search", "ADMIN");
    expect(stdout).toMatch(/^admin@localhost +operator +active +no +\S+ +acme \(owner\)$/m);
    expect((await json("users", "--search", "nobody")).users).toEqual([]);
  });
});
