import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BOOTSTRAP_PASSWORD,
  type ConsoleResponse,
  callerOf,
  FIRST_USER,
  type SignedIn,
  signedInBy,
  signIn,
} from "../support/console.ts";
import { GUEST_PASSWORD, inviteGuest, tokenOf } from "../support/console-people.ts";
import { freePort } from "../support/free-port.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

/** Whoever attacks an address keeps out other strangers, never a browser in which its user has signed in before. */

const CATALOG = `version: 1
models: []
settings: { trusted_proxies: [127.0.0.1] }
accounts: [{ name: alpha }]
`;

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

/** All cookies that a response sets, as the browser sends them from then on. */
const cookiesOf = ({ headers }: ConsoleResponse): string[] =>
  [headers["set-cookie"] ?? []].flat().map((cookie) => cookie.split(";", 1)[0] ?? "");
const deviceOf = (response: ConsoleResponse): string =>
  cookiesOf(response).find((cookie) => cookie.includes("faregate_device=")) ?? "";

interface Try {
  readonly email: string;
  readonly password?: string;
  readonly totp?: string;
  /** The cookie of a browser; "" is a new one. */
  readonly device?: string;
  readonly from?: string;
}

function attempt({ device = "", from = "192.0.2.1", password = GUEST_PASSWORD, ...rest }: Try) {
  const headers = { "x-forwarded-for": from, ...(device === "" ? {} : { cookie: device }) };
  return callerOf(gateway, headers).post("/session", { password, ...rest });
}

/** Somebody invited, with a browser that they have signed in with. */
async function person(email: string): Promise<{ email: string; device: string; caller: SignedIn }> {
  await inviteGuest(gateway, admin, { email, account: { id: alpha, role: "member" } });
  const response = await attempt({ email });
  expect(response.status).toBe(200);
  return { email, device: deviceOf(response), caller: signedInBy(gateway, response) };
}

/** As many bad attempts as count, each from an address of its own. */
async function attack(email: string, more: Partial<Try> = {}): Promise<void> {
  for (let guess = 1; guess <= 10; guess += 1) {
    const response = await attempt({
      email,
      password: `guess ${guess}`,
      from: `198.51.100.${guess}`,
      ...more,
    });
    expect(response.status, `guess ${guess}`).toBe(401);
  }
  expect((await attempt({ email, from: "198.51.100.99", ...more })).status).toBe(429);
}

describe("an attack on an address", () => {
  it("keeps out strangers with the right password, not the browser that has signed in before", async () => {
    const { email, device } = await person("known@example.test");
    await attack(email);
    expect(await attempt({ email })).toMatchObject({ status: 429 });
    expect(await attempt({ email, device })).toMatchObject({ status: 200 });
    // Nor does the sign-in of the right one give strangers another ten.
    expect(await attempt({ email })).toMatchObject({ status: 429 });
  });

  it("leaves each known browser ten attempts of its own, and a slip in one is none of another's", async () => {
    const { email, device } = await person("devices@example.test");
    const other = deviceOf(await attempt({ email }));
    await attack(email, { device });
    expect(await attempt({ email, device })).toMatchObject({ status: 429 });
    expect(await attempt({ email, device: other })).toMatchObject({ status: 200 });
    expect(await attempt({ email })).toMatchObject({ status: 200 });
  });

  it("with the right password and wrong codes is no other", async () => {
    const { email, device, caller } = await person("codes@example.test");
    const { secret } = (await caller.post("/me/totp", { password: GUEST_PASSWORD })).body;
    const code = new TOTP({ secret }).generate();
    const { recovery_codes: codes } = (await caller.post("/me/totp/confirm", { code })).body;
    await attack(email, { password: GUEST_PASSWORD, totp: "wrong-code" });
    expect(await attempt({ email, totp: codes[0] })).toMatchObject({ status: 429 });
    expect(await attempt({ email, totp: codes[0], device })).toMatchObject({ status: 200 });
  });

  it("from the very network of its user keeps out nobody else's known browser either", async () => {
    const { email, device } = await person("office@example.test");
    const from = "203.0.113.7";
    const responses: number[] = [];
    for (let guess = 0; guess <= 100; guess += 1)
      responses.push((await attempt({ email: `nobody-${guess}@example.test`, from })).status);
    expect([responses.at(99), responses.at(100)]).toEqual([401, 429]);
    expect(await attempt({ email, from })).toMatchObject({ status: 429 });
    expect(await attempt({ email, from, device })).toMatchObject({ status: 200 });
    expect(await attempt({ email, from: "203.0.113.8" })).toMatchObject({ status: 200 });
    // What is refused is kept nowhere: one network fills no table.
    const rows = await gateway.database?.database.query("select 1 from sign_in_failures where address = $1", [
      from,
    ]);
    expect(rows?.length).toBe(100);
  });

  it("does not keep who is signed in from changing the password", async () => {
    const { email, caller } = await person("inside@example.test");
    await attack(email);
    const change = { current_password: GUEST_PASSWORD, new_password: "a password of their own choice" };
    const changed = await caller.post("/me/password", change);
    expect(changed).toMatchObject({ status: 200 });
    const password = change.new_password;
    expect(await attempt({ email, password, device: deviceOf(changed) })).toMatchObject({ status: 200 });
  });

  it("lets the operator of the first start in: from a known browser, and from a new one with a password of the command", async () => {
    const device = deviceOf(await attempt(FIRST_USER));
    await attack(FIRST_USER.email);
    expect(await attempt({ ...FIRST_USER, device })).toMatchObject({ status: 200 });
    const { stdout } = await gateway.run("password", FIRST_USER.email);
    // The attack goes on before anybody has typed the new one.
    await attack(FIRST_USER.email);
    const entered = await attempt({ email: FIRST_USER.email, password: stdout.trim() });
    expect(entered).toMatchObject({ status: 200, body: { must_change_password: true } });
    admin = signedInBy(gateway, entered);
    const change = { current_password: stdout.trim(), new_password: BOOTSTRAP_PASSWORD };
    expect(await admin.post("/me/password", change)).toMatchObject({ status: 200 });
    expect(await attempt({ ...FIRST_USER, device })).toMatchObject({ status: 429 });
  });
});

describe("a browser that has signed in", () => {
  it("is known by a cookie that scripts and other sites cannot read, for half a year", async () => {
    const { email } = await person("cookie@example.test");
    const [session, device] = [(await attempt({ email })).headers["set-cookie"] ?? []].flat();
    expect(session).toMatch(/^faregate_session=/);
    expect(device).toMatch(/^faregate_device=[\w.~-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=15552000$/);
  });

  it("is known over https by a cookie that no other host and no plain http can set", async () => {
    const port = String(await freePort());
    const secure = await startGateway({
      catalog: CATALOG,
      env: {
        PORT: port,
        FAREGATE_PUBLIC_URL: "https://gateway.example",
        FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD,
      },
    });
    try {
      const response = await callerOf({ url: `http://127.0.0.1:${port}` }).post("/session", FIRST_USER);
      const [, device] = [response.headers["set-cookie"] ?? []].flat();
      expect(device).toMatch(/^__Host-faregate_device=.*; Secure$/);
    } finally {
      await secure.clean();
    }
  });

  it("is known for its own user alone, and by nothing that was altered", async () => {
    const [mine, theirs] = [await person("mine@example.test"), await person("theirs@example.test")];
    await attack(theirs.email);
    const altered = [
      mine.device,
      theirs.device.slice(0, -1),
      theirs.device.replace("=", "=0"),
      theirs.device.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      "faregate_device=",
      "faregate_device=~~~.~.",
      `faregate_device=${"a.b.c~".repeat(2_000)}`,
    ];
    for (const device of altered)
      expect(await attempt({ email: theirs.email, device }), device.slice(0, 80)).toMatchObject({
        status: 429,
      });
    expect(await attempt({ email: theirs.email, device: theirs.device })).toMatchObject({ status: 200 });
  });

  it("is known for each of the people who use it", async () => {
    const [one, another] = [await person("one@example.test"), await person("another@example.test")];
    const shared = deviceOf(await attempt({ email: another.email, device: one.device }));
    await attack(one.email);
    await attack(another.email);
    for (const { email } of [one, another])
      expect(await attempt({ email, device: shared })).toMatchObject({ status: 200 });
  });

  it.each<[string, (who: { email: string; caller: SignedIn }) => Promise<string>]>([
    [
      "is changed",
      async ({ caller }) => {
        const password = "another one of their own";
        await caller.post("/me/password", { current_password: GUEST_PASSWORD, new_password: password });
        return password;
      },
    ],
    [
      "is reset by an operator",
      async ({ caller }) =>
        (await admin.post(`/operator/users/${caller.session.user.id}/password`)).body.password,
    ],
    ["is reset by the command", async ({ email }) => (await gateway.run("password", email)).stdout.trim()],
  ])("is a stranger once the password %s", async (how, renew) => {
    const { email, device, caller } = await person(`${how.replaceAll(" ", "-")}@example.test`);
    const password = await renew({ email, caller });
    await attack(email);
    expect(await attempt({ email, password: GUEST_PASSWORD, device })).toMatchObject({ status: 429 });
    // A password that the gateway made is guessed by nobody, so that it is judged whatever others try.
    const status = how === "is changed" ? 429 : 200;
    expect(await attempt({ email, password, device })).toMatchObject({ status });
  });

  it("may accept an invitation of its user while others attack the address", async () => {
    const { email, device } = await person("again@example.test");
    await attack(email);
    const invited = await admin.post("/operator/invitations", { email, operator_role: "operator" });
    const body = { token: tokenOf(invited.body.link), password: GUEST_PASSWORD };
    expect(await callerOf(gateway).post("/invitations/accept", body)).toMatchObject({ status: 429 });
    const accepted = await callerOf(gateway, { cookie: device }).post("/invitations/accept", body);
    expect(accepted).toMatchObject({ status: 200 });
  });
});
