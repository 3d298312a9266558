import { afterEach, describe, expect, it } from "vitest";
import { BOOTSTRAP_PASSWORD, callerOf, signIn, tokenCaller } from "../support/console.ts";
import { GUEST_PASSWORD, inviteGuest, tokenOf } from "../support/console-people.ts";
import { createTestDatabase } from "../support/database.ts";
import { runSql } from "../support/embedded.ts";
import { freePort } from "../support/free-port.ts";
import { type StartOptions, startGateway, type TestGateway } from "../support/gateway.ts";

const CATALOG = "version: 1\nmodels: []\naccounts: [{ name: alpha }]\n";
const MASTER_KEY = "canary master UGFub3JhbWE4 Vt2n";
const opened: TestGateway[] = [];

afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.clean();
});

async function start(options: StartOptions): Promise<TestGateway> {
  const gateway = await startGateway(options);
  opened.push(gateway);
  return gateway;
}

const printed = (gateway: TestGateway) => /Sign in +(\S+) \/ (\S+) \(shown only once/.exec(gateway.output());

describe("the first start", () => {
  it.each([
    ["the demo catalog", {}],
    ["a catalog file", { catalog: CATALOG }],
  ])(
    "with %s prints a password made for this installation, which is good for choosing one's own",
    async (_, options) => {
      const gateway = await start(options);
      const [, email = "", password = ""] = printed(gateway) ?? [];
      expect(email).toBe("admin@localhost");
      expect(password).toMatch(/^\w{20}$/);
      const admin = await signIn(gateway, { email, password });
      expect(admin.session).toMatchObject({ must_change_password: true, user: { is_operator: true } });
      expect(await admin.get("/operator/users")).toMatchObject({
        status: 403,
        body: { error: { code: "password_change_required" } },
      });
      const change = { current_password: password, new_password: "an administrator's own" };
      expect(await admin.post("/me/password", change)).toMatchObject({ status: 200 });
      expect(await admin.get("/operator/users")).toMatchObject({ status: 200 });
    },
  );

  it("has no default password: another one every time, and none that people guess", async () => {
    const [one, another] = [await start({ catalog: CATALOG }), await start({ catalog: CATALOG })];
    expect(printed(one)?.[2]).not.toBe(printed(another)?.[2]);
    for (const guess of ["", "admin", "password", "faregate", "changeme", "admin@localhost"])
      expect(
        await callerOf(one).post("/session", { email: "admin@localhost", password: guess }),
      ).toMatchObject({
        status: 401,
      });
  });

  it("takes a session over https from no cookie that another host or plain http could have set", async () => {
    const port = String(await freePort());
    const env = { PORT: port, FAREGATE_PUBLIC_URL: "https://gateway.example" };
    await start({ catalog: CATALOG, env: { ...env, FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD } });
    const gateway = { url: `http://127.0.0.1:${port}` };
    const admin = await signIn(gateway);
    expect(admin.cookie).toMatch(/^__Host-faregate_session=\w{42}$/);
    expect((await admin.get("/session")).status).toBe(200);
    const planted = callerOf(gateway, { cookie: admin.cookie.replace("__Host-", "") });
    expect((await planted.get("/session")).status).toBe(401);
  });

  it("makes the first user of a database that has accounts and nobody to sign in, and never a second", async () => {
    const database = await createTestDatabase();
    try {
      await database.database.execute("insert into accounts (name, group_name) values ('old', 'default')");
      const first = await startGateway({ catalog: CATALOG, database });
      const [, email = "", password = ""] = printed(first) ?? [];
      expect((await signIn(first, { email, password })).session.accounts).toMatchObject([
        { name: "alpha" },
        { name: "old" },
      ]);
      await first.end();
      const env = { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD };
      const second = await startGateway({ catalog: CATALOG, database, env });
      expect(second.output()).not.toMatch(/Sign in/);
      const response = await callerOf(second).post("/session", { email, password: BOOTSTRAP_PASSWORD });
      expect(response.status).toBe(401);
      await second.end();
    } finally {
      await database.drop();
    }
  });
});

describe("who is locked out", () => {
  it("is let in again by whoever has the machine, without codes and to choose a password", async () => {
    const gateway = await start({
      catalog: CATALOG,
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    const before = await signIn(gateway);
    const { token } = (await before.post("/me/tokens", { name: "script" })).body;
    for (let failure = 0; failure < 11; failure += 1)
      await callerOf(gateway).post("/session", { email: "admin@localhost", password: "forgotten" });
    const { code, stdout } = await gateway.run("password", "Admin@localhost");
    expect(code).toBe(0);
    for (const caller of [before, tokenCaller(gateway, token)])
      expect(await caller.get("/session")).toMatchObject({ status: 401 });
    const back = await signIn(gateway, { email: "admin@localhost", password: stdout.trim() });
    expect(back.session.must_change_password).toBe(true);
    const unknown = await gateway.run("password", "nobody@localhost");
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("K2, people's secrets at rest", () => {
  it("a dump of the database and the log hold no password, session, token, code or invitation, in any coding", async () => {
    const gateway = await start({
      catalog: CATALOG,
      env: {
        FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD,
        FAREGATE_MASTER_KEY: MASTER_KEY,
        LOG_LEVEL: "trace",
      },
    });
    const admin = await signIn(gateway);
    const account = { id: admin.session.accounts[0]?.id ?? "", role: "owner" as const };
    const guest = await inviteGuest(gateway, admin, { email: "guest@example.test", account });
    const token = (await guest.post("/me/tokens", { name: "script" })).body.token as string;
    await tokenCaller(gateway, token).get("/session");
    const totp = (await guest.post("/me/totp", { password: GUEST_PASSWORD })).body.secret as string;
    const invitation = (await admin.post("/operator/invitations", { email: "x@y.test", account })).body.link;
    const made = (await admin.post(`/operator/users/${guest.session.user.id}/password`)).body.password;
    const typed = "a password typed as the address";
    await callerOf(gateway).post("/session", { email: `${typed.replaceAll(" ", "-")}@x`, password: typed });
    const secretOf = (cookie: string): string => cookie.split("=")[1] ?? "";

    const secrets = [
      ...[BOOTSTRAP_PASSWORD, GUEST_PASSWORD, made, token, totp, tokenOf(invitation), typed, MASTER_KEY],
      ...[typed.replaceAll(" ", "-"), secretOf(admin.cookie), secretOf(guest.cookie)],
      ...[admin.session.csrf_token ?? "", guest.session.csrf_token ?? ""],
    ];
    expect(secrets.every((secret) => secret.length >= 20)).toBe(true);
    const url = gateway.database?.url ?? "";
    const tables = await runSql(
      url,
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    let seen = gateway.output();
    for (const { name } of tables)
      seen += (await runSql(url, `select t::text as text from ${name} t`)).map(({ text }) => text).join("\n");
    expect(seen).toContain("guest@example.test");
    for (const secret of secrets) {
      const codings = [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")];
      for (const coding of codings) expect(seen).not.toContain(coding);
    }
  });
});
