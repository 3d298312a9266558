import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

let sandbox: TestSandbox;
let receiver: Server;
let gateway: TestGateway;
let operator: SignedIn;
let account: string;
let key: { readonly id: string; readonly secret: string };
const heard: { readonly path: string; readonly signature: string | undefined; readonly body: string }[] = [];

beforeAll(async () => {
  sandbox = await startSandbox();
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const signature = request.headers["x-faregate-signature"];
      heard.push({
        path: request.url ?? "",
        signature: typeof signature === "string" ? signature : undefined,
        body: Buffer.concat(chunks).toString(),
      });
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  gateway = await startGateway({
    catalog: catalogFile({
      likeText: ["text-small"],
      upstreams: [{ url: sandbox.url, models: ["text", "text-small"] }],
      settings: `{ egress_allow: ["127.0.0.1:${port}"] }`,
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
  account = (await operator.post("/operator/accounts", { name: "laboratory" })).body.id;
  await operator.post(`/operator/accounts/${account}/adjustments`, {
    amount_usd: "100",
    reason: "a test",
    idempotency_key: "budgets-1",
  });
  const made = await operator.post(`/accounts/${account}/keys`, { name: "main" });
  key = { id: made.body.key.id, secret: made.body.secret };
});

afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await sandbox?.stop();
  receiver?.close();
});

const at = (path = "") => `/accounts/${account}/budgets${path}`;
const hook = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`;
const call = (model = "text") =>
  ask(
    gateway.url,
    "/v1/chat/completions",
    { model, max_tokens: 20, messages: [{ role: "user", content: "hello" }] },
    { key: key.secret },
  );

describe("a budget", () => {
  it("finds room for five that count the same requests, and for others beside them", async () => {
    const { body: other } = await operator.post("/operator/accounts", { name: "many" });
    const budgets = `/accounts/${other.id}/budgets`;
    const order = { amount_usd: "1", period: "day", hard: true };
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) => operator.post(budgets, { ...order, name: `b${index}` })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 409, 409, 409]);
    expect((await operator.post(budgets, { ...order, name: "model", model: "text" })).status).toBe(201);
  });

  it("that covers a shorter response refuses nothing, and so isn't reached", async () => {
    const targets = [{ kind: "slack", url: hook("/room") }];
    const order = { name: "room", amount_usd: "0.25", period: "month", hard: true };
    const made = await operator.post(at(), { ...order, alerts: { percents: [100], targets } });
    expect(made.status).toBe(201);
    const served = await ask(
      gateway.url,
      "/v1/chat/completions",
      { model: "text", messages: [{ role: "user", content: "hello" }] },
      { key: key.secret },
    );
    expect(served.status).toBe(200);
    expect(Number(served.headers.get("x-faregate-output-limit"))).toBeGreaterThan(0);
    // The alerts of the next test come later than those of this one would.
    await operator.patch(at(`/${made.body.id}`), { hard: false });
  });

  it("refuses at once what would exceed it, tells channels and webhooks, and lets go when it is raised", async () => {
    const made = await operator.post(at(), {
      name: "text",
      model: "text",
      amount_nanos: "1000",
      period: "month",
      hard: true,
      alerts: {
        percents: [100],
        targets: [
          { kind: "slack", url: hook("/slack") },
          { kind: "teams", url: hook("/teams") },
          { kind: "webhook", url: hook("/signed") },
        ],
      },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ amount_usd: "0.000001", spent_nanos: "0", period: "month" });
    const refused = await call();
    expect([refused.status, refused.json.error.code]).toEqual([403, "insufficient_user_quota"]);
    expect(refused.json.error.message).toContain(`the account's budget "text" of $0.000001`);
    expect((await call("text-small")).status).toBe(200);

    await waitFor("the alerts", () => heard.length >= 3);
    const bodies = new Map(heard.map(({ path, body }) => [path, JSON.parse(body)]));
    const sentence =
      'Budget "text" of account "laboratory" has reached 100%: $0 of $0.000001 spent this month. Requests that exceed it are refused.';
    expect(bodies.get("/slack")).toEqual({ text: sentence });
    expect(bodies.get("/teams")).toMatchObject({
      attachments: [{ content: { body: [{ text: sentence }] } }],
    });
    expect(bodies.get("/signed")).toMatchObject({
      type: "budget.reached",
      data: { budget: made.body.id, percent: 100, amount_nanos: "1000", hard: true },
    });
    expect(heard.map(({ path }) => path)).not.toContain("/room");
    expect(heard.filter(({ signature }) => signature !== undefined).map(({ path }) => path)).toEqual([
      "/signed",
    ]);

    const raised = await operator.patch(at(`/${made.body.id}`), { amount_usd: "5" });
    expect(raised.body).toMatchObject({ amount_usd: "5" });
    const served = await call();
    expect(served.status).toBe(200);
    const shown = await waitFor("the spending", async () => {
      const { body } = await operator.get(at(`/${made.body.id}`));
      return body.spent_nanos !== "0" && body;
    });
    const { body: receipt } = await operator.get(
      `/accounts/${account}/requests/${served.headers.get("x-request-id")}`,
    );
    expect(shown.spent_nanos).toBe(receipt.charge_nanos ?? receipt.receipt?.charge_nanos);
    const { body: all } = await operator.get("/operator/budgets");
    expect(all.data).toContainEqual(
      expect.objectContaining({ name: "text", account: { id: account, name: "laboratory" } }),
    );
    await operator.del(at(`/${made.body.id}`));
    expect((await operator.get(at())).body.data).toMatchObject([{ name: "room" }]);
    expect((await call()).status).toBe(200);
    await cleanLedger(gateway);
  });

  it("counts the keys of one person, or one key, and names both", async () => {
    const me = operator.session.user.id;
    const mine = await operator.post(at(), {
      name: "mine",
      user: me,
      amount_usd: "1",
      period: "day",
      hard: false,
    });
    expect([mine.status, mine.body.param ?? mine.body.error?.param]).toEqual([400, "user"]);
    const ofKey = await operator.post(at(), {
      name: "key",
      key: key.id,
      amount_usd: "1",
      period: "day",
      hard: false,
    });
    expect(ofKey.body).toMatchObject({ key: { id: key.id, name: "main" }, hard: false });
    await call("text-small");
    await waitFor("the spending", async () => {
      const { body } = await operator.get(at(`/${ofKey.body.id}`));
      return body.spent_nanos !== "0";
    });
  });

  it("is listed for operators by how near it is to its amount, page by page", async () => {
    const tiny = await operator.post(at(), { name: "tiny", amount_nanos: "1", period: "day", hard: false });
    await call();
    const spent = async () => (await operator.get(at(`/${tiny.body.id}`))).body.spent_nanos !== "0";
    await waitFor("the spending", spent);
    const { body: whole } = await operator.get("/operator/budgets");
    const names: string[] = [];
    for (let after = ""; ; ) {
      const { body: page } = await operator.get(`/operator/budgets?limit=1${after}`);
      names.push(...page.data.map(({ name }: { name: string }) => name));
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    expect(names[0]).toBe("tiny");
    expect(names).toEqual(whole.data.map(({ name }: { name: string }) => name));
    expect((await operator.get("/operator/budgets?after=x")).body.error.param).toBe("after");
  });

  it.each([
    ["a name that is taken", { name: "key" }, 409, "name"],
    ["no amount", { amount_usd: undefined }, 400, "amount_usd"],
    ["an amount below zero", { amount_usd: "-1" }, 400, "amount_usd"],
    ["a period that is none", { period: "year" }, 400, "period"],
    ["a key of another account", { key: "999999" }, 400, "key"],
    ["a key that can be none", { key: "9".repeat(30) }, 400, "key"],
    ["a model that is none", { model: "text " }, 400, "model"],
    ["a percentage twice", { alerts: { percents: [50, 50], targets: [] } }, 400, "alerts.percents"],
    [
      "a file as a target",
      { alerts: { percents: [50], targets: [{ kind: "slack", url: "file:///x" }] } },
      400,
      "alerts.targets.0.url",
    ],
  ])("is refused with %s", async (_, change, status, param) => {
    const good = { name: "other", amount_usd: "1", period: "day", hard: true };
    const refused = await operator.post(at(), { ...good, ...change });
    expect(refused.status).toBe(status);
    expect(refused.body.error.param ?? "").toContain(param);
  });
});
