import { describe, expect, it } from "vitest";
import { decodeSettings, settingsFile } from "./settings.ts";

const PROVIDER = { id: "work", name: "Work", issuer: "https://login.example", client_id: "faregate" };

const SMTP = { host: "mail.example", from: "gate@faregate.example" };

describe("settings", () => {
  it("that nobody gave have the documented defaults", () => {
    expect(decodeSettings(settingsFile.parse({}))).toEqual({
      egressAllow: [],
      taskDeadlineMinutes: { image: 15, video: 60 },
      usageRetentionDays: 90,
      taskRetentionDays: 30,
      refusalRetentionDays: 7,
      chargeEmptyAnswers: false,
      countTokens: true,
      keepalive: { firstMs: 25_000, betweenMs: 15_000 },
      maxPasses: 100,
      holdCalls: 1,
      unpriced: "refuse",
      affinity: "auto",
      affinityHeader: null,
      foreignIds: null,
      mirror: { kind: "none" },
      smtp: null,
      bodyMemoryMb: 256,
      metricsAddress: null,
      metricsToken: null,
      trustedProxies: [],
      signIn: {
        selfRegistration: false,
        oidc: [],
        requireSso: false,
        requireTwoFactor: { operators: false, accounts: [] },
        operatorAddresses: null,
      },
      queues: { balanceWaiting: 1_000, balanceWaitMs: 10_000, tasksPerModel: 10_000 },
    });
  });

  it("that were given count, and those beside them keep their defaults", () => {
    const given = settingsFile.parse({
      task_deadline_minutes: { video: 90 },
      charge_empty_answers: true,
      foreign_ids: "allow",
      metrics_address: "[::1]:9100",
      trusted_proxies: ["10.0.0.0/8", "::1", "::ffff:10.0.0.5", "::ffff:10.0.0.0/104"],
      queues: { balance_waiting: 0 },
    });
    expect(decodeSettings(given)).toMatchObject({
      taskDeadlineMinutes: { image: 15, video: 90 },
      chargeEmptyAnswers: true,
      foreignIds: "allow",
      metricsAddress: "[::1]:9100",
      trustedProxies: ["10.0.0.0/8", "::1", "::ffff:10.0.0.5", "::ffff:10.0.0.0/104"],
      queues: { balanceWaiting: 0, balanceWaitMs: 10_000 },
    });
  });

  it("name a header whatever its case, or none", () => {
    const header = (affinity_header: string | null) =>
      decodeSettings(settingsFile.parse({ affinity_header }));
    expect(["X-Thread-Id", null].map((name) => header(name).affinityHeader)).toEqual(["x-thread-id", null]);
  });

  it("name no port beyond the last one there is", () => {
    const reads = (metrics_address: string) => settingsFile.safeParse({ metrics_address }).success;
    expect(["127.0.0.1:65535", "127.0.0.1:65536", "[::1]:99999"].map(reads)).toEqual([true, false, false]);
  });

  it("name an identity provider, and where its secret is rather than the secret", () => {
    const given = settingsFile.parse({ sign_in: { self_registration: true, oidc: [PROVIDER] } });
    expect(decodeSettings(given).signIn).toEqual({
      selfRegistration: true,
      oidc: [
        {
          id: "work",
          name: "Work",
          issuer: "https://login.example",
          clientId: "faregate",
          clientSecretName: "FAREGATE_OIDC_CLIENT_SECRET",
          scopes: [],
          groupsClaim: "groups",
          domains: [],
          groups: [],
        },
      ],
      requireSso: false,
      requireTwoFactor: { operators: false, accounts: [] },
      operatorAddresses: null,
    });
  });

  it.each([
    [{}, { port: 587, tls: "starttls", user: null, passwordName: "FAREGATE_SMTP_PASSWORD" }],
    [
      { tls: "implicit", user: "gate", password_env: "SMTP_PASSWORD" },
      { port: 465, passwordName: "SMTP_PASSWORD" },
    ],
    [{ tls: "none" }, { port: 25, fromName: "Faregate", timeoutMs: 15_000 }],
    [
      { host: "::1", tls: "none", user: "gate" },
      { host: "::1", user: "gate" },
    ],
  ])("name a mail server, and where its password is rather than the password: %j", (given, read) => {
    expect(decodeSettings(settingsFile.parse({ smtp: { ...SMTP, ...given } })).smtp).toMatchObject(read);
  });

  it.each([
    ["an account without its role", { group: "g", account: "a" }],
    ["a role without its account", { group: "g", role: "viewer" }],
    ["nothing", { group: "g" }],
    ["two things", { group: "g", account: "a", role: "viewer", operator_role: "billing" }],
  ])("give a group no %s", (_, group) => {
    expect(settingsFile.safeParse({ sign_in: { oidc: [{ ...PROVIDER, groups: [group] }] } }).success).toBe(
      false,
    );
  });

  it("require an identity provider only where there is one", () => {
    const reads = (oidc: object[]) =>
      settingsFile.safeParse({ sign_in: { require_sso: true, oidc } }).success;
    expect([reads([]), reads([PROVIDER])]).toEqual([false, true]);
  });

  it("name a bucket completely", () => {
    const mirror = { kind: "s3" as const, endpoint: "https://s3.example/", bucket: "results" };
    expect(decodeSettings(settingsFile.parse({ mirror })).mirror).toEqual({
      kind: "s3",
      endpoint: "https://s3.example",
      bucket: "results",
      region: "us-east-1",
      prefix: "",
    });
    const prefixed = { ...mirror, region: "eu", prefix: "a/b.c/" };
    expect(decodeSettings(settingsFile.parse({ mirror: prefixed })).mirror).toMatchObject({
      region: "eu",
      prefix: "a/b.c/",
    });
  });

  it.each([
    { usage_retention: 3 },
    { usage_retention_days: 0 },
    { usage_retention_days: 1.5 },
    { task_retention_days: 29 },
    { task_deadline_minutes: { audio: 1 } },
    { metrics_address: "9100" },
    { trusted_proxies: ["the proxy"] },
    { sign_in: { oidc: [{ ...PROVIDER, client_secret: "a secret that would be exported" }] } },
    { sign_in: { oidc: [{ ...PROVIDER, client_secret_env: "FAREGATE_MASTER_KEY" }] } },
    { sign_in: { oidc: [{ ...PROVIDER, issuer: "https://id:secret@login.example" }] } },
    { sign_in: { oidc: [PROVIDER, PROVIDER] } },
    { mirror: { kind: "tape" } },
    { mirror: { kind: "disk", bucket: "results" } },
    { mirror: { kind: "s3", endpoint: "https://s3.example" } },
    { mirror: { kind: "s3", endpoint: "ftp://s3.example", bucket: "results" } },
    { mirror: { kind: "s3", endpoint: "https://key:secret@s3.example", bucket: "results" } },
    { mirror: { kind: "s3", endpoint: "https://s3.example", bucket: "results", secret_key: "s" } },
    { mirror: { kind: "s3", endpoint: "https://s3.example", bucket: "results", prefix: "../" } },
    { mirror: { kind: "s3", endpoint: "https://s3.example", bucket: "results", prefix: "copies" } },
    { smtp: { from: "gate@faregate.example" } },
    { smtp: { ...SMTP, host: "mail.example:587" } },
    { smtp: { ...SMTP, host: "http://mail.example" } },
    { smtp: { ...SMTP, port: 0 } },
    { smtp: { ...SMTP, password: "a secret that would be exported" } },
    { smtp: { ...SMTP, user: "gate", password_env: "FAREGATE_MASTER_KEY" } },
    { smtp: { ...SMTP, user: "gate", tls: "none" } },
    { smtp: { ...SMTP, from: "Faregate <gate@faregate.example>" } },
    { smtp: { ...SMTP, from_name: "Gate\r\nBcc: a@b.example" } },
    { smtp: { ...SMTP, timeout_ms: 60_000 } },
    { egress_allow: ["http://nas/"] },
    { affinity: "session" },
    { affinity_header: "x thread id" },
    { affinity_header: "" },
  ])("refuse what is misspelt or out of range: %j", (given) => {
    expect(settingsFile.safeParse(given).success).toBe(false);
  });
});
