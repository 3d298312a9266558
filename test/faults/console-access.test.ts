import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../src/console/operation.ts";
import type { Scope } from "../../src/users/scopes.ts";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { listOperations, pathOf } from "../support/console-operations.ts";
import { inviteGuest, type Role } from "../support/console-people.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

/** A1: ten who ask, times everything there is to ask for; the table says what each may do. */

type Verdict = "in" | 401 | 403 | 404;
type Headers = Record<string, string>;
interface Asker {
  readonly headers: Headers;
  readonly may: (operation: Operation) => Verdict;
}

const CATALOG = `version: 1
models: []
accounts:
  - { name: alpha }
  - { name: beta }
`;

const operations = listOperations();
let gateway: TestGateway;
let alpha = "";
const askers = new Map<string, Asker>();

beforeAll(async () => {
  gateway = await startGateway({
    catalog: CATALOG,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  const admin = await signIn(gateway);
  const idOf = (name: string): string =>
    admin.session.accounts.find((account) => account.name === name)?.id ?? "";
  alpha = idOf("alpha");
  const join = (email: string, account: string, role: Role) =>
    inviteGuest(gateway, admin, { email, account: { id: account, role } });
  const sessionOf = ({ cookie, session }: Awaited<ReturnType<typeof join>>): Headers => ({
    cookie,
    "x-faregate-csrf": session.csrf_token ?? "",
  });
  const tokenOf = async (
    caller: Awaited<ReturnType<typeof join>>,
    scope: Scope,
    account?: string,
  ): Promise<Headers> => {
    const order = { name: "script", scopes: [scope], account: account ?? null };
    const { token } = (await caller.post("/me/tokens", order)).body;
    // With the scheme and without it a token is the same.
    return { authorization: scope === "read" ? token : `Bearer ${token}` };
  };

  const owner = await join("owner@example.test", alpha, "owner");
  const member = await join("member@example.test", alpha, "member");
  const disabled = await join("disabled@example.test", alpha, "owner");
  const expired = await join("expired@example.test", alpha, "owner");
  const reset = await join("reset@example.test", alpha, "owner");
  const patch = { disabled: true };
  expect((await admin.patch(`/operator/users/${disabled.session.user.id}`, patch)).status).toBe(200);
  await gateway.database?.database.execute("update sessions set expires_at = now() where user_id = $1", [
    expired.session.user.id,
  ]);
  const { password } = (await admin.post(`/operator/users/${reset.session.user.id}/password`)).body;
  const mustChange = await signIn(gateway, { email: "reset@example.test", password });
  for (const role of ["read_only", "billing"] as const)
    askers.set(`a ${role} operator`, {
      headers: sessionOf(
        await inviteGuest(gateway, admin, { email: `${role}@example.test`, operator: role }),
      ),
      may: (operation) =>
        operation.policy === "user" || REACHED[role].has(scopeTold(operation)) ? "in" : 403,
    });
  const boss = await inviteGuest(gateway, admin, { email: "operator@example.test", operator: true });

  for (const scope of ["read", "billing", "keys"] as const)
    askers.set(`a ${scope} token of an operator`, {
      headers: await tokenOf(boss, scope),
      may: (operation) => (["read", scope].includes(scopeTold(operation)) ? "in" : 403),
    });
  askers.set("an operator's token for the account", {
    headers: await tokenOf(boss, "all", alpha),
    may: (operation) => (isOfAccount(operation) || isReadingOfOneself(operation) ? "in" : 403),
  });
  askers.set("an operator's token for another account", {
    headers: await tokenOf(boss, "all", idOf("beta")),
    may: (operation) => (isReadingOfOneself(operation) ? "in" : isOfAccount(operation) ? 404 : 403),
  });

  const nobody = (): Verdict => 401;
  askers.set("nobody", { headers: {}, may: nobody });
  askers.set("a viewer", {
    headers: sessionOf(await join("viewer@example.test", alpha, "viewer")),
    may: as("viewer"),
  });
  askers.set("a member", { headers: sessionOf(member), may: as("member") });
  askers.set("an owner", { headers: sessionOf(owner), may: as("owner") });
  askers.set("an owner of another account", {
    headers: sessionOf(await join("other@example.test", idOf("beta"), "owner")),
    may: as(undefined),
  });
  askers.set("an operator", { headers: sessionOf(boss), may: () => "in" });
  askers.set("a read-only token of an owner", {
    headers: await tokenOf(owner, "read"),
    may: (operation) => (scopeTold(operation) === "read" ? as("owner")(operation) : 403),
  });
  askers.set("a token of a member", {
    headers: await tokenOf(member, "all"),
    may: (operation) => (BROWSERS_ONLY.has(nameOf(operation)) ? 403 : as("member")(operation)),
  });
  askers.set("a disabled user", { headers: sessionOf(disabled), may: nobody });
  askers.set("an expired session", { headers: sessionOf(expired), may: nobody });
  askers.set("who must change the password", {
    headers: sessionOf(mustChange),
    may: (operation) => (operation.policy === "user" && !SETTLED_ONLY.has(nameOf(operation)) ? "in" : 403),
  });
});
afterAll(() => gateway?.clean());

describe("the console", () => {
  it("is closed to pages of other origins, however its path is spelt", async () => {
    for (const path of ["/api/sign-in", "//api/sign-in", "/%61pi/sign-in"]) {
      const origin = { origin: "https://page.example", "access-control-request-method": "POST" };
      const read = await request(gateway.url + path, { headers: origin });
      const asked = await request(gateway.url + path, { method: "OPTIONS", headers: origin });
      for (const { headers, body } of [read, asked]) {
        await body.dump();
        expect([path, headers["access-control-allow-origin"]]).toEqual([path, undefined]);
      }
      expect([read.statusCode, asked.statusCode]).toEqual([200, 204]);
    }
  });
});

describe("A1, who may do what", () => {
  it.each([
    "nobody",
    "a viewer",
    "a member",
    "an owner",
    "an owner of another account",
    "an operator",
    "a read_only operator",
    "a billing operator",
    "a read-only token of an owner",
    "a token of a member",
    "a read token of an operator",
    "a billing token of an operator",
    "a keys token of an operator",
    "an operator's token for the account",
    "an operator's token for another account",
    "a disabled user",
    "an expired session",
    "who must change the password",
  ])("lets %s do what the table says and nothing else", async (name) => {
    const asker = askers.get(name);
    const wrong: string[] = [];
    for (const operation of operations) {
      // It would end the session that the rest of the list is asked with.
      if (nameOf(operation) === "DELETE /session" && asker?.may(operation) === "in") continue;
      const expected = operation.policy === "anyone" ? "in" : asker?.may(operation);
      const heard = await ask(operation, asker?.headers ?? {});
      if (heard.verdict !== expected)
        wrong.push(`${nameOf(operation)}: ${heard.verdict} in place of ${expected} (${heard.text})`);
    }
    expect(wrong).toEqual([]);
  });

  it("has every role's operations in the table, so that the lists above mean something", () => {
    const policies = new Set(operations.map(({ policy }) => policy));
    expect([...policies].sort()).toEqual(["anyone", "member", "operator", "owner", "user", "viewer"]);
    expect(operations.length).toBeGreaterThan(40);
    const names = operations.map(nameOf);
    expect(
      Object.values(CHANGES)
        .flat()
        .filter((name) => !names.includes(name)),
    ).toEqual([]);
  });
});

/** What a console token may not do: it could make itself immortal, or lock its person out. */
const BROWSERS_ONLY = new Set([
  "DELETE /session",
  "POST /me/password",
  "PATCH /me",
  "DELETE /me/sessions",
  "DELETE /me/sessions/{session}",
  "POST /me/totp",
  "POST /me/totp/confirm",
  "POST /me/totp/remove",
  "POST /me/tokens",
]);

/** What waits until one has a password of one's own. */
const SETTLED_ONLY = new Set([
  "PATCH /me",
  "POST /me/totp",
  "POST /me/totp/confirm",
  "POST /me/totp/remove",
  "POST /me/tokens",
]);

/** The changes that more than operators of the highest role reach, each in one list; every other is theirs alone. */
const CHANGES: Readonly<Record<"read" | "billing" | "keys", readonly string[]>> = {
  // They keep nothing: what is sent is compared with what there is.
  read: ["POST /operator/ledger/verify", "POST /operator/reconciliations"],
  billing: [
    "POST /operator/accounts/{account}/adjustments",
    "POST /operator/code-batches",
    "POST /operator/code-batches/{batch}/revoke",
    "POST /operator/code-batches/{batch}/codes/{code}/revoke",
    "POST /accounts/{account}/redemptions",
    "PUT /accounts/{account}/billing-details",
    "PUT /operator/models/{model}",
    "POST /operator/models/{model}/listed-price",
    "POST /operator/models/{model}/missing-price",
    "PATCH /operator/groups/{group}",
  ],
  keys: [
    "POST /accounts/{account}/keys",
    "PATCH /accounts/{account}/keys/{key}",
    "DELETE /accounts/{account}/keys/{key}",
    "POST /accounts/{account}/keys/{key}/rotation",
    "POST /accounts/{account}/playground-key",
  ],
};

function isOfAccount({ path }: Operation): boolean {
  return path.startsWith("/accounts/{account}");
}

/** Other tokens and sessions would name the user's other accounts. */
function isReadingOfOneself(operation: Operation): boolean {
  return nameOf(operation) === "GET /session";
}

function scopeTold(operation: Operation): string {
  if (operation.method === "GET") return "read";
  const [scope = "all"] =
    Object.entries(CHANGES).find(([, names]) => names.includes(nameOf(operation))) ?? [];
  return scope;
}

const REACHED = {
  read_only: new Set(["read"]),
  billing: new Set(["read", "billing"]),
};

const RANKS: readonly Role[] = ["viewer", "member", "owner"];

/** By role in the account; undefined: in another account. */
function as(role: Role | undefined): (operation: Operation) => Verdict {
  return ({ policy }) => {
    if (policy === "user" || policy === "anyone") return "in";
    if (policy === "operator") return 403;
    if (role === undefined) return 404;
    return RANKS.indexOf(role) >= RANKS.indexOf(policy) ? "in" : 403;
  };
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

/** "in" is every response that the operation itself gave: also that a body is wrong or an id unknown. */
async function ask(operation: Operation, headers: Headers): Promise<{ verdict: Verdict; text: string }> {
  const hasBody = operation.kind === "json" && operation.body !== undefined;
  const response = await request(`${gateway.url}/api${pathOf(operation, alpha)}`, {
    method: operation.method,
    headers: { ...headers, ...(hasBody ? { "content-type": "application/json" } : {}) },
    // Right enough to come as far as the question who asks, wrong enough to change nothing.
    ...(hasBody ? { body: JSON.stringify(BODIES[nameOf(operation)] ?? {}) } : {}),
  });
  const isError = response.statusCode >= 400;
  const text = isError ? await response.body.text() : "";
  // Events never end by themselves.
  if (!isError) response.body.on("error", () => undefined).destroy();
  const { code = "", message = "", param = "" } = text.startsWith("{") ? (JSON.parse(text).error ?? {}) : {};
  if (code === "not_signed_in") return { verdict: 401, text };
  // The wrong password of who may: the operation's own response.
  if (response.statusCode === 403 && param !== "password") return { verdict: 403, text };
  if (message.startsWith("Account not found.") && operation.path.startsWith("/accounts/{account}"))
    return { verdict: 404, text };
  return { verdict: "in", text };
}

/** Bodies are read before an operation asks by what somebody came. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /me/password": { current_password: "the same", new_password: "the same" },
  "PATCH /me": { name: "Somebody" },
  "POST /me/totp": { password: "" },
  "POST /me/totp/confirm": { code: "" },
  "POST /me/totp/remove": { password: "" },
  "POST /me/tokens": { name: "script", expires_at: "2001-01-01T00:00:00Z" },
};
