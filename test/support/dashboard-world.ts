import { strict as assert } from "node:assert";
import type { Visitor } from "./browser.ts";
import { BOOTSTRAP_PASSWORD, type ConsoleResponse, type SignedIn, signIn } from "./console.ts";
import type { PathValues } from "./dashboard-pages.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { waitFor } from "./wait.ts";

const KEY = "test-key-of-the-dashboards-world";

/** A gateway on the demo catalog, whose first user has a password of their own. */
export interface DashboardWorld {
  readonly gateway: TestGateway;
  readonly operator: SignedIn;
  /** The key of the demo account. */
  readonly key: string;
  /** For the paths of pages. */
  readonly values: PathValues;
  close(): Promise<void>;
}

export async function openDashboardWorld({
  embedded = false,
  env = {} as Readonly<Record<string, string>>,
} = {}): Promise<DashboardWorld> {
  const gateway = await startGateway({
    embedded,
    env: { ...env, FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, FAREGATE_BOOTSTRAP_KEY: KEY },
  });
  const operator = await signIn(gateway);
  const account = operator.session.accounts[0]?.id ?? "";
  const upstreams = await operator.get("/operator/upstreams");
  return {
    gateway,
    operator,
    key: KEY,
    values: {
      account,
      id: account,
      upstream: upstreams.body.data[0].id,
      model: "text-large",
      request: "req_00000000000000000000000000000000",
      failed: "req_00000000000000000000000000000000",
      month: new Date().toISOString().slice(0, 7),
      task: "task-00000000000000000000000000000000",
    },
    close: () => gateway.clean(),
  };
}

/** Fills the world with what a busy week leaves behind; gives the paths' values anew, of things that are there. */
export async function fillDashboard(world: DashboardWorld): Promise<PathValues> {
  const { gateway, operator, key, values } = world;
  const account = `/accounts/${values["account"]}`;
  const ask = askOf(gateway.url, key);
  await made(
    operator.post(`${account}/budgets`, {
      name: "For the workshop",
      amount_usd: "25",
      period: "month",
      hard: false,
      alerts: {
        percents: [80, 100],
        targets: [{ kind: "slack", url: "https://hooks.slack.com/services/x" }],
      },
    }),
  );
  const requestId = await manyRequests(ask);
  const image = await ask("/v1/images/generations", { model: "imagegen-2", prompt: "A lighthouse at dusk" });
  const video = await ask("/v2/videos/generations", {
    model: "videob-3.0-video",
    prompt: "Waves at a lighthouse",
    duration: 3,
  });
  await ask("/v1/images/generations", {
    model: "imagegen-2.5-flare",
    prompt: "A ferry in the fog",
    size: "16:9",
  });
  const failed = await failures(ask);
  const { id: task } = (await image.json()) as { id: string };
  const { id: videoTask } = (await video.json()) as { id: string };
  await made(operator.post(`${account}/keys`, { name: "nightly reports", models: ["text-small"] }));
  // The longest text allowed, without a place to break.
  const long = "x".repeat(200);
  const { body: longKey } = await made(operator.post(`${account}/keys`, { name: long }));
  await made(
    operator.post(`${account}/budgets`, {
      name: "nightly reports",
      key: longKey.key.id,
      amount_usd: "1",
      period: "day",
      hard: true,
    }),
  );
  const named = await made(operator.post("/operator/accounts", { name: long }));
  await made(operator.post("/operator/code-batches", { amount_usd: "5", count: 1, note: long }));
  await made(
    operator.post(`/operator/accounts/${values["account"]}/adjustments`, {
      amount_usd: "10",
      reason: long,
      idempotency_key: "dashboard-world-2",
    }),
  );
  const old = await made(operator.post(`${account}/keys`, { name: "old laptop" }));
  await made(operator.del(`${account}/keys/${old.body.key.id}`));
  await made(operator.post("/operator/accounts", { name: "Harbour Office" }));
  await made(operator.post(`${account}/invitations`, { email: "mira@example.com", role: "member" }));
  await made(
    operator.post("/operator/code-batches", { amount_usd: "5", count: 3, note: "For the workshop" }),
  );
  await made(
    operator.post(`/operator/accounts/${values["account"]}/adjustments`, {
      amount_usd: "10",
      reason: "Thanks for the bug report",
      idempotency_key: "dashboard-world-1",
    }),
  );
  await waitFor(
    "the last request's row",
    async () => (await operator.get(`${account}/requests/${requestId}`)).body?.request != null,
  );
  await waitFor("the failed request's attempts", async () => {
    const { body } = await operator.get(`/operator/requests/${failed}`);
    return body?.attempts?.length > 0;
  });
  await waitFor("the ends of the tasks", async () =>
    (await operator.get(`${account}/tasks?limit=5`)).body.data.every(isOver),
  );
  return { ...values, request: requestId, failed, task, videoTask, longAccount: named.body.id };
}

/** A failure of the upstream, whose id is given; a refusal; a key that nobody knows. */
async function failures(ask: Ask): Promise<string> {
  const messages = [{ role: "user", content: "Say nothing. [[sandbox: error=500]]" }];
  const failed = await ask("/v1/chat/completions", { model: "text-large", messages }, { ok: false });
  await failed.text();
  await ask("/v1/chat/completions", { model: "text-huge", messages }, { ok: false });
  await ask("/v1/chat/completions", { model: "text-large", messages }, { ok: false, key: "wrong-key-0123" });
  return failed.headers.get("x-request-id") ?? "";
}

type Ask = (
  path: string,
  body: object,
  options?: { readonly ok?: boolean; readonly key?: string },
) => Promise<Response>;

async function manyRequests(ask: Ask): Promise<string> {
  const messages = [{ role: "user", content: "Say something about lighthouses." }];
  let requestId = "";
  for (const model of ["text-large", "text-small", "text-large", "text-small", "text-large"]) {
    const response = await ask("/v1/chat/completions", { model, messages });
    await response.text();
    requestId = response.headers.get("x-request-id") ?? "";
    await (await ask("/v1/messages", { model, messages, max_tokens: 200, stream: true })).text();
  }
  await (await ask("/v1/embeddings", { model: "embed-small", input: "lighthouse" })).text();
  return requestId;
}

function askOf(url: string, ownKey: string): Ask {
  return async (path, body, { ok = true, key = ownKey } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert(response.ok === ok, `${path}: ${response.status}`);
    return response;
  };
}

async function made(asked: Promise<ConsoleResponse>): Promise<ConsoleResponse> {
  const response = await asked;
  assert(response.status < 300, `${response.status}: ${JSON.stringify(response.body)}`);
  return response;
}

function isOver({ state }: { readonly state: string }): boolean {
  return ["SUCCESS", "FAILURE"].includes(state);
}

/** Signs in as a person does, on the sign-in page in English. */
export async function signInAt(
  { page }: Pick<Visitor, "page">,
  password = BOOTSTRAP_PASSWORD,
): Promise<void> {
  if (!page.url().includes("/sign-in")) await page.goto("/sign-in");
  await page.getByLabel("Email").fill("admin@localhost");
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
}

/** Gives a browser a session that is there already: the operator's, or somebody else's. */
export async function lendSession(
  { context }: Pick<Visitor, "context">,
  { gateway, operator }: Pick<DashboardWorld, "gateway" | "operator">,
  person: SignedIn = operator,
): Promise<void> {
  const [name = "", value = ""] = person.cookie.split("=");
  await context.addCookies([{ name, value, url: gateway.url }]);
}
