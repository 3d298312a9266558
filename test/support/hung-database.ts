import { expect } from "vitest";
import { BOOTSTRAP_PASSWORD, callerOf, FIRST_USER, type SignedIn, signIn } from "./console.ts";
import { listOperations } from "./console-operations.ts";
import { serverPid } from "./embedded.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { cleanLedger } from "./money-books.ts";
import { childrenOf, percentile } from "./proc.ts";
import { report } from "./report.ts";
import { waitFor } from "./wait.ts";
import { ask, type Reply } from "./world.ts";

/** The demo on its embedded database, with what a caller needs to reach every route. */
export interface HungWorld {
  readonly gateway: TestGateway;
  readonly key: string;
  readonly admin: SignedIn;
  /** A picture that has been made. */
  readonly taskId: string;
  /** Stops every process of the database. */
  freeze(): Promise<void>;
  thaw(): void;
  clean(): Promise<void>;
}

export async function startHungWorld(): Promise<HungWorld> {
  const env = { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, FAREGATE_DATABASE_TIMEOUT_MS: "600" };
  const gateway = await startGateway({ embedded: true, env });
  const key = /API key +(\S+)/.exec(gateway.output())?.[1] ?? "";
  const admin = await signIn(gateway);
  const made = await ask(gateway.url, "/v1/images/generations", IMAGE, { key });
  let frozen: readonly number[] = [];
  const thaw = (): void => {
    // The newest first: the server then finds its children awake.
    for (const pid of [...frozen].reverse()) process.kill(pid, "SIGCONT");
    frozen = [];
  };
  return {
    gateway,
    key,
    admin,
    thaw,
    taskId: made.json.task_id ?? made.json.id,
    async freeze() {
      const server = (await serverPid(gateway.dataDir)) ?? 0;
      process.kill(server, "SIGSTOP");
      frozen = [server, ...(await childrenOf(server))];
      for (const pid of frozen) process.kill(pid, "SIGSTOP");
    },
    async clean() {
      thaw();
      await gateway.end();
      await gateway.clean();
    },
  };
}

const IMAGE = { model: "imagegen-2", prompt: "A boat" };

/** A request of the table of routes, with what is needed for it to be well formed. */
interface Probe {
  /** Method and path as the table says them. */
  readonly name: string;
  send(): Promise<{ readonly status: number }>;
}

/** One for every operation that /openapi.json describes, so that a new route is asked as well. */
async function probesOf({ gateway, key, admin, taskId }: HungWorld): Promise<Probe[]> {
  const { url } = gateway;
  const document: { paths: Record<string, Record<string, object>> } = (await ask(url, "/openapi.json")).json;
  const account = String(admin.session.accounts[0]?.id);
  const fill = (path: string): string =>
    path
      .replace("{account}", account)
      .replace(/\{(id|taskId)\}/, path.includes("receipts") ? `req_${"a".repeat(32)}` : taskId)
      .replace("{model}", path.startsWith("/v1") ? "text-large" : "{model}")
      .replace("{day}", "2026-11-26")
      .replace(/\{\w+\}/g, "999999999999");
  const kinds = new Map(listOperations().map(({ method, path, kind }) => [`${method} /api${path}`, kind]));
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => {
      const name = `${method.toUpperCase()} ${path}`;
      const target = fill(path);
      if (path.startsWith("/api")) {
        const caller = path === "/api/registration" ? callerOf(gateway) : admin;
        return {
          name,
          send: () =>
            caller.ask({
              method: method.toUpperCase(),
              path: target.slice("/api".length),
              ...(method === "get" || kinds.get(name) === "file" ? {} : { body: BODIES[name] ?? {} }),
            }),
        };
      }
      return {
        name,
        send: (): Promise<Reply> =>
          ask(url, target, method === "get" ? undefined : (BODIES[name] ?? {}), {
            key,
            method: method.toUpperCase(),
          }),
      };
    }),
  );
}

const MESSAGES = [{ role: "user", content: "Hi" }];
const CONTENTS = { contents: [{ parts: [{ text: "Hi" }] }] };
const BODIES: Readonly<Record<string, object>> = {
  "POST /v1/chat/completions": { model: "text-large", messages: MESSAGES },
  "POST /v1/responses": { model: "text-large", input: "Hi" },
  "POST /v1/responses/input_tokens": { model: "text-large", input: "Hi" },
  "POST /v1/responses/compact": { model: "text-large", input: "Hi" },
  "POST /v1/completions": { model: "text-large", prompt: "Hi" },
  "POST /v1/messages/count_tokens": { model: "text-large", messages: MESSAGES },
  "POST /v1/messages": { model: "text-large", max_tokens: 9, messages: MESSAGES },
  "POST /v1/embeddings": { model: "embed-small", input: "Hi" },
  "POST /v1/rerank": { model: "rerank-1", query: "q", documents: ["Hi"] },
  "POST /v1beta/models/{model}:generateContent": CONTENTS,
  "POST /v1beta/models/{model}:streamGenerateContent": CONTENTS,
  "POST /v1/images/generations": IMAGE,
  "POST /v2/videos/generations": {
    model: "videoa-2.0",
    content: [{ type: "text", text: "A boat" }],
    duration: 4,
  },
  "POST /v1/videoa/asset/create": {
    url: "https://files.example/boat.png",
    asset_type: "image",
    name: "boat",
  },
  "POST /api/session": FIRST_USER,
  "POST /api/registration": { email: "new@example.test", password: "a long password for tests" },
};

/** Needs no database: what is known goes on being answered, and money that is leased goes on being spent. */
const FROM_MEMORY: readonly RegExp[] = [
  /^POST \/v1\/(chat\/completions|completions|embeddings|rerank)$/,
  /^POST \/v1\/(responses(\/input_tokens|\/compact)?|messages(\/count_tokens)?)$/,
  /^POST \/v1beta\/models\//,
  /^GET \/v1(beta)?\/models/,
  /^GET \/(healthz|metrics|v1\/capabilities|media\/)/,
  // Switched off, which the catalog says.
  /^POST \/api\/registration$/,
];

/** The durations of each route in milliseconds, by its name. */
type Times = Map<string, number[]>;

/** Asks every route until the time is over, several at once, and expects 503 of all that need the database. */
async function walk(probes: readonly Probe[], durationMs: number, times: Times): Promise<void> {
  const endMs = performance.now() + durationMs;
  const wrong = new Set<string>();
  for (let rounds = 0; rounds === 0 || performance.now() < endMs; rounds += 1) {
    const queue = [...probes];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let probe = queue.shift(); probe !== undefined; probe = queue.shift()) {
          const sinceMs = performance.now();
          const { status } = await probe.send();
          const tookMs = performance.now() - sinceMs;
          times.set(probe.name, [...(times.get(probe.name) ?? []), tookMs]);
          const { name } = probe;
          const known = FROM_MEMORY.some((each) => each.test(name)) && status < 500 && status !== 401;
          if (status !== 503 && !known) wrong.add(`${name}: ${status}`);
        }
      }),
    );
  }
  expect([...wrong]).toEqual([]);
}

const AT_ONCE = 8;

/**
 * The promise is a second, which the printed figure shows. What fails is a response that waits until the driver gives up, which
 * takes thirty-five; a busy machine takes some seconds for a response that waits for nothing.
 */
const LIMIT_MS = 25_000;

/**
 * H7: stops the database for so long and lets it go on. Every route answers 503 without waiting for it, a stream that runs is
 * answered to its end, the books are right, and all is well after.
 */
export async function endureSilence(world: HungWorld, silentMs: number): Promise<void> {
  const { gateway, key, admin, taskId } = world;
  const { url } = gateway;
  const probes = await probesOf(world);
  const poll = (query = "") => ask(url, `/v1/images/tasks/${taskId}${query}`, undefined, { key });
  // It goes on for as long as the database is silent, so that however late it is seen to run, it still does.
  const prompt = `[[sandbox: chunks=${silentMs / 100} pace=100]]`;
  const stream = ask(
    url,
    "/v1/chat/completions",
    { model: "text-large", stream: true, messages: [{ role: "user", content: prompt }] },
    { key },
  );
  const isRunning = async () => /requests_running 1\b/.test((await ask(url, "/metrics")).text);
  await waitFor("the stream to run", isRunning);
  await world.freeze();
  const times: Times = new Map();
  await walk(probes, silentMs, times);
  const polledMs = performance.now();
  expect((await poll("?wait=20")).status).toBe(503);
  times.set("GET /v1/images/tasks/{id}?wait=20", [performance.now() - polledMs]);
  expect(tellTimes(times)).toBeLessThan(LIMIT_MS);
  expect((await stream).text).toContain("[DONE]");
  world.thaw();
  const thawedMs = performance.now();
  await waitFor("the task to be told again", async () => (await poll()).status === 200);
  await waitFor("the console to answer again", async () => (await admin.get("/session")).status === 200);
  await waitFor(
    "pictures to be taken again",
    async () => (await ask(url, "/v1/images/generations", IMAGE, { key })).status === 200,
  );
  report(`H7: all is well ${(performance.now() - thawedMs).toFixed(0)} ms after the database went on`);
  await cleanLedger(gateway);
}

/** Prints the figure of H7 and gives the longest time. */
function tellTimes(times: Times): number {
  const all = [...times.values()].flat();
  const slowest = [...times].map(([name, ms]) => ({ name, ms: Math.max(...ms) })).sort((a, b) => b.ms - a.ms);
  const figure = `H7: ${all.length} answers on ${times.size} routes, p50 ${percentile(all, 50).toFixed(0)} ms`;
  report(
    `${figure}, slowest ${slowest
      .slice(0, 5)
      .map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`)
      .join(", ")}`,
  );
  return slowest[0]?.ms ?? 0;
}
