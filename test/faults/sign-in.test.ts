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
import { listOperations, pathOf } from "../support/console-operations.ts";
import { GUEST_PASSWORD, inviteGuest } from "../support/console-people.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const CATALOG = "version: 1\nmodels: []\naccounts: [{ name: alpha }]\n";
let gateway: TestGateway;
let admin: SignedIn;
let alpha = "";

beforeAll(async () => {
  gateway = await startGateway({
    catalog: CATALOG,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  admin = await signIn(gateway);
  alpha = admin.session.accounts[0]?.id ?? "";
});
afterAll(() => gateway?.clean());

const guest = (email: string) =>
  inviteGuest(gateway, admin, { email, account: { id: alpha, role: "member" } });
const attempt = (email: string, password: string, totp?: string) =>
  callerOf(gateway).post("/session", { email, password, ...(totp === undefined ? {} : { totp }) });

describe("A6, signing in", () => {
  it("lets the first user in with the operator's password, as operator and owner of the first account", async () => {
    const caller = await signIn(gateway);
    expect(caller.session).toMatchObject({
      user: { email: "admin@localhost", is_operator: true, has_totp: false },
      must_change_password: false,
      accounts: [{ id: alpha, name: "alpha", role: "owner", suspended: false }],
    });
    expect((await caller.get("/session")).body).toEqual(caller.session);
    expect(await caller.del("/session")).toMatchObject({ status: 200 });
    expect(await caller.get("/session")).toMatchObject({
      status: 401,
      body: { error: { code: "not_signed_in" } },
    });
  });

  it("keeps the cookie from scripts and other sites, and marks it secure where the address is https", async () => {
    const [cookie] = [(await attempt(FIRST_USER.email, FIRST_USER.password)).headers["set-cookie"]].flat();
    expect(cookie).toMatch(/^faregate_session=\w{42}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  });

  it("gives another session at every sign-in, never one that was planted, and ends the one the browser had", async () => {
    const first = await signIn(gateway);
    const browser = callerOf(gateway, { cookie: first.cookie });
    const second = signedInBy(gateway, await browser.post("/session", FIRST_USER));
    expect(second.cookie).not.toBe(first.cookie);
    expect(await first.get("/session")).toMatchObject({ status: 401 });
    expect(await second.get("/session")).toMatchObject({ status: 200 });
    const planted = callerOf(gateway, { cookie: "faregate_session=planted-by-somebody-else" });
    const signedIn = await planted.post("/session", FIRST_USER);
    expect(String(signedIn.headers["set-cookie"])).not.toContain("planted");
    expect(await planted.get("/session")).toMatchObject({ status: 401 });
  });

  it("says and does the same for an address that nobody has and for a wrong password", async () => {
    await guest("known@example.test");
    const wrong = await attempt("known@example.test", "not the password");
    const unknown = await attempt("unknown@example.test", "not the password");
    const plain = ({ body }: typeof wrong) => ({
      ...body.error,
      message: body.error.message.replace(/ \(request id.*/, ""),
    });
    expect(wrong.status).toBe(401);
    expect(unknown.status).toBe(wrong.status);
    expect(plain(unknown)).toEqual(plain(wrong));
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(wrong.headers).sort());
  });

  it("refuses after ten failures in a quarter of an hour, the right password too, and only this address", async () => {
    await guest("victim@example.test");
    for (let failure = 1; failure <= 10; failure += 1)
      expect(await attempt("victim@example.test", `guess ${failure}`)).toMatchObject({ status: 401 });
    const refused = await attempt("victim@example.test", GUEST_PASSWORD);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "too_many_attempts" } } });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(600);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(900);
    await signIn(gateway);
  });

  it("counts attempts that come all at once, so that no more than ten are judged", async () => {
    await guest("burst@example.test");
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, number) => attempt("burst@example.test", `guess ${number}`)),
    );
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  it("forgets failures with the right password", async () => {
    await guest("clumsy@example.test");
    for (let round = 0; round < 3; round += 1) {
      for (let failure = 0; failure < 6; failure += 1) await attempt("clumsy@example.test", "mistyped");
      expect(await attempt("clumsy@example.test", GUEST_PASSWORD)).toMatchObject({ status: 200 });
    }
  });

  it("refuses every write without the session's word, and every write from another site", async () => {
    const member = await guest("csrf@example.test");
    const cookieOnly = callerOf(gateway, { cookie: member.cookie });
    const wrong: string[] = [];
    for (const operation of listOperations().filter(({ method }) => method !== "GET")) {
      const { method, policy } = operation;
      const path = pathOf(operation, alpha);
      const foreign = { "sec-fetch-site": "cross-site" };
      const responses = [
        await member.ask({ method, path, body: {}, headers: foreign }),
        await member.ask({ method, path, body: {}, headers: { "sec-fetch-site": "same-site" } }),
        await member.ask({ method, path, body: {}, headers: { origin: "http://evil.example" } }),
        ...(policy === "anyone"
          ? [await callerOf(gateway).ask({ method, path, body: {}, headers: foreign })]
          : [
              await cookieOnly.ask({ method, path, body: {} }),
              await cookieOnly.ask({ method, path, body: {}, headers: { "x-faregate-csrf": "guessed" } }),
            ]),
      ];
      for (const { status, body } of responses)
        if (status !== 403 || body.error?.code !== "csrf_failed") wrong.push(`${method} ${path}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(await member.get("/session")).toMatchObject({ status: 200 });
  });

  it("knows its own pages where a browser says no more than their origin", async () => {
    const member = await guest("origin@example.test");
    const { host, port } = new URL(gateway.url);
    const write = (headers: Record<string, string>) =>
      member.ask({ method: "PATCH", path: "/me", body: { name: "Origin" }, headers });
    for (const headers of [
      {},
      { origin: gateway.url },
      { origin: `https://${host}` },
      { origin: "HTTP://AI.EXAMPLE.COM", host: "ai.example.com" },
      // The address that the gateway knows itself by, asked through a proxy that says another.
      { origin: gateway.url, host: "faregate" },
      { origin: "https://ai.example.com", "sec-fetch-site": "same-origin" },
    ])
      expect([headers, (await write(headers)).status]).toEqual([headers, 200]);
    for (const origin of [
      "null",
      "http://evil.example",
      `http://127.0.0.1.evil.example:${port}`,
      "http://127.0.0.1:1",
      "x",
    ])
      for (const site of [undefined, "none"]) {
        const headers = { origin, ...(site && { "sec-fetch-site": site }) };
        expect([headers, await write(headers)]).toEqual([
          headers,
          expect.objectContaining({
            status: 403,
            body: { error: expect.objectContaining({ code: "csrf_failed" }) },
          }),
        ]);
      }
  });

  it("takes no role and no right from a change of oneself", async () => {
    const member = await guest("climber@example.test");
    for (const more of [
      { role: "owner" },
      { operator_role: "operator" },
      { accounts: [] },
      { email: "x@y.z" },
    ])
      expect(await member.patch("/me", { name: "Climber", ...more })).toMatchObject({ status: 400 });
    const { id } = member.session.user;
    expect(await member.patch(`/accounts/${alpha}/members/${id}`, { role: "owner" })).toMatchObject({
      status: 403,
    });
    expect(await member.patch(`/operator/users/${id}`, { operator_role: "operator" })).toMatchObject({
      status: 403,
    });
    expect((await member.get("/session")).body).toMatchObject({
      user: { is_operator: false },
      accounts: [{ role: "member" }],
    });
  });

  it("ends every other session with a new password, which the old one does not open any more", async () => {
    const here = await guest("changer@example.test");
    const who = { email: "changer@example.test", password: GUEST_PASSWORD };
    const elsewhere = await signIn(gateway, who);
    const change = { current_password: GUEST_PASSWORD, new_password: "something else entirely" };
    expect(await here.post("/me/password", { ...change, current_password: "wrong" })).toMatchObject({
      status: 403,
    });
    expect(await here.post("/me/password", { ...change, new_password: "short" })).toMatchObject({
      status: 400,
    });
    expect(await here.post("/me/password", change)).toMatchObject({ status: 200 });
    expect(await elsewhere.get("/session")).toMatchObject({ status: 401 });
    expect(await here.get("/session")).toMatchObject({ status: 200 });
    expect(await attempt(who.email, GUEST_PASSWORD)).toMatchObject({ status: 401 });
    expect(await attempt(who.email, change.new_password)).toMatchObject({ status: 200 });
  });

  it("lists the browsers that are signed in, and signs out the one that is revoked at once", async () => {
    const here = await guest("browsers@example.test");
    const elsewhere = await signIn(gateway, { email: "browsers@example.test", password: GUEST_PASSWORD });
    const { data } = (await here.get("/me/sessions")).body;
    expect(data).toHaveLength(2);
    const other = data.find(({ current }: { current: boolean }) => !current);
    expect(other).toMatchObject({ address: "127.0.0.1" });
    expect(await admin.del(`/me/sessions/${other.id}`)).toMatchObject({ status: 404 });
    expect(await here.del(`/me/sessions/${other.id}`)).toMatchObject({ status: 200 });
    expect(await elsewhere.get("/session")).toMatchObject({ status: 401 });
  });

  it("ends a session that nobody used for a week", async () => {
    const caller = await guest("idle@example.test");
    await gateway.database?.database.execute(
      "update sessions set last_seen_at = now() - interval '7 days' where user_id = $1",
      [caller.session.user.id],
    );
    expect(await caller.get("/session")).toMatchObject({ status: 401 });
  });

  it("asks who uses an authenticator app for a code, takes each code once, and recovery codes once each", async () => {
    const email = "codes@example.test";
    const caller = await guest(email);
    expect(await caller.post("/me/totp", { password: "wrong" })).toMatchObject({ status: 403 });
    const enrolled = await caller.post("/me/totp", { password: GUEST_PASSWORD });
    expect(enrolled.body.uri).toContain(`secret=${enrolled.body.secret}`);
    const app = new TOTP({ secret: enrolled.body.secret });
    // Not in force before a first code.
    expect(await attempt(email, GUEST_PASSWORD)).toMatchObject({ status: 200 });
    expect(await caller.post("/me/totp/confirm", { code: "000000" })).toMatchObject({ status: 400 });
    // The code of now and that of the next half minute are good, however slow this machine is.
    const first = app.generate();
    const confirmed = await caller.post("/me/totp/confirm", { code: first });
    expect(confirmed.body.recovery_codes).toHaveLength(10);
    expect(await attempt(email, GUEST_PASSWORD)).toMatchObject({
      status: 401,
      body: { error: { code: "totp_required" } },
    });
    const next = app.generate({ timestamp: Date.now() + 30_000 });
    expect(await attempt(email, "wrong", next)).toMatchObject({
      body: { error: { code: "sign_in_failed" } },
    });
    expect(await attempt(email, GUEST_PASSWORD, first)).toMatchObject({ status: 401 });
    expect(await attempt(email, GUEST_PASSWORD, next)).toMatchObject({ status: 200 });
    expect(await attempt(email, GUEST_PASSWORD, next)).toMatchObject({ status: 401 });
    const [recovery = "", another = ""] = confirmed.body.recovery_codes;
    expect(await attempt(email, GUEST_PASSWORD, recovery.toUpperCase())).toMatchObject({ status: 200 });
    expect(await attempt(email, GUEST_PASSWORD, recovery)).toMatchObject({ status: 401 });
    expect(await attempt(email, GUEST_PASSWORD, another)).toMatchObject({ status: 200 });
    expect(await caller.post("/me/totp", { password: GUEST_PASSWORD })).toMatchObject({ status: 409 });
    expect(await caller.post("/me/totp/remove", { password: GUEST_PASSWORD })).toMatchObject({ status: 200 });
    expect(await attempt(email, GUEST_PASSWORD)).toMatchObject({ status: 200 });
  });

  it("refuses a console token from the moment it is revoked or over", async () => {
    const caller = await guest("script@example.test");
    const made = await caller.post("/me/tokens", { name: "nightly" });
    expect(made.body.token).toMatch(/^fct_\w{48}$/);
    const script = tokenCaller(gateway, made.body.token);
    expect(await script.get("/session")).toMatchObject({ status: 200, body: { csrf_token: null } });
    const listed = (await caller.get("/me/tokens")).body.data[0];
    expect(listed).toMatchObject({ name: "nightly", scopes: ["all"], account: null });
    expect(listed.last_used_at).not.toBeNull();
    expect(JSON.stringify(listed)).not.toContain(made.body.token);
    const foreign = await admin.del(`/me/tokens/${made.body.id}`);
    const unknown = await admin.del("/me/tokens/999999999");
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await caller.del(`/me/tokens/${made.body.id}`)).toMatchObject({ status: 200 });
    expect(await script.get("/session")).toMatchObject({ status: 401 });
  });

  it("has no door to register by where the settings open none", async () => {
    const body = { email: "stranger@example.test", password: "a stranger's password" };
    expect(await callerOf(gateway).post("/registration", body)).toMatchObject({ status: 403 });
    expect((await callerOf(gateway).get("/sign-in")).body).toEqual({
      self_registration: false,
      sso_required: false,
      oidc: [],
      password_reset: false,
    });
  });
});
