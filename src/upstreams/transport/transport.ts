import { setImmediate } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { appendAll } from "../../base/append-all.ts";
import { Deadlines } from "../../base/async/deadlines.ts";
import type { Clock } from "../../base/clock.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import type { Log } from "../../observe/log.ts";
import type { Environment } from "../access/access.ts";
import { accessTo, retainAccess } from "../access/known-access.ts";
import { askBody, askHeaders, askPath, askTimeouts, collectResponse, sentWith } from "../ask.ts";
import type {
  AskOutcome,
  Transport,
  UpstreamAsk,
  UpstreamCall,
  UpstreamRequest,
  UpstreamResponse,
} from "../call.ts";
import { kindOf, modelFormOf } from "../kinds.ts";
import { AuthorizedCall, noAccess, type Taking } from "./authorized-call.ts";
import { endpointPath } from "./endpoint-url.ts";
import { requestHeaders } from "./headers.ts";
import { type RequestTo, TransportCall } from "./transport-call.ts";
import { createConnectionPool } from "./transport-connections.ts";

export interface TransportOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The environment from which credentials may be read; absent = none. */
  readonly environment?: Environment;
}

/**
 * The single door to upstreams: HTTP/1.1 over kept connections, callbacks straight from the parser, no
 * stream object, timer or promise per request. Redirects are never followed.
 */
export function createTransport(options: TransportOptions): Transport {
  const { clock, log, environment = {} } = options;
  const deadlines = new Deadlines<TransportCall>(clock);
  const connections = createConnectionPool(log);

  return {
    send,
    ask,
    inFlight: (upstreamId) => connections.inFlight(upstreamId),
    through: (upstream) => connections.through(upstream),
    retain(upstreams) {
      connections.retain(upstreams);
      retainAccess(upstreams);
    },
    stats: () => connections.stats(),
    async close() {
      for (const call of deadlines.running()) {
        call.fail({ kind: "aborted", phase: call.phase, message: "The gateway is stopping." });
      }
      deadlines.close();
      connections.close();
    },
  };

  function send(request: UpstreamRequest, response: UpstreamResponse): UpstreamCall {
    const { upstream, credential } = request.candidate;
    const kind = kindOf(upstream.kind);
    const access = kind && accessTo(kind, upstream, credential, { clock, environment });
    if (access === undefined) return sendBy(request, response);
    return new AuthorizedCall(upstream.name, access, response, (receiver, taking) =>
      sendBy(request, receiver, taking),
    );
  }

  function sendBy(request: UpstreamRequest, response: UpstreamResponse, taking?: Taking): UpstreamCall {
    const { upstream, model } = request.candidate;
    const form = modelFormOf(request.candidate) ?? kindOf(upstream.kind);
    const reader = form?.openResponse?.(response, {
      name: upstream.name,
      model,
      fail: (failure) => call.fail(failure),
    });
    const call: TransportCall = new TransportCall(reader ?? response, {
      upstream,
      streamed: request.streamed,
      repeatable: true,
      deadlines,
      clock,
      log,
    });
    return leave(call, upstream, (prefix) => requestOf(request, prefix, taking));
  }

  async function ask(asked: UpstreamAsk): Promise<AskOutcome> {
    const { upstream, credential } = asked;
    const kind = kindOf(upstream.kind);
    const access =
      kind && credential ? accessTo(kind, upstream, credential, { clock, environment }) : undefined;
    if (access === undefined) return askBy(asked);
    const taking: Taking = { access, sent: [] };
    // A request is repeated once at most, like all other calls.
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        await access.ready();
      } catch (error) {
        return { type: "failed", failure: noAccess(upstream.name, error) };
      }
      const outcome = await askBy(asked, taking);
      if (isRepeated || outcome.type !== "answered") return outcome;
      const { status, headers } = outcome.response;
      if (!access.isRenewed(taking.sent, status, { get: (name) => headers[name] })) return outcome;
    }
  }

  function askBy(asked: UpstreamAsk, taking?: Taking): Promise<AskOutcome> {
    const { upstream, request, room } = asked;
    return new Promise((resolve) => {
      const bounded = { ...upstream, timeouts: askTimeouts(upstream.timeouts, request, room !== undefined) };
      const call: TransportCall = new TransportCall(
        collectResponse(request, {
          resolve,
          secrets: sentWith(asked),
          name: upstream.name,
          refuse: (failure) => call.fail(failure),
          holds: room && ((bytes) => room.holds(bytes, call)),
        }),
        { upstream: bounded, streamed: false, repeatable: false, deadlines, clock, log },
      );
      leave(call, upstream, (prefix) => {
        const { method } = request;
        const path = askPath(prefix, request.path);
        const body = askBody(request);
        const headers = askHeaders(taking === undefined ? asked : { ...asked, credential: null });
        const { origin } = new URL(upstream.baseUrl);
        const outgoing = { method, origin, path, headers, body: body === null ? [] : [body] };
        if (taking !== undefined) taking.sent = taking.access.headers(outgoing);
        const more = taking?.sent ?? [];
        return { method, path, headers: [...headers, ...more], body, headersTimeout: 0, bodyTimeout: 0 };
      });
    });
  }

  function leave(call: TransportCall, upstream: Upstream, requestTo: RequestTo): TransportCall {
    try {
      const connection = connections.to(upstream);
      if (connection.load.inFlight < upstream.maxConcurrency) call.dispatch(connection, requestTo);
      else call.fail(busy(upstream));
    } catch (error) {
      // Only what an operator wrote can be wrong here: base URL, kind, model name, a credential's characters.
      const why = error instanceof Error ? error.message : String(error);
      call.fail({
        kind: "protocol",
        phase: "connect",
        message: `${upstream.name} can't be used: ${why}.`,
      });
    }
    call.sent();
    return call;
  }
}

function requestOf(request: UpstreamRequest, prefix: string, taking?: Taking): Dispatcher.DispatchOptions {
  const { candidate } = request;
  const kind = kindOf(candidate.upstream.kind);
  if (kind === undefined) throw new RangeError(`no kind is named ${candidate.upstream.kind}`);
  const path = endpointPath(prefix, kind, {
    protocol: candidate.protocol,
    model: candidate.model,
    streamed: request.streamed,
    arrayStream: request.arrayStream ?? false,
    query: request.query,
    below: request.below,
    place: candidate.upstream.options?.place,
    form: modelFormOf(candidate),
  });
  const bytes = request.body.reduce((sum, piece) => sum + piece.length, 0);
  const headers = requestHeaders(request, kind, bytes, taking?.access);
  if (taking !== undefined) {
    const { origin } = new URL(candidate.upstream.baseUrl);
    taking.sent = taking.access.headers({ method: "POST", origin, path, headers, body: request.body });
    appendAll(headers, taking.sent);
  }
  return {
    method: "POST",
    path,
    headers,
    body: bodyOf(request.body, bytes),
    // Deadlines are ours: the client's own timers know no pauses of a slow receiver.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** Up to here a copy costs less than the system call that a second write would take. */
const JOINED_BYTES = 64 * 1024;

/** One buffer for a small body; a large one is written piece by piece, and never exists twice in memory. */
function bodyOf(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  if (bytes <= JOINED_BYTES) return Buffer.concat(pieces, bytes);
  // The client takes any iterable of pieces; its declared type knows only streams and buffers.
  return inTurns(pieces) as unknown as Uint8Array;
}

/** The bytes that are written in a fraction of a millisecond. */
const TURN_BYTES = 512 * 1024;

/**
 * The pieces, with a turn of the event loop for everyone else between them: an upstream that takes them as
 * fast as they are written, in the next room, would have all 32 MB at once and hold up every other request.
 */
async function* inTurns(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for (const piece of pieces) {
    yield piece;
    bytes += piece.length;
    if (bytes < TURN_BYTES) continue;
    bytes = 0;
    await setImmediate();
  }
}

function busy(upstream: Upstream) {
  return {
    kind: "busy",
    phase: "connect",
    message: `${upstream.name} has ${upstream.maxConcurrency} requests running, which is its limit.`,
  } as const;
}
