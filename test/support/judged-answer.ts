import { systemClock } from "../../src/base/clock.ts";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import type { FrozenPrice, Outcome } from "../../src/billing/billing.ts";
import { chargeOf as priced } from "../../src/billing/pricing/charge.ts";
import { boundOfTexts } from "../../src/billing/pricing/usage-bound.ts";
import type { Model } from "../../src/catalog/catalog.ts";
import { NO_DIMENSIONS } from "../../src/catalog/price-table.ts";
import { silentLog } from "../../src/observe/log.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { InlineMedia } from "../../src/relay/admit/inline-media.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { type AttemptDeps, attemptAt } from "../../src/relay/attempt.ts";
import type { Exchange } from "../../src/relay/exchange.ts";
import { RelayModes, type RelayModesDeps } from "../../src/relay/mode/relay-modes.ts";
import type { Translator } from "../../src/relay/mode/translator.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import type { Candidate, UpstreamResponse } from "../../src/upstreams/call.ts";
import { RawHeaders } from "../../src/upstreams/transport/raw-headers.ts";
import { type TextProtocol, wireForm } from "./text-caller.ts";

/** The verdict on one response: its settlement, or that another candidate may respond in its place. */
export interface Verdict {
  /** "" = not settled: another candidate may answer. */
  readonly reason: string;
  readonly usage: Outcome["usage"] | undefined;
  readonly next: boolean;
  /** The settlement. */
  readonly outcome: Outcome | undefined;
  /** All that the caller got. */
  readonly told: string;
}

export interface JudgedAnswer {
  readonly client: TextProtocol;
  readonly upstream: TextProtocol;
  readonly streamed: boolean;
  /** The bytes of the response, as they come. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** The request's fields beside its prompt. */
  readonly fields?: object;
  /**
   * The number of responses that were requested; if a request brings one, each of several requests gets this response.
   */
  readonly responses?: number;
  /** Reads long answers; absent = there are none. */
  readonly reader?: AttemptDeps["responseReader"];
  /** The caller leaves behind the last of them; else the upstream ends. */
  readonly leaves?: boolean;
}

/** One request at an upstream that answers so, to its end. */
export async function verdictOf(answer: JudgedAnswer): Promise<Verdict> {
  const { client, upstream, streamed, pieces, leaves = false } = answer;
  const wish = wireForm({ protocol: client, streamed, prompt: "Hello" }).body;
  const body = Buffer.from(JSON.stringify({ ...wish, ...answer.fields }));
  const scanner = createBodyScan(watchOf(client));
  scanner.write(body);
  let leave = (): void => undefined;
  const told: Uint8Array[] = [];
  const response = {
    open: true,
    committed: false,
    write: (bytes: Uint8Array) => told.push(bytes) > 0,
    end: () => undefined,
    whole: (_status: number, _headers: object, pieces: readonly Uint8Array[]) => void told.push(...pieces),
    onDrain: () => undefined,
    onClosed: () => undefined,
    abort: () => undefined,
    onDisconnect(callback: () => void) {
      leave = callback;
    },
    head() {
      response.committed = true;
    },
  };
  const request = {
    id: "req_1",
    model: "text",
    streamed,
    responses: answer.responses ?? 1,
    arrayStream: false,
    body: [body],
    scan: scanner.end(),
    protocol: PROTOCOLS[client],
    caller: { accountId: 1n, group: "g" },
    headers: { betas: [] },
    query: {},
    startedMs: 0,
    response,
  } as unknown as TextRequest;
  const outcomes: Outcome[] = [];
  const exchange = {
    request,
    catalog: {
      allUpstreams: [],
      groups: new Map(),
      models: new Map(),
      callable: () => true,
      settings: { maxPasses: 50 },
    },
    acceptedMs: 0,
    hold: { settle: async (outcome: Outcome) => void outcomes.push(outcome) },
    bound: boundOfTexts(200_000),
    clock: systemClock,
    chargeEmptyAnswers: false,
    attempts: 1,
    firstByteMs: null,
    keepAlive: undefined,
    isAborted: false,
    clientGone: false,
    settled: false,
    outcome: undefined,
    losses: [],
    uses: [],
    lastCandidate: null,
  } as unknown as Exchange;
  const timeouts = { firstByteStreamMs: 60_000 };
  const candidate = {
    protocol: upstream,
    model: "text",
    credential: { name: "1", secret: "" },
    upstream: { name: "u", kind: "sandbox", cost: null, timeouts, models: new Map() },
  } as unknown as Candidate;
  const model = { id: "text", maxOutputTokens: 100, quirks: {} } as unknown as Model;
  const inlineMedia = { begin: () => ({ inline: (whole: unknown) => whole, end: () => undefined }) };
  const means = {
    clock: systemClock,
    inlineMedia: inlineMedia as unknown as InlineMedia,
    translator: {} as Translator,
    callStates: { remember: () => undefined },
  };
  const mode = await new RelayModes(request, model, means as unknown as RelayModesDeps, []).open(candidate);
  const listeners: UpstreamResponse[] = [];
  const deps = {
    transport: {
      send(_: unknown, listener: UpstreamResponse) {
        listeners.push(listener);
        return { sentMs: () => 0, abort() {}, pause() {}, resume() {}, rest() {} };
      },
    },
    routing: { report: () => undefined },
    issuedIds: { remember: () => undefined },
    responseReader: answer.reader,
    responseMemory: { open: () => ({ holds() {}, release() {} }) },
    metrics: { attemptEnded: () => undefined },
    log: silentLog,
    errorType: "gateway_error",
  } as unknown as AttemptDeps;
  const ended = attemptAt(deps, exchange, candidate, mode);
  for (const heard of listeners) heard.head(200, new RawHeaders([]));
  for (const heard of listeners) for (const piece of pieces) heard.data(Buffer.from(piece));
  if (leaves) leave();
  if (!leaves || !streamed) for (const heard of listeners) heard.ended();
  const failure = await ended;
  const [outcome] = outcomes;
  const heardOf = { outcome, told: Buffer.concat(told).toString() };
  if (outcome === undefined)
    return { reason: "", usage: undefined, next: failure?.retryable === true, ...heardOf };
  return { reason: outcome.reason, usage: outcome.usage, next: false, ...heardOf };
}

/** All that a verdict comes to on the account: the charge in nanos, and what the receipt says of it. */
export function chargeOfVerdict({ reason, next, outcome }: Verdict): object {
  if (outcome === undefined) return { reason, next };
  const { usage, calls, units, estimated, raw, hostile, implausible } = outcome;
  const { chargeNanos } = priced(PRICE, { usage, calls, units });
  return { reason, nanos: chargeNanos, usage, calls, units, estimated, raw, hostile, implausible };
}

/** No bucket costs as much as another, nor a sum of others, so that a token in the wrong one shows. */
const PRICE: FrozenPrice = {
  priceId: 1n,
  rates: {
    input: 1_009_000_003n,
    cacheRead: 101_000_017n,
    cacheWrite: 1_511_000_029n,
    cacheWrite1h: 2_003_000_041n,
    output: 5_003_000_057n,
    reasoning: 7_001_000_069n,
    cacheWrite30m: 1_601_000_083n,
    cacheWrite12h: 2_503_000_097n,
    audioInput: 3_001_000_103n,
    audioCacheRead: 307_000_109n,
    audioOutput: 9_001_000_117n,
    imageInput: 1_201_000_123n,
    imageOutput: 8_009_000_137n,
  },
  factorPpm: 1_000_000n,
  dimensions: { ...NO_DIMENSIONS, calls: { web_search: { per: "use", nanos: 10_000_000n } } },
};
