import { createWorkerPool, type Job, joined, PoolFull } from "../../base/async/worker-pool.ts";
import type { Clock } from "../../base/clock.ts";
import type { Outcome } from "../../billing/billing.ts";
import { allowedModel } from "../../catalog/allowed-model.ts";
import { type Catalog, type Model, protocolsAt, type Upstream } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import { asObject, type JsonObject, parseLoosely } from "../../protocols/json.ts";
import type { Protocol } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { Pin } from "../../routing/routes.ts";
import type { Candidate, Transport } from "../../upstreams/call.ts";
import type { CountCall } from "../../upstreams/count-call.ts";
import { kindOf, type UpstreamKind } from "../../upstreams/kinds.ts";
import type { IssuedIds } from "../../upstreams/memory/issued-ids.ts";
import { scrubberOf } from "../../upstreams/scrub/scrubber.ts";
import { countPath, encodeSegment } from "../../upstreams/transport/endpoint-url.ts";
import { versionHeaders } from "../../upstreams/transport/headers.ts";
import { totalInput } from "../../usage/usage.ts";
import { pinsOf } from "../admit/pins.ts";
import { readReferences } from "../admit/references.ts";
import { failureOfError, scrubbedError } from "../failures.ts";
import type { TextRequest } from "../text-request.ts";
import { countedBody } from "./counted-body.ts";
import { LearntFactor } from "./learnt-factor.ts";
import type { CountMessage, CountResponse } from "./token-count-worker.ts";

/** A request whose input tokens are counted without a response. */
export type CountedRequest = Pick<
  TextRequest,
  "id" | "caller" | "protocol" | "model" | "body" | "scan" | "state" | "headers" | "query"
>;

/** The response in the protocol's own form. `estimated`: counted here and not by the vendor. */
export interface TokenCount {
  readonly body: JsonObject;
  readonly estimated: boolean;
}

export interface TokenCounts {
  /** Rejects with GatewayError or UpstreamRejection. */
  count(request: CountedRequest): Promise<TokenCount>;
  /** Learns from a request that has ended what its vendor counts. */
  ended(request: TextRequest, model: Model, outcome: Outcome): void;
  close(): Promise<void>;
}

export interface TokenCountsDeps {
  readonly catalog: { current(): Catalog };
  readonly transport: Pick<Transport, "ask">;
  readonly issuedIds: IssuedIds;
  readonly clock: Clock;
}

/** A caller waits for the count before it asks its request. */
const SILENCE_MS = 2_000;

/** An upstream that could not count is not asked again for so long. */
const REST_MS = 30_000;

/** Counting a large body takes a tenth of a second. */
const WAITING = 64;
const WAITING_OF_ACCOUNT = 16;

/** Far above the time of the largest body on a busy machine. */
const LIMIT_MS = 30_000;

/** The tokenizer and the tree of the largest body. */
const HEAP_MB = 1_024;

/** Counts what a request would take: by the upstream where it can, for nothing; else with a local tokenizer, in a thread. */
export function createTokenCounts(deps: TokenCountsDeps): TokenCounts {
  const pool = createWorkerPool<CountResponse>({
    entry: new URL("./token-count-worker.ts", import.meta.url),
    workers: 1,
    waiting: WAITING,
    waitingOfOwner: WAITING_OF_ACCOUNT,
    limitMs: LIMIT_MS,
    limits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const factor = new LearntFactor();
  /** Upstreams that are left alone for now, with the time until which. */
  const resting = new Map<bigint, number>();

  const ask = async (
    request: CountedRequest,
    catalog: Catalog,
    model: Model,
    at: CountEndpoint,
  ): Promise<JsonObject | undefined> => {
    const nowMs = deps.clock.monotonicMs();
    if (nowMs < (resting.get(at.candidate.upstream.id) ?? 0)) return undefined;
    const { candidate, kind, path, call } = at;
    const body = countedBody(request, candidate, model);
    if (body === undefined) return undefined;
    const outcome = await deps.transport.ask({
      upstream: candidate.upstream,
      credential: candidate.credential,
      requestId: request.id,
      request: {
        method: "POST",
        path,
        mostMs: SILENCE_MS,
        body: call === undefined ? body : call.writeBody(body),
        headers: {
          "content-type": "application/json",
          ...versionHeaders(candidate, kind, request.headers),
        },
      },
    });
    if (outcome.type === "answered") {
      const { status, headers, body } = outcome.response;
      const reported =
        status === 200 ? asObject(parseLoosely(Buffer.from(body).toString("utf8"))) : undefined;
      const count = reported?.[call?.field ?? request.protocol.endpoint.count?.field ?? ""];
      if (reported !== undefined && typeof count === "number")
        return call === undefined
          ? (scrubberOf(catalog).value(reported) as JsonObject)
          : countResponse(request.protocol, count);
      const error = PROTOCOLS[candidate.protocol].decodeError(status, headers, body);
      if (status >= 400 && status < 500 && error.fault === "caller") {
        if (call?.uncounted.test(error.message) === true || candidate.protocol !== request.protocol.name)
          return undefined;
        const scrubbed = scrubbedError(error, scrubberOf(catalog));
        throw failureOfError(scrubbed, request.protocol.name, candidate.upstream.name).error;
      }
    }
    if (resting.size > MANY_UPSTREAMS) resting.clear();
    resting.set(candidate.upstream.id, nowMs + REST_MS);
    return undefined;
  };

  const countHere = async (
    { body, scan, protocol, caller }: CountedRequest,
    { id }: Model,
  ): Promise<JsonObject> => {
    const samples = factor.take(id);
    const makeJob = async (): Promise<Job> => {
      const bodies = [await joined(body, scan.length), ...samples.map((sample) => sample.body)];
      return { message: bodies satisfies CountMessage, moved: [] };
    };
    const counted = await pool.run(makeJob, { owner: caller.accountId }).catch((cause: Error) => {
      throw countUnavailable(cause);
    });
    factor.learn(id, samples, counted.slice(1));
    const tokens = Math.max(1, Math.round((counted[0] ?? 0) * factor.of(id)));
    return countResponse(protocol, tokens);
  };

  return {
    async count(request) {
      const catalog = deps.catalog.current();
      if (!catalog.settings.countTokens) throw notServed();
      const model = allowedModel(catalog, request.caller, request.model, request.protocol.name);
      const references = readReferences(request);
      const pins =
        references.ids.length === 0
          ? undefined
          : await pinsOf(deps.issuedIds, catalog, model, request, references);
      const place = placeOf(request, catalog, model, pins);
      const reported = place === undefined ? undefined : await ask(request, catalog, model, place);
      if (reported !== undefined) return { body: reported, estimated: false };
      return { body: await countHere(request, model), estimated: true };
    },
    ended(request, model, { usage, additionalUsage, estimated, status }) {
      if (additionalUsage !== undefined || estimated || status !== 200 || request.responses !== 1) return;
      factor.keep(model.id, request.body, totalInput(usage));
    },
    close: () => pool.close(),
  };
}

/** More upstreams than any catalog has. */
const MANY_UPSTREAMS = 1_000;

/** A response of our own. */
function countResponse({ endpoint: { count } }: Protocol, tokens: number): JsonObject {
  return count === undefined ? {} : { ...count.beside, [count.field]: tokens };
}

/** The upstream that counts a request, and its endpoint. */
interface CountEndpoint {
  readonly candidate: Candidate;
  readonly kind: UpstreamKind;
  readonly path: string;
  /** The kind's own; undefined = the protocol's. */
  readonly call: CountCall | undefined;
}

/**
 * The first upstream by priority that speaks the caller's protocol and has its call, or has one of its own. What this gateway has wrapped nobody
 * else can read, and a request within the request names things in places that are not checked: both are counted here.
 */
function placeOf(
  request: CountedRequest,
  catalog: Catalog,
  model: Model,
  pins: readonly Pin[] | undefined,
): CountEndpoint | undefined {
  const { protocol, state, scan } = request;
  const nested = protocol.endpoint.count?.nested;
  if (state !== undefined || (nested !== undefined && scan.last(nested) !== undefined)) return undefined;
  const upstreams = catalog.serving(model.id, request.caller.group, protocol.name);
  for (const upstream of upstreams.toSorted((one, other) => one.priority - other.priority)) {
    const credential = credentialAt(upstream, pins);
    const name = upstream.models.get(model.id);
    const kind = kindOf(upstream.kind);
    if (!credential || !kind || name === undefined) continue;
    const at = { upstream, credential, model: name };
    const spoken = protocolsAt(upstream, model.id);
    const order = { protocol: protocol.name, model: name, query: request.query };
    const place = upstream.options?.place;
    const path = spoken.includes(protocol.name) ? countPath(kind, { ...order, place }) : undefined;
    if (path !== undefined)
      return { candidate: { ...at, protocol: protocol.name }, kind, path, call: undefined };
    const call = kind.countCall;
    if (call !== undefined && spoken.includes(call.protocol) && call.names.test(name))
      return { candidate: { ...at, protocol: call.protocol }, kind, path: callPath(call, name), call };
  }
  return undefined;
}

function callPath(call: CountCall, name: string): string {
  return call.path.replace("{model}", () => encodeSegment(call.modelOf(name)));
}

function credentialAt(
  { id, credentials }: Upstream,
  pins: readonly Pin[] | undefined,
): Candidate["credential"] | undefined {
  if (pins === undefined) return credentials[0];
  const pin = pins.find(({ upstreamId }) => upstreamId === id);
  return pin && credentials.find((each) => pin.credentialId === null || each.id === pin.credentialId);
}

function notServed(): GatewayError {
  return new GatewayError(
    "unserved_action",
    "Token counting is disabled. Read the counts from `usage` (`usageMetadata`) of a regular request.",
  );
}

function countUnavailable(cause: Error): GatewayError {
  if (!(cause instanceof PoolFull)) {
    const message = "The request is too large to count. Send less at once.";
    return new GatewayError("invalid_request", message, { cause });
  }
  const message = "The gateway is counting tokens of many requests. Try again shortly.";
  return new GatewayError("service_unavailable", message, { cause, retryAfterSeconds: 1 });
}
