import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatewayError } from "../errors.ts";
import { refuseBrokenRequest, refuseTunnel } from "./broken-request.ts";
import type { HttpDeps } from "./deps.ts";
import { serveBare } from "./endpoint.ts";
import { normalPath } from "./normal-path.ts";

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

type Begin = (request: IncomingMessage, response: ServerResponse) => void;

/** Node's own server: whose turn it is on each connection, and what it would refuse in no shape of ours. */
export interface Connections {
  /** `serve` is called for each request in its turn, once its head is known to be sound. */
  open(serve: Begin): Server;
  /** What the parser gives up on. */
  broken(error: NodeJS.ErrnoException, socket: Socket): void;
  /** Requests that are served and not answered whole. Refused heads are none: their answer waits for nothing. */
  running(): number;
}

export function createConnections(deps: Pick<HttpDeps, "log" | "errorType">): Connections {
  let running = 0;
  /** The answer that a connection's caller will read next. Set anew instead of deleted, which costs three times as much. */
  const owed = new WeakMap<Socket, ServerResponse | undefined>();

  /** Of one that is served. One function for all: every request has it. */
  function answered(this: ServerResponse): void {
    running -= 1;
    const { socket } = this.req;
    if (owed.get(socket) === this) owed.set(socket, undefined);
  }

  const inTurn = (begin: Begin): Begin => {
    const beginNow: Begin = (request, response) => {
      owed.set(request.socket, response);
      begin(request, response);
    };
    return (request, response) => {
      // Sent before the answer ahead of it is whole: begun in its turn, since nothing tells it (Node 20, 22)
      // when its connection ends before.
      if (response.socket === null) response.once("socket", () => beginNow(request, response));
      else beginNow(request, response);
    };
  };
  const refuse = (request: IncomingMessage, response: ServerResponse, error: GatewayError): void => {
    void serveBare(deps, request, response, normalPath(request.url ?? "/"), () => {
      throw error;
    });
  };

  return {
    open(serve) {
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
        inTurn((request, response) => {
          if (!namesItsHost(request)) return refuse(request, response, hostless());
          running += 1;
          response.on("close", answered);
          serve(request, response);
        }),
      );
      server.on(
        "checkExpectation",
        inTurn((request, response) => refuse(request, response, unmetExpectation())),
      );
      server.on("connect", ({ socket }) => refuseTunnel(socket, owed.get(socket), deps.errorType));
      return server;
    },
    broken: (error, socket) => refuseBrokenRequest(error, socket, owed.get(socket), deps.errorType),
    running: () => running,
  };
}

/** Exactly one host, as the standard wants it, be it empty. HTTP/1.0 needs none. Read off the list, where two are two. */
function namesItsHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== "1.1");
}

/** What stands behind a refused head may be its body or not: it is not served. */
const CLOSING = { headers: { connection: "close" } };

function hostless(): GatewayError {
  return new GatewayError("invalid_request", "A request needs one Host header.", CLOSING);
}

function unmetExpectation(): GatewayError {
  return new GatewayError(
    "unmet_expectation",
    "The only Expect header that is served is `Expect: 100-continue`; send the request without this one.",
    CLOSING,
  );
}
