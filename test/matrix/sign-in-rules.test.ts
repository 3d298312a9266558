import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BOOTSTRAP_PASSWORD,
  callerOf,
  FIRST_USER,
  type SignedIn,
  signedInBy,
  signIn,
  tokenCaller,
} from "../support/console.ts";
import { GUEST_PASSWORD, inviteGuest } from "../support/console-people.ts";
import { CLIENT_ID, CLIENT_SECRET, type FakeOidc, startFakeOidc } from "../support/fake-oidc.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { waitFor } from "../support/wait.ts";

/** What settings ask of those who sign in; this machine is the trusted proxy, so that a test comes from any address. */

let provider: FakeOidc;
let gateway: TestGateway;
let alpha = "";

beforeAll(async () => {
  provider = await startFakeOidc();
  gateway = await startGateway({
    catalog: `version: 1
models: []
settings:
  trusted_proxies: [127.0.0.1, "::1"]
  sign_in: { oidc: [{ id: work, name: Work, issuer: "${provider.issuer}", client_id: ${CLIENT_ID} }] }
accounts: [{ name: alpha }]
`,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, FAREGATE_OIDC_CLIENT_SECRET: CLIENT_SECRET },
  });
  alpha = (await signIn(gateway)).session.accounts[0]?.id ?? "";
});
afterAll(async () => {
  await gateway?.clean();
  await provider?.close();
});

/** Writes `settings.sign_in` beside the provider; undefined takes a rule away. */
async function setRules(admin: SignedIn, rules: object) {
  const { overrides } = (await admin.get("/operator/settings")).body;
  const { oidc } = overrides.sign_in;
  return admin.put("/operator/settings", { overrides: { ...overrides, sign_in: { oidc, ...rules } } });
}

async function come(email: string) {
  const { url, flow } = (await callerOf(gateway).post("/session/oidc/start", { provider: "work" })).body;
  const response = provider.visit(url, { sub: email, email, email_verified: true });
  return callerOf(gateway).post("/session/oidc", { flow, response });
}

async function lift(what: string): Promise<void> {
  expect(await gateway.run("sign-in", "--lift", what)).toMatchObject({ code: 0 });
}

const from = (who: SignedIn, address: string, path = "/session") =>
  who.ask({ method: "GET", path, headers: { "x-forwarded-for": address } });

describe("operators' addresses", () => {
  it("are the only ones from which operators use the console, by session, token or password", async () => {
    const admin = await signIn(gateway);
    const member = await inviteGuest(gateway, admin, {
      email: "member@example.test",
      account: { id: alpha, role: "owner" },
    });
    const { token } = (await admin.post("/me/tokens", { name: "script" })).body;
    expect(await setRules(admin, { operator_addresses: ["127.0.0.1", "192.0.2.0/24"] })).toMatchObject({
      status: 200,
    });
    expect((await from(admin, "192.0.2.9")).status).toBe(200);
    const away = await from(admin, "198.51.100.7", "/operator/users");
    expect([away.status, away.body.error.code]).toEqual([403, "address_not_allowed"]);
    expect(away.body.error.message).toContain("198.51.100.7");
    const script = { authorization: `Bearer ${token}`, "x-forwarded-for": "198.51.100.7" };
    expect((await callerOf(gateway, script).get("/session")).status).toBe(403);
    const entered = await callerOf(gateway, { "x-forwarded-for": "198.51.100.7" }).post(
      "/session",
      FIRST_USER,
    );
    expect([entered.status, entered.body.error.code]).toEqual([403, "address_not_allowed"]);
    expect((await from(member, "198.51.100.7")).status).toBe(200);
    await setRules(admin, {});
  });

  it("include whoever saves them, behind the proxies of the same change too; a command lifts them", async () => {
    const admin = await signIn(gateway);
    const refused = await setRules(admin, { operator_addresses: ["192.0.2.0/24"] });
    expect([refused.status, refused.body.error.param]).toEqual([400, "sign_in.operator_addresses"]);
    expect(refused.body.error.message).toContain("127.0.0.1");
    const wrong = await setRules(admin, { operator_addresses: ["127.0.0.1", "192.0.2.0/99"] });
    expect(wrong.body.error).toMatchObject({
      param: "sign_in.operator_addresses",
      message: expect.stringContaining('"192.0.2.0/99" is neither'),
    });
    const { overrides } = (await admin.get("/operator/settings")).body;
    const moved = {
      ...overrides,
      trusted_proxies: [],
      sign_in: { ...overrides.sign_in, operator_addresses: ["192.0.2.1"] },
    };
    const ask = { method: "PUT", path: "/operator/settings", body: { overrides: moved } };
    expect(await admin.ask({ ...ask, headers: { "x-forwarded-for": "192.0.2.1" } })).toMatchObject({
      status: 400,
    });
    const file = `version: 1
settings: { sign_in: { operator_addresses: [192.0.2.0/24] } }
`;
    expect(await admin.post("/operator/catalog/apply", { text: file })).toMatchObject({ status: 400 });
    const path = join(gateway.dataDir, "rules.yaml");
    await writeFile(path, file);
    expect(await gateway.run("apply", path)).toMatchObject({ code: 0 });
    await waitFor("the rule", async () => (await admin.get("/session")).status === 403);
    await lift("addresses");
    await waitFor("the rule to be gone", async () => (await admin.get("/session")).status === 200);
    const { body } = await admin.get("/operator/audit?limit=1&action=settings.update");
    expect(body.data[0].actor).toMatch(/^cli /);
    await admin.put("/operator/settings", { overrides });
  });
});

describe("a console token's addresses", () => {
  it("are the only ones from which it works", async () => {
    const admin = await signIn(gateway);
    const order = { name: "ci", allowed_addresses: ["192.0.2.0/24"] };
    const { token, allowed_addresses: ranges } = (await admin.post("/me/tokens", order)).body;
    expect(ranges).toEqual(["192.0.2.0/24"]);
    const with_ = (address: string) =>
      callerOf(gateway, { authorization: `Bearer ${token}`, "x-forwarded-for": address }).get("/session");
    expect([(await with_("192.0.2.1")).status, (await with_("192.0.3.1")).status]).toEqual([200, 403]);
    const wrong = await admin.post("/me/tokens", { name: "ci", allowed_addresses: ["no"] });
    expect(wrong.body.error).toMatchObject({ param: "allowed_addresses" });
  });
});

describe("required two-factor authentication", () => {
  it("lets who has none do nothing but set it up, with sessions and tokens that there are too", async () => {
    const admin = await signIn(gateway);
    const second = await inviteGuest(gateway, admin, { email: "second@example.test", operator: true });
    const member = await inviteGuest(gateway, admin, {
      email: "plain@example.test",
      account: { id: alpha, role: "owner" },
    });
    const { token } = (await second.post("/me/tokens", { name: "script" })).body;
    await setRules(admin, { require_two_factor: { operators: true } });

    expect((await second.get("/session")).body).toMatchObject({ must_set_up_totp: true });
    for (const response of [
      await second.get("/operator/users"),
      await second.get("/me/tokens"),
      await second.post("/me/tokens", { name: "another" }),
      await tokenCaller(gateway, token).get("/operator/users"),
    ])
      expect([response.status, response.body.error.code]).toEqual([403, "two_factor_required"]);
    expect((await member.get("/session")).body).toMatchObject({ must_set_up_totp: false });

    const { secret } = (await second.post("/me/totp", { password: GUEST_PASSWORD })).body;
    const code = new TOTP({ secret }).generate();
    expect(await second.post("/me/totp/confirm", { code })).toMatchObject({ status: 200 });
    expect((await second.get("/operator/users")).status).toBe(200);
    expect((await tokenCaller(gateway, token).get("/operator/users")).status).toBe(200);
    expect(await second.post("/me/totp/remove", { password: GUEST_PASSWORD })).toMatchObject({ status: 409 });

    await setRules(second, { require_two_factor: { accounts: ["alpha"] } });
    expect((await member.get(`/accounts/${alpha}/keys`)).body.error.code).toBe("two_factor_required");
    await lift("two-factor");
    await waitFor("the rule to be gone", async () => {
      return (await member.get(`/accounts/${alpha}/keys`)).status === 200;
    });
  });

  it("takes an identity provider's in its place", async () => {
    const admin = await signIn(gateway);
    const email = "federated@example.test";
    await admin.post("/operator/invitations", { email, operator_role: "read_only" });
    await setRules(admin, { require_two_factor: { operators: true } });
    expect(await come(email)).toMatchObject({ status: 200, body: { must_set_up_totp: false } });
    await lift("two-factor");
  });
});

describe("required single sign-on", () => {
  it("is not saved by who is signed in with a password, nor without a provider", async () => {
    const admin = await signIn(gateway);
    await waitFor("no rule", async () => (await admin.get("/operator/users")).status === 200);
    const refused = await setRules(admin, { require_sso: true });
    expect([refused.status, refused.body.error.param]).toEqual([400, "sign_in.require_sso"]);
    const none = await setRules(admin, { oidc: [], require_sso: true });
    expect(none.body.error.message).toContain("needs an identity provider");
  });

  it("refuses passwords wherever they let somebody in, and ends the sessions that they began", async () => {
    const admin = await signIn(gateway);
    const email = "boss@example.test";
    await admin.post("/operator/invitations", { email, operator_role: "operator" });
    const boss = signedInBy(gateway, await come(email));
    const { token } = (await admin.post("/me/tokens", { name: "script" })).body;
    const invited = (
      await boss.post("/operator/invitations", {
        email: "new@example.test",
        operator_role: "read_only",
      })
    ).body.link as string;
    expect(await setRules(boss, { require_sso: true })).toMatchObject({ status: 200 });

    const anyone = callerOf(gateway);
    expect((await anyone.get("/sign-in")).body).toMatchObject({ sso_required: true });
    expect(await admin.get("/operator/users")).toMatchObject({
      status: 401,
      body: { error: { code: "not_signed_in" } },
    });
    const users = (await boss.get("/operator/users?q=second@")).body.data;
    for (const response of [
      await anyone.post("/session", FIRST_USER),
      await anyone.post("/session", { ...FIRST_USER, password: "wrong" }),
      await anyone.post("/session", { email: "nobody@example.test", password: "wrong" }),
      await anyone.post("/invitations/accept", {
        token: new URL(invited).hash.slice(1),
        password: GUEST_PASSWORD,
      }),
      await boss.post(`/operator/users/${users[0].id}/password`),
      await anyone.post("/password-resets", { email: "second@example.test" }),
    ])
      expect([response.status, response.body.error.code]).toEqual([403, "sso_required"]);
    expect(await come("new@example.test")).toMatchObject({ status: 200 });
    expect((await tokenCaller(gateway, token).get("/operator/users")).status).toBe(200);
    expect((await boss.get("/operator/users")).status).toBe(200);
  });

  it("lets an operator in for a day whose password a command has reset", async () => {
    const password = (await gateway.run("password", "admin@localhost")).stdout.trim();
    const back = await signIn(gateway, { email: "admin@localhost", password });
    const chosen = { current_password: password, new_password: BOOTSTRAP_PASSWORD };
    expect(await back.post("/me/password", chosen)).toMatchObject({ status: 200 });
    expect((await back.get("/operator/users")).status).toBe(200);
    const { stdout } = await gateway.run("sign-in");
    expect(stdout).toContain("identity provider: required");
    await lift("sso");
    await waitFor("passwords", async () => !(await callerOf(gateway).get("/sign-in")).body.sso_required);
  });
});
