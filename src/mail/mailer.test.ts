import { afterEach, describe, expect, it } from "vitest";
import {
  type FakeSmtp,
  type FakeSmtpOptions,
  startFakeSmtp,
  TEST_CERTIFICATE,
} from "../../test/support/fake-smtp.ts";
import { decodeSettings, settingsFile } from "../catalog/settings.ts";
import { createMailer } from "./mailer.ts";

let server: FakeSmtp | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const MESSAGE = { subject: "Hello", text: "plain", html: "<p>simple</p>" };

async function started(given: object = {}, options: FakeSmtpOptions = {}, environment = {}) {
  server = await startFakeSmtp(options);
  const smtp = { host: "127.0.0.1", port: server.port, tls: "none", from: "gate@faregate.example", ...given };
  const settings = decodeSettings(settingsFile.parse({ smtp })).smtp;
  const mailer = createMailer({ smtp: () => settings, environment });
  return {
    server,
    mailer,
    send: (to = "ops@mail.example", message = MESSAGE) => mailer.send({ to, message, id: "d-1" }),
  };
}

describe("a mail server", () => {
  it("is given plain text and HTML for one recipient, with an id that stays the same", async () => {
    const { server, send } = await started({ from_name: 'Gate, the "first"' });
    expect([await send(), await send()]).toEqual([{ status: 250 }, { status: 250 }]);
    const [first, second] = server.received;
    expect(first).toMatchObject({
      from: "gate@faregate.example",
      to: ["ops@mail.example"],
      text: "plain",
      html: "<p>simple</p>",
    });
    expect(first?.headers.get("message-id")).toBe("<d-1@faregate.example>");
    expect(second?.headers.get("message-id")).toBe("<d-1@faregate.example>");
    expect(first?.headers.get("from")).toContain("<gate@faregate.example>");
  });

  it.each([
    "Budget \r\nBcc: victim@mail.example\r\n\r\nbody",
    "预算 “团队” 已达到 80%\nBcc: victim@mail.example",
    "=?utf-8?B?DQpCY2M6IHZpY3RpbUBtYWlsLmV4YW1wbGU=?=",
  ])("is given no header and no recipient by a subject: %j", async (subject) => {
    const { server, send } = await started();
    expect(await send("ops@mail.example", { ...MESSAGE, subject })).toEqual({ status: 250 });
    const [mail] = server.received;
    expect(mail?.to).toEqual(["ops@mail.example"]);
    expect([...(mail?.headers.keys() ?? [])]).not.toContain("bcc");
    expect(mail?.text).toBe("plain");
  });

  it.each([
    "a@b.example, c@d.example",
    "a@b.example\r\nRCPT TO:<c@d.example>",
    "admin@localhost",
    "x",
    "<a@b.example>",
    "",
  ])("is not asked for a recipient that is no plain address: %j", async (to) => {
    const { server, send } = await started();
    expect(await send(to)).toMatchObject({ isFinal: true });
    expect(server.connections()).toBe(0);
  });

  it.each([
    [
      { reply: "451 4.7.1 try later", to: "RCPT" },
      { status: 451, isFinal: false, detail: "451 4.7.1 try later" },
    ],
    [
      { reply: "550 5.1.1 nobody here", to: "RCPT" },
      { status: 550, isFinal: true },
    ],
    [
      { reply: "554 5.7.1 spam", to: "DATA" },
      { status: 554, isFinal: false },
    ],
    ["drop after DATA", { status: null, isFinal: false }],
    ["hang", { status: null, failure: "The mail server did not respond in time." }],
  ] as const)(
    "that does not accept is told of in a sentence, and accepts the next: %j",
    async (behaviour, outcome) => {
      const { server, send } = await started({ timeout_ms: 1_000 });
      server.next(behaviour);
      expect(await send()).toMatchObject(outcome);
      expect(await send()).toEqual({ status: 250 });
      expect(server.received).toHaveLength(1);
    },
  );

  it("that can't be reached is told of in a sentence", async () => {
    const { server, mailer, send } = await started();
    await server.close();
    expect(await send()).toMatchObject({ status: null, failure: "The mail server can't be reached." });
    expect(await mailer.check()).toMatchObject({ failure: "The mail server can't be reached." });
  });

  it("gets nothing without the TLS that is asked for, and no password", async () => {
    const { server, send } = await started(
      { tls: "starttls", user: "gate" },
      { login: "gate:secret" },
      {
        FAREGATE_SMTP_PASSWORD: "secret",
      },
    );
    expect(await send()).toMatchObject({ status: null, isFinal: false });
    expect(server.received).toEqual([]);
  });

  it("whose certificate nobody vouches for gets nothing", async () => {
    const { server, send } = await started({ tls: "starttls" }, { tls: TEST_CERTIFICATE });
    expect(await send()).toMatchObject({ failure: expect.stringMatching(/encrypted|reached/) });
    expect(server.received).toEqual([]);
  });

  it("that asks for a password gets the one of the environment, which is named where it is missing or wrong", async () => {
    const environment: Record<string, string> = {};
    const { server, mailer, send } = await started(
      { user: "gate", password_env: "MAIL_SMTP_PASSWORD" },
      { login: "gate:secret" },
      environment,
    );
    expect(await send()).toMatchObject({ failure: expect.stringContaining("MAIL_SMTP_PASSWORD") });
    environment["MAIL_SMTP_PASSWORD"] = "wrong";
    expect(await mailer.check()).toMatchObject({
      status: 535,
      failure: "The mail server responded 535 to the sign-in.",
    });
    environment["MAIL_SMTP_PASSWORD"] = "secret";
    expect(await mailer.check()).toBeUndefined();
    expect(await send()).toEqual({ status: 250 });
    expect(server.received[0]?.signedInAs).toBe("gate:secret");
  });

  it("that is not set is named", async () => {
    const mailer = createMailer({ smtp: () => null, environment: {} });
    expect(await mailer.send({ to: "a@b.example", message: MESSAGE, id: "1" })).toMatchObject({
      isFinal: false,
    });
  });
});
