import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { startGateway, type TestGateway } from "./gateway.ts";
import { modelsFile } from "./models-file.ts";
import { cleanLedger, readUsageLog } from "./money-books.ts";
import { residentBytes } from "./proc.ts";
import { leaksIn, OURS, quotedTogether } from "./quoted-secrets.ts";
import { report } from "./report.ts";
import { seededRandom } from "./seed.ts";
import { call, TEXT_PROTOCOLS, type TextProtocol } from "./text-caller.ts";
import { serveWell, type VendorCall, vendorUpstream } from "./vendor-upstream.ts";
import { VENDOR_WIRES, wholeStream } from "./vendor-wire.ts";

/** No request of these models can cost more: their whole context and output, at $3 and $15 a million. */
const MAX_NANOS = (200_000n * 3_000_000_000n + 32_000n * 15_000_000_000n) / 1_000_000n;
const HOSTILE_CALLERS = 6;
const HONEST_CALLERS = 3;
/** After so long a caller of a stream without end has had enough. */
const PATIENCE_MS = 3_000;
const TIMEOUTS = "{ first_byte_stream_ms: 1500, first_byte_plain_ms: 1500, idle_ms: 1500, total_ms: 4000 }";
/** The heap of a busy process goes up and down by as much; a leak of what these vendors send is gigabytes. */
const FLAT_BYTES = 200 * 1024 * 1024;
/** Counts that no vendor can mean, and some that it can. */
const COUNTS = [-1, 0, 0.5, 7, 31_999, 1e9, 1e300, 2 ** 63, "7", null, "NaN", {}, [], true];

/** Serves beside a vendor that does whatever it likes, and asserts what must hold all the same. */
export async function runBesideHostileVendor(seconds: number): Promise<void> {
  const { whole } = seededRandom("FAREGATE_HOSTILE_SEED");
  const draw = (): number => whole(0, 999_999) / 1_000_000;
  let words = "";
  const vendor = await vendorUpstream((called) => {
    if (called.model.startsWith("honest")) serveWell(called);
    else pick(CONDUCTS, draw)(called, { words, draw });
  });
  words = quotedTogether(vendor.url);
  const models = (name: string): string[] => TEXT_PROTOCOLS.map((protocol) => `${name}-at-${protocol}`);
  const upstreams = TEXT_PROTOCOLS.flatMap((protocol) => [
    { name: `honest-${protocol}`, url: vendor.url, protocols: [protocol], models: [`honest-at-${protocol}`] },
    {
      name: `hostile-${protocol}`,
      url: vendor.url,
      protocols: [protocol],
      apiKey: `"${OURS.credential}"`,
      models: [`hostile-at-${protocol}`],
      timeouts: TIMEOUTS,
    },
  ]);
  // Never asked: their names are ours all the same.
  const others = [
    { name: "private", url: `http://${OURS.host}:8000/v1/projects/${OURS.cloudProject}`, models: ["other"] },
    { name: "azure", url: `https://${OURS.azureHost}/openai`, models: ["other"] },
  ].map((each) => ({ ...each, apiKey: OURS.otherCredential }));
  const gateway = await startGateway({
    catalog: modelsFile({
      models: [...models("honest"), ...models("hostile"), "other"],
      upstreams: [...upstreams, ...others],
    }),
  });
  try {
    await serveAndJudge(gateway, vendor.url, { seconds, draw });
  } finally {
    await gateway.end();
    await gateway.clean();
    await vendor.close();
  }
}

interface Serving {
  readonly seconds: number;
  readonly draw: () => number;
}

async function serveAndJudge(
  gateway: TestGateway,
  origin: string,
  { seconds, draw }: Serving,
): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  const counts = { honest: 0, answered: 0, hostile: 0 };
  const unanswered: string[] = [];
  const leaks: string[] = [];
  const resident: number[] = [];
  const ask = (name: string) => {
    const wish = {
      protocol: pick(TEXT_PROTOCOLS, draw),
      streamed: draw() < 0.6,
      prompt: "Hello",
      maxTokens: 50,
      model: `${name}-at-${pick(TEXT_PROTOCOLS, draw)}`,
    };
    return call(gateway.url, wish, { signal: AbortSignal.timeout(name === "honest" ? 60_000 : PATIENCE_MS) });
  };
  const honest = async (): Promise<void> => {
    while (performance.now() < until) {
      const { complete, status, text } = await ask("honest");
      counts.honest += 1;
      if (complete) counts.answered += 1;
      else unanswered.push(`${status} ${text.slice(0, 300)}`);
      await sleep(20);
    }
  };
  const hostile = async (): Promise<void> => {
    while (performance.now() < until) {
      const { text } = await ask("hostile");
      counts.hostile += 1;
      leaks.push(...leaksIn(text, origin));
    }
  };
  const watch = async (): Promise<void> => {
    while (performance.now() < until) {
      resident.push(await residentBytes(gateway.child.pid ?? 0));
      await sleep(250);
    }
  };
  await Promise.all([
    ...Array.from({ length: HONEST_CALLERS }, honest),
    ...Array.from({ length: HOSTILE_CALLERS }, hostile),
    watch(),
  ]);
  leaks.push(...leaksIn(gateway.output(), origin));
  await judge(gateway, { ...counts, unanswered, leaks, resident });
}

interface Findings {
  readonly honest: number;
  readonly answered: number;
  readonly hostile: number;
  /** The results of honest callers who got no response. */
  readonly unanswered: readonly string[];
  readonly leaks: readonly string[];
  readonly resident: readonly number[];
}

async function judge(gateway: TestGateway, found: Findings): Promise<void> {
  const { honest, answered, hostile, unanswered, leaks, resident } = found;
  await cleanLedger(gateway);
  const charged = (await readUsageLog(gateway.database?.url ?? "")).map(({ chargeNanos }) => chargeNanos);
  const most = charged.reduce((a, b) => (b > a ? b : a), 0n);
  const warm = resident.slice(Math.floor(resident.length / 3));
  const half = Math.floor(warm.length / 2);
  const grown = median(warm.slice(half)) - median(warm.slice(0, half));
  report(
    `hostile vendor: honest ${answered} of ${honest} answered; hostile ${hostile}; most charged ${most} of ${MAX_NANOS} nanos; ` +
      `told ${leaks.length} secrets; RSS ${mb(median(warm))} MB, grown by ${mb(grown)} MB, at most ${mb(Math.max(...resident))} MB`,
  );
  expect(leaks).toEqual([]);
  expect(hostile).toBeGreaterThan(0);
  expect(answered / honest, unanswered.slice(0, 10).join("\n")).toBeGreaterThanOrEqual(0.99);
  expect(most).toBeLessThanOrEqual(MAX_NANOS);
  expect(charged.every((nanos) => nanos >= 0n)).toBe(true);
  expect(grown).toBeLessThan(FLAT_BYTES);
}

interface Means {
  readonly words: string;
  readonly draw: () => number;
}
type Conduct = (called: VendorCall, means: Means) => void;

const SSE = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };

const CONDUCTS: readonly Conduct[] = [
  serveWell,
  // Random usage.
  ({ protocol, streamed, model, response }, { draw }) => {
    const text = streamed ? wholeStream(protocol, model) : VENDOR_WIRES[protocol].plain(model);
    const counted = text.replace(
      /("(?:\w*_tokens|\w+TokenCount)"):\d+/g,
      (_, name: string) => `${name}:${JSON.stringify(pick(COUNTS, draw))}`,
    );
    response.writeHead(200, streamed ? SSE : JSON_TYPE).end(counted);
  },
  // Streams without end: of words, of comments, of empty events, behind the last word, of one event.
  endless(({ delta }) => delta("word ".repeat(20))),
  endless(() => `: ${"comment ".repeat(200)}\n\n`),
  endless(() => "data: {}\n\n"),
  endless(({ delta }, { words }) => `${delta("x")}: ${words}\n\n`),
  endless(() => `data: {"error":"${"e".repeat(4_000)}`),
  endless((wire, _, at) =>
    at === 0 ? wire.opening("m") + wire.delta("Hi") + wire.closing("m") : ": more\n\n".repeat(500),
  ),
  // Quoted secrets.
  ({ protocol, response }, { words }) => {
    response.writeHead(400, JSON_TYPE).end(VENDOR_WIRES[protocol].error(faultOf(words)));
  },
  ({ protocol, model, response }, { words }) => {
    const { opening, delta, streamError } = VENDOR_WIRES[protocol];
    response.writeHead(200, SSE).end(opening(model) + delta("Hello") + streamError(faultOf(words)));
  },
  ({ response }, { words, draw }) => {
    response.writeHead(pick([401, 403, 404, 422, 429, 500, 502, 529, 599], draw), { "x-from": OURS.host });
    response.end(`<html>${words}</html>`);
  },
  ({ response }, { words }) => response.writeHead(200, SSE).end(`event: error\ndata: ${words}\n\n`),
  // Odd frames and bodies.
  ({ response }, { words, draw }) => {
    const bodies = [
      "",
      "[1,2]",
      "7",
      "null",
      `"${words}"`,
      `{"choices":[{"message":`,
      "[".repeat(200_000),
      "{}",
    ];
    response.writeHead(200, JSON_TYPE).end(pick(bodies, draw));
  },
  ({ protocol, model, response }) => {
    response.writeHead(200, SSE).end(wholeStream(protocol, model).replaceAll("\n", "\r"));
  },
  ({ protocol, model, response }) => {
    response
      .writeHead(200, { ...SSE, "content-encoding": "gzip" })
      .end(gzipSync(wholeStream(protocol, model)));
  },
  ({ protocol, model, response }) => {
    response.writeHead(200, { ...SSE, "set-cookie": "a=b" });
    response.write(VENDOR_WIRES[protocol].opening(model), () => response.destroy());
  },
  // Broken HTTP.
  ({ protocol, model, response }) => {
    response.writeContinue();
    response.writeProcessing();
    response.writeHead(200, JSON_TYPE).end(VENDOR_WIRES[protocol].plain(model));
  },
  ({ response }) => void response.socket?.end(`HTTP/1.1 200 OK\r\n${"x-many: y\r\n".repeat(20_000)}\r\n{}`),
  ({ response }) => void response.socket?.end("HTTP/1.1 099 What\r\n\r\n"),
  ({ response }) => response.writeHead(307, { location: "http://127.0.0.1:9/" }).end(),
  ({ response }) => void response.socket?.destroy(),
];

const faultOf = (message: string) => ({
  status: 400,
  type: "invalid_request_error",
  code: "INVALID_ARGUMENT",
  message,
});

/** Writes one piece after the other as fast as they are taken. */
function endless(
  piece: (wire: (typeof VENDOR_WIRES)[TextProtocol], means: Means, at: number) => string,
): Conduct {
  return ({ protocol, model, response }, means) => {
    const wire = VENDOR_WIRES[protocol];
    response.writeHead(200, SSE);
    response.write(wire.opening(model));
    let at = 0;
    const next = (): void => {
      if (response.destroyed) return;
      const isTaken = response.write(piece(wire, means, at));
      at += 1;
      // A few milliseconds between pieces: this vendor shares a processor with those who judge it.
      if (isTaken) setTimeout(next, 4);
      else response.once("drain", () => setTimeout(next, 4));
    };
    next();
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function mb(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

function pick<T>(values: readonly T[], draw: () => number): T {
  return values[Math.floor(draw() * values.length)] as T;
}
