import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import { modelsFile } from "../support/models-file.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { report } from "../support/report.ts";
import { TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { expectErrorForm } from "../support/text-errors.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";
import { ask, type Reply } from "../support/world.ts";

/** The vendor's canned answers use this many tokens, both ways together. */
const TOKENS = 10;

const KEYS = {
  requests: "requests-key-0123456789",
  silent: "silent-key-0123456789abc",
  away: "away-key-0123456789abcde",
  tokens: "tokens-key-0123456789abc",
  atOnce: "at-once-key-0123456789ab",
  all: "all-limits-key-0123456789",
  free: "free-key-0123456789abcdef",
} as const;

const SHARED_KEYS = Array.from({ length: 6 }, (_, index) => `shared-${index}-key-0123456789`);

const KEY_LINES = [
  ...SHARED_KEYS.map(
    (key, index) => `{ name: shared-${index}, key: ${key}, rate_limits: { requests_per_minute: 5 } }`,
  ),
  `{ name: requests, key: ${KEYS.requests}, rate_limits: { requests_per_minute: 5 } }`,
  `{ name: away, key: ${KEYS.away}, rate_limits: { requests_per_minute: 5 } }`,
  `{ name: silent, key: ${KEYS.silent}, rate_limits: { requests_per_minute: 5 } }`,
  `{ name: tokens, key: ${KEYS.tokens}, rate_limits: { tokens_per_minute: ${TOKENS * 2 + 1} } }`,
  `{ name: at-once, key: ${KEYS.atOnce}, rate_limits: { concurrency: 2 } }`,
  `{ name: all, key: ${KEYS.all}, rate_limits: { requests_per_minute: 100, tokens_per_minute: 1000, concurrency: 9 } }`,
  `{ name: free, key: ${KEYS.free} }`,
];

describe("rate limits of keys", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  const waiting: VendorCall[] = [];
  /** How the waiting calls were ended: one that comes again, as its connection was closed, ends so too. */
  let ending: ((call: VendorCall) => void) | undefined;
  beforeAll(async () => {
    vendor = await vendorUpstream((call) => {
      if (!call.body.toString().includes("wait")) serveWell(call);
      else if (ending === undefined) waiting.push(call);
      else ending(call);
    });
  });
  afterEach(async () => {
    waiting.splice(0);
    ending = undefined;
    await gateway?.end();
    await gateway?.clean();
  });
  afterAll(() => vendor?.close());

  /** A window belongs to a gateway's life, so that each test has one of its own. */
  const start = async (): Promise<void> => {
    gateway = await startGateway({ catalog: catalogOf(vendor) });
  };

  it("lets so many requests a minute through, over all endpoints together, and says how long to wait", async () => {
    await start();
    for (let index = 0; index < 5; index += 1) {
      const protocol = TEXT_PROTOCOLS[index % TEXT_PROTOCOLS.length] ?? "messages";
      const reply = await send(gateway.url, KEYS.requests, { protocol, streamed: index % 2 === 1 });
      expect([reply.status, reply.headers.get("x-ratelimit-limit-requests")]).toEqual([200, "5"]);
      expect(reply.headers.get("x-ratelimit-remaining-requests")).toBe(String(4 - index));
      expect(reply.headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+s$/);
    }
    const before = vendor.calls.length;
    for (const protocol of TEXT_PROTOCOLS) {
      for (const streamed of [false, true]) {
        const reply = await send(gateway.url, KEYS.requests, { protocol, streamed });
        expectRefused(protocol, reply, 60);
      }
    }
    expect(vendor.calls.length).toBe(before);
    expect((await send(gateway.url, KEYS.free)).status).toBe(200);
    expect((await ask(gateway.url, "/v1/models", undefined, { key: KEYS.requests })).status).toBe(200);
  });

  it("counts the tokens that answers used, plain and streamed, and refuses once they are used up", async () => {
    await start();
    for (const [index, streamed] of [false, true, false].entries()) {
      const reply = await send(gateway.url, KEYS.tokens, { streamed });
      expect(reply.status).toBe(200);
      expect(reply.headers.get("x-ratelimit-limit-tokens")).toBe(String(TOKENS * 2 + 1));
      // Half of the limit is reserved; something is given back with every second.
      const left = Number(reply.headers.get("x-ratelimit-remaining-tokens"));
      expect(left).toBeGreaterThanOrEqual(Math.max(0, TOKENS * (1 - index)));
      expect(left).toBeLessThanOrEqual(TOKENS * 2 + 1 - TOKENS);
    }
    expectRefused("messages", await send(gateway.url, KEYS.tokens), 60);
    expect((await send(gateway.url, KEYS.free)).status).toBe(200);
  });

  it("lets so many requests run at once, and gives the place back however one ends", async () => {
    await start();
    const endings: ((call: VendorCall) => void)[] = [
      serveWell,
      ({ response }) => void response.destroy(),
      ({ protocol, response }) =>
        void response
          .writeHead(400)
          .end(VENDOR_WIRES[protocol].error({ status: 400, type: "a", code: "b", message: "c" })),
    ];
    for (const end of endings) {
      for (const streamed of [false, true]) {
        const running = [0, 1].map(() => send(gateway.url, KEYS.atOnce, { streamed, prompt: "wait" }));
        await waitFor("two requests to run", () => waiting.length === 2);
        expectRefused("messages", await send(gateway.url, KEYS.atOnce), 1);
        ending = end;
        for (const call of waiting.splice(0)) end(call);
        await Promise.all(running);
        ending = undefined;
        expect((await send(gateway.url, KEYS.atOnce)).status).toBe(200);
      }
    }
    const leaving = new AbortController();
    const left = [0, 1].map(() =>
      send(gateway.url, KEYS.atOnce, { streamed: true, prompt: "wait", signal: leaving.signal }).catch(
        () => "left",
      ),
    );
    await waitFor("two requests to run", () => waiting.length === 2);
    leaving.abort();
    expect(await Promise.all(left)).toEqual(["left", "left"]);
    await waitFor("a place", async () => (await send(gateway.url, KEYS.atOnce)).status === 200);
  });

  it("tells all limits of a key in one answer, and none of a key that has none", async () => {
    await start();
    const names = (reply: Reply): string[] =>
      [...reply.headers.keys()].filter((name) => name.startsWith("x-ratelimit-")).sort();
    expect(names(await send(gateway.url, KEYS.all))).toEqual(
      ["limit", "remaining", "reset"].flatMap((word) => [
        `x-ratelimit-${word}-requests`,
        `x-ratelimit-${word}-tokens`,
      ]),
    );
    expect(names(await send(gateway.url, KEYS.free))).toEqual([]);
  });

  it("never lets more than the limit through, however many come at once", async () => {
    await start();
    const replies = await Promise.all(Array.from({ length: 60 }, () => send(gateway.url, KEYS.requests)));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(55).fill(429)]);
  });
});

if (!hasRedis) report("rates shared through Redis are not tested: redis-server is not installed");

describe.skipIf(!hasRedis)("rate limits shared through Redis", () => {
  let redis: RedisServer;
  let vendor: VendorUpstream;
  let gateways: Gateways;
  beforeAll(async () => {
    redis = await startRedis();
    vendor = await vendorUpstream();
    gateways = await startGateways(2, {
      catalog: catalogOf(vendor),
      env: { REDIS_URL: redis.url },
    });
  });
  afterAll(async () => {
    await gateways?.end();
    await gateways?.clean();
    await vendor?.close();
    await redis?.end();
  });

  const sendAll = (key: string): Promise<number[]> =>
    Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const url = gateways.urls[index % 2] ?? "";
        return (await send(url, key, { signal: AbortSignal.timeout(10_000) })).status;
      }),
    );

  const passed = async (key: string): Promise<number> =>
    (await sendAll(key)).filter((status) => status === 200).length;

  it("are one limit for all gateways", async () => {
    // A starved machine may make Redis look silent for a second, so several keys are tried; limits of each gateway never give 5.
    const counts: number[] = [];
    for (const key of SHARED_KEYS) {
      counts.push(await passed(key));
      if (counts.at(-1) === 5) break;
    }
    expect(counts.at(-1), String(counts)).toBe(5);
  });

  it("are each gateway's own while Redis takes connections and says nothing", async () => {
    redis.child.kill("SIGSTOP");
    expect(await passed(KEYS.silent)).toBe(10);
    redis.child.kill("SIGCONT");
  });

  it("are each gateway's own while Redis is away", async () => {
    await redis.end();
    expect(await passed(KEYS.away)).toBe(10);
  });
});

interface SendOptions {
  readonly protocol?: TextProtocol;
  readonly streamed?: boolean;
  readonly prompt?: string;
  readonly signal?: AbortSignal;
}

function send(
  url: string,
  key: string,
  { protocol = "messages", streamed = false, prompt = "Hello", signal }: SendOptions = {},
): Promise<Reply> {
  const { path, body } = wireForm({ protocol, streamed, prompt });
  return ask(url, path, body, { key, ...(signal === undefined ? {} : { signal }) });
}

function expectRefused(protocol: TextProtocol, reply: Reply, mostSeconds: number): void {
  expect([protocol, reply.status]).toEqual([protocol, 429]);
  expectErrorForm(protocol, reply.text, { status: 429, code: "rate_limit_exceeded" });
  const seconds = Number(reply.headers.get("retry-after"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(mostSeconds);
}

function catalogOf(vendor: VendorUpstream): string {
  return modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: vendor.url }], keys: KEY_LINES });
}
