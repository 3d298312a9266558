import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
let operator: SignedIn;
let account = "";

beforeAll(async () => {
  gateway = await startGateway({
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    catalog: `version: 1\naccounts: [{ name: alpha, balance: 10, keys: [{ name: filed, key: ${TEST_KEY} }] }]\n`,
  });
  operator = await signIn(gateway);
  account = `/accounts/${operator.session.accounts[0]?.id}`;
});
afterAll(() => gateway?.clean());

describe("text that the database does not take", () => {
  const NUL = "a\u0000b";

  it("is refused wherever the console's bodies have it, by the field's name", async () => {
    const adjustment = { amount_usd: "1", reason: NUL, idempotency_key: "nul-in-a-reason" };
    for (const [path, body, param] of [
      [`/operator${account}/adjustments`, adjustment, "reason"],
      ["/operator/code-batches", { amount_usd: "1", count: 1, note: NUL }, "note"],
      ["/operator/accounts", { name: "beta", group: NUL }, "group"],
      ["/me/tokens", { name: NUL }, "name"],
    ] as const) {
      const { status, body: response } = await operator.post(path, body);
      expect([path, status, response.error?.code, response.error?.param]).toEqual([
        ...[path, 400, "invalid_request", param],
      ]);
    }
  });

  it("is refused in queries too", async () => {
    for (const path of [
      "/operator/accounts?search=%00",
      "/operator/accounts?group=%00",
      "/operator/audit?actor=%00",
      "/operator/audit?action=%00",
      "/operator/queue?model=%00",
      `${account}/tasks?model=%00`,
    ]) {
      const { status, body } = await operator.get(path);
      expect([path, status, body.error?.code]).toEqual([path, 400, "invalid_request"]);
    }
  });
});

describe("the mark of a page", () => {
  const word = (text: string) => Buffer.from(text).toString("base64url");
  const FORGED = [
    ...["0", "no%20mark", "9".repeat(19), "%ED%A0%80", "%00", "a%00b", "7aCA"],
    ...["\0", "a\0b", "1 a\0", "1 \0", "1:\0"].map(word),
    // Days and places that are none to PostgreSQL.
    ...["2026-02-31~1", "0000-01-01~1", `2026-01-01~${"9".repeat(19)}`],
  ];

  it("that no list has given is refused by every list alike", async () => {
    const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, { get?: { parameters: { name: string }[] } }>;
    };
    const lists = Object.entries(paths)
      .filter(
        ([path, { get }]) => path.startsWith("/api") && get?.parameters.some((each) => each.name === "after"),
      )
      // Its marks are ids of requests, which are texts of any kind.
      .filter(([path]) => !path.endsWith("/statement/{entry}/requests"))
      .map(([path]) => path.slice("/api".length).replace("/accounts/{account}", account));
    expect(lists.length).toBeGreaterThan(10);
    const batch = (await operator.post("/operator/code-batches", { amount_usd: "1", count: 1 })).body;
    for (const list of lists)
      for (const mark of FORGED) {
        const path = list.replace(/\{\w+\}/, batch.id);
        const { status, body } = await operator.get(`${path}?after=${mark}`);
        expect([path, mark, status, body.error?.param]).toEqual([path, mark, 400, "after"]);
      }
    // The place of a task, say, in the audit log.
    const other = await operator.get(`/operator/audit?after=${word("1 a-task")}`);
    expect([other.status, other.body.error?.param]).toEqual([400, "after"]);
  });
});

describe("a key's name", () => {
  const MISNAMED = ["two\nlines", "a\ttab", " ", "n".repeat(201)];

  it("is one that the catalog file can hold, from the console", async () => {
    const { body: made } = await operator.post(`${account}/keys`, { name: "well named" });
    for (const name of MISNAMED) {
      const responses = [
        await operator.post(`${account}/keys`, { name }),
        await operator.patch(`${account}/keys/${made.key.id}`, { name }),
      ];
      expect(responses.map(({ status, body }) => [status, body.error?.param])).toEqual([
        ...[
          [400, "name"],
          [400, "name"],
        ],
      ]);
    }
  });

  it("is one that the catalog file can hold, from the command line", async () => {
    for (const name of MISNAMED) {
      const { code, stdout, stderr } = await gateway.run(
        "keys",
        "create",
        "--account",
        "alpha",
        "--name",
        name,
      );
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("--name takes")]);
    }
  });
});
