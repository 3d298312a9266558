import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatewayError } from "../../errors.ts";
import { type ServeDeps, serveBare } from "./endpoint.ts";
import { refuseConnection, refuseMalformedRequest, refuseTunnel } from "./malformed-request.ts";
import { normalPath } from "./router.ts";
import { awaitGoAhead, faultOfHead, unmetExpectation } from "./valid-head.ts";

/** Headers of a well-behaved caller arrive at once; one that trickles them holds a connection for nothing. */
const HEADERS_TIMEOUT_MS = 10_000;

/** A caller that sends its body slower than this holds a connection for nothing. */
const REQUEST_TIMEOUT_MS = 120_000;

/**
 * Longer than a balancer in front of us lets a connection idle, so that it is never us who close first, just as it
 * sends a request: Caddy two minutes, Google's ten, others whatever was set so that long answers pass.
 */
const KEEP_ALIVE_MS = 620_000;

/**
 * A burst of a stream must fit below this mark, else every write waits for a drain; times the number
 * of slow readers it is memory, so it stays well below 1 MB.
 */
const WRITE_BUFFER_BYTES = 128 * 1024;

/**
 * Requests that one connection may have begun or sent ahead. The next one ends it: to read no further would not bound
 * them, as one read brings two thousand. No client that is in use sends more than a handful ahead.
 */
const MAX_PER_CONNECTION = 16;

/** Bytes behind a connection's last request that may come while it is answered. */
const MAX_JUNK_BYTES = 1024 * 1024;

/** Streams end all the time. */
const FULL_RETRY_SECONDS = 5;

type Begin = (request: IncomingMessage, response: ServerResponse) => void;

/** Node's own server: whose turn it is on each connection, and what it would refuse in no shape of ours. */
export interface Connections {
  /** `serve` is called for each request in its turn, once its head is known to be sound. */
  open(serve: Begin): Server;
  /** Requests that are served and not answered whole. Refused heads are none: their response waits for nothing. */
  running(): number;
}

/** The state of one connection. */
interface ConnectionState {
  /** The response that its caller will read next. */
  owed: ServerResponse | undefined;
  /** Requests that have come and are not answered whole. */
  unanswered: number;
  /** It came when there were too few descriptors left to serve it. */
  isSurplus: boolean;
  /** Refuses what came behind its requests and is no HTTP; called once these are answered. */
  refuseRest: (() => void) | undefined;
  /** The number of bytes that may be read of the connection until then. */
  mostBytesRead: number;
}

export function createConnections(deps: ServeDeps): Connections {
  let running = 0;
  let probes = 0;
  const descriptors = new Descriptors();
  const states = new WeakMap<Socket, ConnectionState>();

  const stateOf = (socket: Socket): ConnectionState => {
    let state = states.get(socket);
    if (state === undefined) {
      state = {
        owed: undefined,
        unanswered: 0,
        isSurplus: false,
        refuseRest: undefined,
        mostBytesRead: Number.POSITIVE_INFINITY,
      };
      states.set(socket, state);
    }
    return state;
  };

  /** Ends a refused response. One function serves all connections. */
  function refused(this: ServerResponse): void {
    const state = stateOf(this.req.socket);
    state.unanswered -= 1;
    if (state.owed === this) state.owed = undefined;
    if (state.unanswered === 0) state.refuseRest?.();
  }

  /** Ends a served response. */
  function answered(this: ServerResponse): void {
    running -= 1;
    refused.call(this);
  }

  const inTurn = (begin: Begin): Begin => {
    const beginNow: Begin = (request, response) => {
      const state = stateOf(request.socket);
      // Bytes that are no HTTP were in its body.
      if (state.refuseRest !== undefined && !request.complete) return state.refuseRest();
      state.owed = response;
      begin(request, response);
    };
    return (request, response) => {
      const { socket } = request;
      // The same read may bring requests behind the one too many.
      if (socket.destroyed) return;
      const state = stateOf(socket);
      if (state.refuseRest !== undefined) return;
      state.unanswered += 1;
      if (state.unanswered > MAX_PER_CONNECTION) return endAtOnce(socket);
      // Sent before the response ahead of it is whole: begun in its turn, since nothing tells it (Node 20, 22)
      // when its connection ends before.
      if (response.socket === null) response.once("socket", () => beginNow(request, response));
      else beginNow(request, response);
    };
  };
  const refuse = (request: IncomingMessage, response: ServerResponse, error: GatewayError): void => {
    response.on("close", refused);
    void serveBare(deps, request, response, { url: normalPath(request.url ?? "/"), route: "" }, () => {
      throw error;
    });
  };

  /** Refuses a connection beyond the limit unless its request comes at once, as a probe's does. */
  const awaitProbe = (socket: Socket): void => {
    const giveUp = (): void => {
      if (stateOf(socket).unanswered === 0) refuseConnection(socket, noDescriptor(), deps);
    };
    if (probes >= MAX_PROBES) {
      giveUp();
      return;
    }
    probes += 1;
    const wait = setTimeout(giveUp, PROBE_WAIT_MS).unref();
    socket.once("close", () => {
      probes -= 1;
      clearTimeout(wait);
    });
  };

  return {
    open(serve) {
      const take = inTurn((request, response) => {
        const fault = faultOfHead(request);
        if (fault !== undefined) return refuse(request, response, fault);
        if (stateOf(request.socket).isSurplus) response.shouldKeepAlive = false;
        // A probe needs none: that connections are many is no reason to end the process.
        if (stateOf(request.socket).isSurplus && request.url !== "/healthz")
          return refuse(request, response, noDescriptor());
        running += 1;
        response.on("close", answered);
        serve(request, response);
      });
      const server = createServer(
        {
          headersTimeout: HEADERS_TIMEOUT_MS,
          keepAliveTimeout: KEEP_ALIVE_MS,
          requestTimeout: REQUEST_TIMEOUT_MS,
          connectionsCheckingInterval: 2_000,
          highWaterMark: WRITE_BUFFER_BYTES,
          noDelay: true,
          insecureHTTPParser: false,
          // Looked at here, to be refused in our words.
          requireHostHeader: false,
        },
        take,
      );
      // All of what fits a head is seen, to be refused in our words.
      server.maxHeadersCount = 0;
      server.on("connection", (socket) => {
        const left = descriptors.left(socket);
        if (left !== "enough") stateOf(socket).isSurplus = true;
        if (left === "none") awaitProbe(socket);
      });
      // Node reports errors of its parser here.
      server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
        const state = stateOf(socket);
        // It is called again with all that comes. Reading goes on, because only that shows when the caller leaves.
        if (socket.bytesRead > state.mostBytesRead) socket.destroy();
        const respondLast = (respond: () => void): void => {
          if (state.refuseRest !== undefined) return;
          state.refuseRest = respond;
          state.mostBytesRead = socket.bytesRead + MAX_JUNK_BYTES;
        };
        refuseMalformedRequest(error, socket, { owed: state.owed, respondLast }, deps);
      });
      server.on("checkContinue", (request, response) => {
        awaitGoAhead(request, response);
        take(request, response);
      });
      server.on(
        "checkExpectation",
        inTurn((request, response) => refuse(request, response, unmetExpectation())),
      );
      server.on("connect", ({ socket }) => refuseTunnel(socket, states.get(socket)?.owed, deps));
      return server;
    },
    running: () => running,
  };
}

function noDescriptor(): GatewayError {
  const message = "The gateway has reached its connection limit. Try again in a moment.";
  return new GatewayError("service_unavailable", message, {
    retryAfterSeconds: FULL_RETRY_SECONDS,
    headers: { connection: "close" },
  });
}

/** The place in which Node's server keeps the parser of a connection, and the function that it calls for each head. */
type ParsedSocket = Socket & { readonly parser?: { onIncoming: () => number } | null };

/** To the parser: nothing behind this head is HTTP. */
const NO_MORE_HTTP = 2;

/**
 * Ends a connection and drops what is already read of it: Node would still make a request of every head in there, some
 * two thousand, and keep them until the connection is closed. Should it keep its parser elsewhere one day, they are made again.
 */
function endAtOnce(socket: ParsedSocket): void {
  if (socket.parser) socket.parser.onIncoming = () => NO_MORE_HTTP;
  socket.destroy();
}

/** A request needs a second descriptor for its upstream, and the process some for its database and files. */
const SPARE_SHARE = 0.1;
const LEAST_SPARE = 32;
const MAX_SPARE = 1_000;

/** Connections beyond the limit whose request is waited for, and how long: fewer than the descriptors that are left by then. */
const MAX_PROBES = 8;
const PROBE_WAIT_MS = 1_000;

/** True if a connection may be served: beyond the last descriptor the kernel takes connections only to reset them. */
class Descriptors {
  private readonly limit: number;
  private readonly spare: number;

  /** `limit` of open files; Infinity where nothing tells it. */
  constructor(limit = openFilesLimit()) {
    this.limit = limit;
    this.spare = Math.min(MAX_SPARE, Math.max(LEAST_SPARE, SPARE_SHARE * limit));
  }

  /** "none": too few are left to wait for its request for long. Each new one is the lowest that is free, so its number tells how many are taken. */
  left(socket: Socket & { readonly _handle?: { readonly fd?: number } | null }): "enough" | "few" | "none" {
    const left = this.limit - (socket._handle?.fd ?? 0);
    if (left > this.spare) return "enough";
    return left > this.spare / 2 ? "few" : "none";
  }
}

/** Node raises its own limit to the highest it may have, so what is in force is read where the kernel says it. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Not on Linux: the kernel refuses by itself.
    return Number.POSITIVE_INFINITY;
  }
}
