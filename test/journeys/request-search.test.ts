import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";
import { call, type Heard, type Wish } from "../support/text-caller.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

/** What is the operator's: no reader may find it, not even in a vendor's words. */
const CREDENTIAL = "first-secret-0123456789abcdef";
const HOST = "models.internal.example";
const NAMES = ["alpha", "spare", "narrow-place"];

const key = (name: string): string => `${name}-key-0123456789abcdef`;
const LIMITED = {
  requests_per_minute: "rate_limits: { requests_per_minute: 1 }",
  tokens_per_minute: "rate_limits: { tokens_per_minute: 1 }",
  concurrency: "rate_limits: { concurrency: 1 }",
  spending_limit: 'spending_limit: { amount: "0.000001", period: day }',
};

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let operator: SignedIn;
/** Answers that are kept back. */
const waiting: (() => void)[] = [];

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  const at = (name: string, models: string[], priority: number, apiKey: string, ...more: string[]) => ({
    name,
    url: `${upstream.url}/${name}`,
    models,
    priority,
    apiKeys: [apiKey],
    protocols: ["chat-completions"],
    more,
  });
  gateway = await startGateway({
    catalog: catalogFile({
      likeText: ["lonely", "narrow"],
      upstreams: [
        at("alpha", ["text", "lonely"], 0, CREDENTIAL),
        at("spare", ["text"], 9, "second-secret-0123456789"),
        at("narrow-place", ["narrow"], 0, "third-secret-0123456789", "limits: { requests_per_minute: 1 }"),
        { ...at("named", [], 9, "fourth-secret-0123456789"), url: `https://${HOST}/v1`, models: ["lonely"] },
      ],
      more: `  - { name: poor, balance: 0, keys: [{ name: balance, key: ${key("balance")} }] }
  - name: beta
    balance: 10
    keys:
      - { name: plain, key: ${key("plain")} }
${Object.entries(LIMITED)
  .map(([name, limit]) => `      - { name: ${name}, key: ${key(name)}, ${limit} }`)
  .join("\n")}
`,
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

/** `alpha` fails where it is asked to, in words with what is the operator's; all others answer. */
function respond({ line, body, socket }: WireRequest): void {
  const wish = body.toString();
  const fails = wish.includes("fail") && line.includes("/alpha/");
  const text = fails
    ? JSON.stringify({
        error: {
          type: "server_error",
          code: "out_of_luck",
          message: `${CREDENTIAL} at ${HOST} is out of luck.`,
        },
      })
    : VENDOR_WIRES["chat-completions"].plain("text");
  const head = `HTTP/1.1 ${fails ? 500 : 200} Said\r\ncontent-type: application/json\r\nx-request-id: vendor-${fails ? "failed" : "fine"}`;
  const answer = () =>
    void socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  if (wish.includes("wait")) waiting.push(answer);
  else answer();
}

const ask = (wish: Partial<Wish> = {}, secret = TEST_KEY): Promise<Heard> =>
  call(gateway.url, { protocol: "chat-completions", prompt: "Hello", ...wish }, { key: secret });

// biome-ignore lint/suspicious/noExplicitAny: rows of the console's JSON
type Row = any;

async function search(query: string): Promise<Row[]> {
  const { body, status } = await operator.get(`/operator/requests?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

/** The row of a request, once all of it is posted: a failure's charge comes before what it met. */
function logged(id: string | undefined): Promise<Row> {
  return waitFor(`request ${id} in the log`, async () => {
    const [row] = await search(`id=${id}`);
    return row !== undefined && (row.status < 400 || row.message !== null) ? row : undefined;
  });
}

describe("the limit that refused a request", () => {
  it.each(["requests_per_minute", "tokens_per_minute", "spending_limit"])(
    "is named in the log: %s",
    async (limit) => {
      if (limit !== "spending_limit") await ask({}, key(limit));
      const heard = await ask({}, key(limit));
      expect(heard.status).toBeGreaterThanOrEqual(400);
      expect(await logged(heard.requestId)).toMatchObject({ limit, refused: true, key: { name: limit } });
    },
  );

  it("is named in the log: concurrency", async () => {
    const first = ask({ prompt: "wait" }, key("concurrency"));
    await waitFor("the first request", async () => waiting[0]);
    const second = await ask({}, key("concurrency"));
    waiting.shift()?.();
    await first;
    expect(second.status).toBe(429);
    expect(await logged(second.requestId)).toMatchObject({ limit: "concurrency", refused: true });
  });

  it("is named in the log: counts_per_minute", async () => {
    const count = () =>
      fetch(`${gateway.url}/v1/messages/count_tokens`, {
        method: "POST",
        headers: { "x-api-key": key("plain"), "content-type": "application/json" },
        body: JSON.stringify({ model: "text", messages: [{ role: "user", content: "Hello" }] }),
      });
    const counted = await Promise.all(Array.from({ length: 61 }, count));
    const refused = counted.find(({ status }) => status === 429);
    expect(await logged(refused?.headers.get("x-request-id") ?? undefined)).toMatchObject({
      limit: "counts_per_minute",
    });
  });

  it("is named in the log: balance", async () => {
    const heard = await ask({}, key("balance"));
    expect(heard.status).toBe(403);
    expect(await logged(heard.requestId)).toMatchObject({ limit: "balance", account: { name: "poor" } });
  });

  it("is named in the log: upstream_limits", async () => {
    await ask({ model: "narrow" });
    const heard = await ask({ model: "narrow" });
    expect(heard.status).toBe(503);
    expect(await logged(heard.requestId)).toMatchObject({ limit: "upstream_limits", model: "narrow" });
  });
});

describe("an attempt", () => {
  it("tells upstream, credential, status, the vendor's words and id, and when each phase was over", async () => {
    const heard = await ask({ prompt: "fail", model: "lonely" });
    expect(heard.status).toBeGreaterThanOrEqual(500);
    await logged(heard.requestId);
    const { body } = await operator.get(`/operator/requests/${heard.requestId}`);
    const [attempt] = body.attempts;
    expect(attempt).toMatchObject({
      upstream: "alpha",
      upstream_model: "lonely",
      credential: expect.stringMatching(/./),
      status: 500,
      type: "server_error",
      code: "out_of_luck",
      message: expect.stringContaining("is out of luck."),
      vendor_request_id: "vendor-failed",
    });
    const phases = [attempt.began_ms, attempt.connected_ms, attempt.first_byte_ms, attempt.ended_ms];
    expect(phases).toEqual([...phases].sort((a, b) => a - b));
    expect(phases[0]).toBeGreaterThanOrEqual(0);
  });

  it("tells nothing of the credential or of a host of the operator's, whoever repeats them", async () => {
    const heard = await ask({ prompt: "fail", model: "lonely" });
    await logged(heard.requestId);
    const told = [
      await operator.get(`/operator/requests/${heard.requestId}`),
      await operator.get("/operator/errors"),
      await operator.get(`/operator/requests?id=${heard.requestId}`),
    ];
    const { stdout } = await gateway.run("requests", String(heard.requestId), "--json");
    const text = JSON.stringify(told.map(({ body }) => body)) + stdout;
    expect(text).toContain("out of luck");
    expect(text).not.toContain(CREDENTIAL);
    expect(text).not.toContain(HOST);
  });

  it("of a request that was answered by another upstream is told too, with the one that answered", async () => {
    const heard = await ask({ prompt: "fail" });
    expect(heard.status).toBe(200);
    const row = await logged(heard.requestId);
    expect(row).toMatchObject({ status: 200, error_code: null, upstream: "spare", attempts: 2 });
    const attempts = await waitFor("the attempts", async () => {
      const { body } = await operator.get(`/operator/requests/${heard.requestId}`);
      return body.attempts.length > 0 ? body.attempts : undefined;
    });
    expect(attempts).toMatchObject([
      { upstream: "alpha", status: 500 },
      { upstream: "spare", status: 200 },
    ]);
  });
});

describe("a key that has ended", () => {
  it.each([
    ["revoked", (path: string) => operator.del(path), "revoked_api_key"],
    ["disabled", (path: string) => operator.patch(path, { disabled: true }), "disabled_api_key"],
    [
      "expired",
      (path: string) => operator.patch(path, { expires_at: new Date(Date.now() + 1_000).toISOString() }),
      "expired_api_key",
    ],
  ])("is a refusal of its account and no unknown key: %s", async (name, end, code) => {
    const account = (await logged((await ask({ model: "nobody" })).requestId)).account.id;
    const made = await operator.post(`/accounts/${account}/keys`, { name });
    const unknown = async () => (await operator.get("/operator/unknown-keys")).body.data;
    const before = await unknown();
    const ended = await end(`/accounts/${account}/keys/${made.body.key.id}`);
    expect(ended.status, JSON.stringify(ended.body)).toBeLessThan(300);
    const heard = await waitFor("the key's end", async () => {
      const each = await ask({}, made.body.secret);
      return each.status === 401 ? each : undefined;
    });
    expect(await logged(heard.requestId)).toMatchObject({
      status: 401,
      error_code: code,
      refused: true,
      account: { name: "acme" },
      key: { id: made.body.key.id, name },
    });
    expect(await unknown()).toEqual(before);
  });
});

describe("an operator's search", () => {
  let failed: Row;
  let fine: Row;
  let refused: Row;
  beforeAll(async () => {
    const heard = [
      await ask({ prompt: "fail", model: "lonely" }),
      await ask({}, key("plain")),
      await ask({ model: "nobody" }, key("plain")),
    ];
    [failed, fine, refused] = await Promise.all(heard.map(({ requestId }) => logged(requestId)));
  });

  it.each<[string, () => string, () => Row[], () => Row[]]>([
    ["id", () => `id=${failed.request_id}`, () => [failed], () => [fine, refused]],
    ["account", () => `account=${fine.account.id}`, () => [fine, refused], () => [failed]],
    ["key", () => `key=${fine.key.id}`, () => [fine, refused], () => [failed]],
    ["model", () => "model=lonely", () => [failed], () => [fine, refused]],
    ["upstream", () => `upstream=${failed.upstream}`, () => [failed], () => [refused]],
    ["status", () => `status=${failed.status}`, () => [failed], () => [fine, refused]],
    ["a status of refusals", () => "status=404", () => [refused], () => [fine, failed]],
    ["error code", () => `error_code=${failed.error_code}`, () => [failed], () => [fine, refused]],
    ["an error code of refusals", () => "error_code=model_not_found", () => [refused], () => [fine, failed]],
    ["failure", () => "outcome=failed", () => [failed, refused], () => [fine]],
    ["refusal", () => "outcome=refused", () => [refused], () => [fine, failed]],
    ["time", () => `from=${refused.recorded_at}`, () => [refused], () => [failed]],
    ["an end of time", () => `to=${failed.recorded_at}`, () => [], () => [failed, fine, refused]],
    [
      "several at once",
      () => `account=${fine.account.id}&outcome=refused`,
      () => [refused],
      () => [fine, failed],
    ],
  ])("finds exactly those of a filter: %s", async (_what, query, wanted, unwanted) => {
    const ids = (await search(`limit=200&${query()}`)).map(({ request_id }) => request_id);
    for (const row of wanted()) expect(ids).toContain(row.request_id);
    for (const row of unwanted()) expect(ids).not.toContain(row.request_id);
  });

  it("finds those of a person's keys", async () => {
    const guest = await inviteGuest(gateway, operator, {
      email: "person@team.example",
      account: { id: fine.account.id, role: "owner" },
    });
    const made = await guest.post(`/accounts/${fine.account.id}/keys`, { name: "of a person" });
    const heard = await ask({ model: "nobody" }, made.body.secret);
    await logged(heard.requestId);
    const found = await search(`user=${guest.session.user.id}`);
    expect(found.map(({ request_id }) => request_id)).toEqual([heard.requestId]);
  });

  it("pages through all of them once, newest first", async () => {
    const ids: string[] = [];
    const times: string[] = [];
    for (let after = ""; ; ) {
      const { body } = await operator.get(`/operator/requests?limit=3${after}`);
      for (const { request_id, recorded_at } of body.data) {
        ids.push(request_id);
        times.push(recorded_at);
      }
      if (body.next === null) break;
      after = `&after=${body.next}`;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(times).toEqual([...times].sort().reverse());
    for (const row of [failed, fine, refused]) expect(ids).toContain(row.request_id);
  });

  it("is the operator's alone", async () => {
    const guest = await inviteGuest(gateway, operator, {
      email: "curious@team.example",
      account: { id: fine.account.id, role: "owner" },
    });
    for (const path of ["requests", `requests/${failed.request_id}`, "errors", "unknown-keys"])
      expect((await guest.get(`/operator/${path}`)).status).toBe(403);
  });
});

describe("an account's members", () => {
  it("see their own refused and failed requests, and nothing of upstreams or of other accounts", async () => {
    const failed = await ask({ prompt: "fail", model: "lonely" });
    const refused = await ask({ model: "nobody" });
    const retried = await ask({ prompt: "fail" });
    expect(retried.status, retried.text).toBe(200);
    const others = await ask({ model: "nobody" }, key("plain"));
    const row = await logged(refused.requestId);
    for (const { requestId } of [failed, retried, others]) await logged(requestId);
    const viewer = await inviteGuest(gateway, operator, {
      email: "viewer@team.example",
      account: { id: row.account.id, role: "viewer" },
    });
    const { body } = await viewer.get(`/accounts/${row.account.id}/failed-requests?limit=200`);
    const ids = body.data.map(({ request_id }: Row) => request_id);
    expect(ids).toEqual(expect.arrayContaining([failed.requestId, refused.requestId]));
    expect(ids).not.toContain(retried.requestId);
    expect(ids).not.toContain(others.requestId);
    expect(body.data.find(({ request_id }: Row) => request_id === refused.requestId)).toMatchObject({
      status: 404,
      error_code: "model_not_found",
      refused: true,
      message: expect.stringContaining("nobody"),
    });
    const detail = await viewer.get(`/accounts/${row.account.id}/requests/${failed.requestId}`);
    const text = JSON.stringify([body, detail.body]);
    for (const secret of [...NAMES, CREDENTIAL, HOST, "vendor-failed", "out of luck"])
      expect(text).not.toContain(secret);
    expect((await viewer.get(`/accounts/${Number(row.account.id) + 1}/failed-requests`)).status).toBe(404);
  });

  it.each([
    ["request", "request=ID"],
    ["status", "status=404&error_code=model_not_found"],
    ["refusals", "refused=true"],
  ])("find them by a filter: %s", async (_what, query) => {
    const refused = await ask({ model: "nobody" });
    const failed = await ask({ prompt: "fail", model: "lonely" });
    const row = await logged(refused.requestId);
    await logged(failed.requestId);
    const path = `/accounts/${row.account.id}/failed-requests?limit=200&${query.replace("ID", row.request_id)}`;
    const ids = (await operator.get(path)).body.data.map(({ request_id }: Row) => request_id);
    expect(ids).toContain(refused.requestId);
    expect(ids).not.toContain(failed.requestId);
  });
});
