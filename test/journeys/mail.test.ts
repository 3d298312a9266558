import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, callerOf, type SignedIn, signIn } from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import { type FakeSmtp, type ReceivedMail, startFakeSmtp } from "../support/fake-smtp.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

let sandbox: TestSandbox;
let smtp: FakeSmtp;
let gateways: Gateways;
let operator: SignedIn;
let account: string;
let key: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  smtp = await startFakeSmtp({ login: "gate:a mail password" });
  gateways = await startGateways(3, {
    catalog: catalogFile({
      upstreams: [{ url: sandbox.url, models: ["text"] }],
      settings: `{ smtp: { host: 127.0.0.1, port: ${smtp.port}, tls: none, user: gate, from: gate@faregate.example, timeout_ms: 2000 } }`,
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, FAREGATE_SMTP_PASSWORD: "a mail password" },
  });
  operator = await signIn(gateways.first);
  account = (await operator.post("/operator/accounts", { name: 'Labör "1" <b>' })).body.id;
  await operator.post(`/operator/accounts/${account}/adjustments`, {
    amount_usd: "100",
    reason: "a test",
    idempotency_key: "mail-journey-1",
  });
  key = (await operator.post(`/accounts/${account}/keys`, { name: "main" })).body.secret;
});

afterAll(async () => {
  await gateways?.clean();
  await sandbox?.stop();
  await smtp?.close();
});

const mailTo = (address: string): ReceivedMail[] => smtp.received.filter(({ to }) => to.includes(address));
const arrived = (address: string, count = 1): Promise<ReceivedMail[]> =>
  waitFor(`mail to ${address}`, () => {
    const found = mailTo(address);
    return found.length >= count && found;
  });
const linkIn = ({ text }: ReceivedMail): string => /https?:\/\/\S+/.exec(text)?.[0] ?? "";

describe("e-mail", () => {
  it("of a test arrives, and its result stays visible", async () => {
    const sent = await operator.post("/operator/mail/test", { address: "tester@mail.example" });
    expect(sent.status).toBe(200);
    await arrived("tester@mail.example");
    const state = await waitFor("the result", async () => {
      const { body } = await operator.get("/operator/mail");
      return body.deliveries[0].delivered_at !== null && body;
    });
    expect(state).toMatchObject({
      is_set: true,
      deliveries: [{ event: "mail.test", address: "tester@mail.example" }],
    });
    smtp.next({ reply: "550 5.7.1 not from you", to: "DATA" });
    await operator.post("/operator/mail/test", { address: "other@mail.example" });
    const refused = await waitFor("the refusal", async () => {
      const { body } = await operator.get("/operator/mail");
      const [latest] = body.deliveries;
      return latest.address === "other@mail.example" && latest.attempts === 1 && latest;
    });
    expect(refused).toMatchObject({ delivered_at: null, next_attempt_at: null });
    expect(refused.failure).toContain("550 5.7.1 not from you");
  });

  it("of a budget and of a low balance comes once to each address, however many processes look", async () => {
    const address = "budget@mail.example";
    const targets = [
      { kind: "email", address },
      { kind: "email", address: "second@mail.example" },
    ];
    const made = await operator.post(`/accounts/${account}/budgets`, {
      name: "预算 “A” <i>",
      amount_nanos: "1",
      period: "month",
      hard: false,
      alerts: { percents: [50, 100], targets },
    });
    expect(made.status).toBe(201);
    expect(made.body.alerts.targets).toEqual(targets);
    const alert = { amount_usd: "1000", emails: ["low@mail.example"] };
    expect((await operator.put(`/accounts/${account}/balance-alert`, alert)).body.alert).toMatchObject({
      url: null,
      emails: ["low@mail.example"],
    });
    const order = { model: "text", max_tokens: 20, messages: [{ role: "user", content: "hello" }] };
    for (const url of gateways.urls) {
      const { status, json } = await ask(url, "/v1/chat/completions", order, { key });
      expect([status, json.error ?? null]).toEqual([200, null]);
    }
    const [mail] = await arrived(address);
    await arrived("second@mail.example");
    const [low] = await arrived("low@mail.example");
    for (const part of ['Labör "1" <b>', "预算 “A” <i>", "100%", `/accounts/${account}/budgets`])
      expect(mail?.text).toContain(part);
    expect(mail?.html).not.toMatch(/<[bi]>/);
    expect(mail?.headers.get("subject")).toBe('Budget "预算 “A” <i>" of "Labör "1" <b>" has reached 100%');
    expect(low?.text).toContain("less than $1000");
    // A budget that is reached later is told of later: by then a second message of this one would be here.
    await operator.post(`/accounts/${account}/budgets`, {
      name: "later",
      amount_nanos: "1",
      period: "day",
      hard: false,
      alerts: { percents: [100], targets: [{ kind: "email", address: "later@mail.example" }] },
    });
    await ask(gateways.first.url, "/v1/chat/completions", order, { key });
    await arrived("later@mail.example");
    expect([address, "second@mail.example", "low@mail.example"].map((each) => mailTo(each).length)).toEqual([
      1, 1, 1,
    ]);
  });

  it("is tried again where the server hangs, drops or answers 4xx, and arrives once", async () => {
    const made = await operator.post(`/accounts/${account}/budgets`, {
      name: "retried",
      amount_usd: "1000000",
      period: "month",
      hard: false,
      alerts: { percents: [100], targets: [{ kind: "email", address: "retried@mail.example" }] },
    });
    smtp.next("drop after DATA");
    expect((await operator.post(`/accounts/${account}/budgets/${made.body.id}/test`)).body).toEqual({
      sent: 1,
    });
    const attempts = await waitFor("the second attempt", async () => {
      const { body } = await operator.get(`/accounts/${account}/balance-alert`);
      const found = body.deliveries.find(({ event }: { event: string }) => event === "budget.test");
      return found?.delivered_at != null && found.attempts;
    });
    expect(attempts.map(({ status }: { status: number | null }) => status)).toEqual([null, 250]);
    expect(mailTo("retried@mail.example")).toHaveLength(1);
  });

  it("with an invitation opens the account, once", async () => {
    const made = await operator.post("/operator/invitations", {
      email: "guest@mail.example",
      account: { id: account, role: "member" },
      operator_role: null,
    });
    expect(made.body.mailed).toBe(true);
    const [mail] = await arrived("guest@mail.example");
    expect(mail?.text).toContain("admin@localhost has invited you");
    const token = new URL(linkIn(mail as ReceivedMail)).hash.slice(1);
    expect(made.body.link.endsWith(`/invitation#${token}`)).toBe(true);
    const accept = () =>
      callerOf(gateways.first).post("/invitations/accept", { token, password: "a guest's own password" });
    expect((await accept()).status).toBe(200);
    expect((await accept()).status).toBe(404);
  });

  it("with a reset link changes the password once, and ends what the old one opened", async () => {
    const email = "forgetful@mail.example";
    const before = await inviteGuest(gateways.first, operator, {
      email,
      account: { id: account, role: "viewer" },
    });
    await arrived(email);
    await before.put("/me/language", { language: "zh" });
    const nobody = callerOf(gateways.first);
    expect((await nobody.get("/sign-in")).body.password_reset).toBe(true);
    const known = await nobody.post("/password-resets", { email });
    const unknown = await nobody.post("/password-resets", { email: "stranger@mail.example" });
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    const [, mail] = await arrived(email, 2);
    expect(mail?.headers.get("subject")).toBe("重置密码");
    const link = new URL(linkIn(mail as ReceivedMail));
    expect(link.pathname).toBe("/reset-password");
    const token = link.hash.slice(1);
    expect((await nobody.post("/password-resets/view", { token })).body).toEqual({ email });
    const use = (new_password: string) => nobody.post("/password-resets/use", { token, new_password });
    expect((await use("short")).status).toBe(400);
    expect((await use("another password")).status).toBe(200);
    expect((await use("a third password")).status).toBe(404);
    expect((await before.get("/session")).status).toBe(401);
    expect((await signIn(gateways.first, { email, password: "another password" })).session.user.email).toBe(
      email,
    );
    // The stranger's request came before: an e-mail of it would be here.
    expect(mailTo("stranger@mail.example")).toEqual([]);
    const { body } = await operator.get("/operator/mail");
    expect(body.deliveries.map(({ address }: { address: string }) => address)).not.toContain(
      "stranger@mail.example",
    );
  });

  it("is sent to one address ten times in a quarter of an hour at most, known or not", async () => {
    for (const email of ["guest@mail.example", "unknown@mail.example"]) {
      const statuses: number[] = [];
      for (let count = 0; count < 11; count += 1)
        statuses.push((await callerOf(gateways.first).post("/password-resets", { email })).status);
      expect(statuses.filter((status) => status === 429).length, email).toBeGreaterThan(0);
      expect(statuses[0], email).toBe(200);
    }
  });

  it.each([
    ["a list of addresses", "a@mail.example, b@mail.example"],
    ["a header behind it", "a@mail.example\r\nBcc: b@mail.example"],
    ["a name", "A <a@mail.example>"],
    ["no domain", "admin@localhost"],
  ])("goes to no target that is %s", async (_, address) => {
    const refused = await operator.post(`/accounts/${account}/budgets`, {
      name: "wrong",
      amount_usd: "1",
      period: "day",
      hard: false,
      alerts: { percents: [50], targets: [{ kind: "email", address }] },
    });
    expect([refused.status, refused.body.error.param]).toEqual([400, "alerts.targets.0.address"]);
    expect((await operator.post("/operator/mail/test", { address })).status).toBe(400);
  });

  it("is checked by doctor, which never shows the password", async () => {
    const good = await gateways.first.run("doctor");
    expect(good.stdout).toContain("ok    mail server");
    smtp.next({ reply: "535 5.7.8 wrong password", to: "AUTH" });
    const bad = await gateways.first.run("doctor");
    expect(bad.stdout).toMatch(/FAIL {2}mail server: The mail server responded 535/);
    expect(good.stdout + bad.stdout + gateways.first.output()).not.toContain("a mail password");
  });
});
