import type { ConnectThrough } from "../base/fetch/safe-fetch.ts";
import type { Credential, Upstream } from "../catalog/catalog.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import type { TaskApiRequest, TaskApiResponse } from "./task-apis/task-api.ts";
import type { RawHeaders } from "./transport/raw-headers.ts";

/** One upstream that can answer a request, with everything chosen: the unit of an attempt. */
export interface Candidate {
  readonly upstream: Upstream;
  readonly credential: Credential;
  /** The upstream's name of the model. */
  readonly model: string;
  /** The protocol to speak to it. */
  readonly protocol: ProtocolName;
}

/**
 * All of a caller's headers that may reach an upstream, by neutral name; transport writes them in the
 * spelling of the upstream's kind. Nothing else a caller sends does, so no cookie, address or key of
 * theirs can leak to a vendor.
 */
export interface CallerHeaders {
  /** `vendorx-version` in any spelling. */
  readonly version?: string | undefined;
  /** `vendorx-beta` in any spelling, the lists united and joined with commas. */
  readonly betas?: string | undefined;
}

/** All of a caller's query parameters that may reach an upstream, for kinds that take them. */
export interface CallerQuery {
  readonly beta?: string;
}

/** A request to an upstream. Transport adds the path, the credential and its own headers. */
export interface UpstreamRequest {
  readonly candidate: Candidate;
  readonly requestId: string;
  readonly streamed: boolean;
  /** A stream as one JSON array and not as events (generateContent without `alt=sse`). */
  readonly arrayStream?: boolean;
  readonly query: CallerQuery;
  /** Behind the endpoint's path. */
  readonly below?: string | undefined;
  readonly headers: CallerHeaders;
  /** Body pieces, sent one after the other; large ones are never joined. */
  readonly body: readonly Uint8Array[];
}

/** The callbacks of an attempt, never before `send` has returned. After `failed` or `ended` none is called. */
export interface UpstreamResponse {
  /** The final response headers. Redirects come as they are and are not followed. */
  head(status: number, headers: RawHeaders): void;
  /** A chunk of the body, the receiver's to keep. */
  data(chunk: Buffer): void;
  /** The whole response has come, as its own framing says. */
  ended(): void;
  failed(failure: UpstreamFailure): void;
}

/** The options of those who read a response before its receiver does. */
export interface ResponseReaderOptions {
  /** The upstream's, for messages. */
  readonly name: string;
  /** The upstream's name of the model. */
  readonly model: string;
  /** Ends the attempt from our side. */
  readonly fail: (failure: UpstreamFailure) => void;
}

/**
 * The kind of an attempt's failure.
 * - `connect`: no connection (refused, unknown host, TLS).
 * - `timeout`: one of the upstream's limits passed; `phase` says which.
 * - `closed`: the connection ended before the response did.
 * - `protocol`: the response is not HTTP/1.1 that can be trusted, or the request could not be written.
 * - `busy`: the upstream has reached its limit of running requests; nothing was sent.
 * - `aborted`: the gateway gave up: the transport was closed, or the receiver threw.
 */
export interface UpstreamFailure {
  readonly kind: "connect" | "timeout" | "closed" | "protocol" | "busy" | "aborted";
  /** `first-byte` lasts until the first byte of the body: until then nothing was produced that a caller saw. */
  readonly phase: "connect" | "first-byte" | "body";
  /** A sentence for the operator; holds no secret and nothing of the request. */
  readonly message: string;
  /** The operator's remedy, as a sentence; absent if the message says it. */
  readonly advice?: string | undefined;
}

/** The running attempt. */
export interface UpstreamCall {
  /**
   * The monotonic time at which a connection took it. Undefined while it waits for one, and where it ended so: the upstream
   * has heard nothing of it.
   */
  sentMs(): number | undefined;
  /** Stops reading from the upstream; at most what is already in its socket's buffers still comes. */
  pause(): void;
  resume(): void;
  /** Reads on in a later turn of the event loop, when others have had theirs. */
  rest(): void;
  /** Ends the upstream's work by closing the connection at once; nothing is called back after it. */
  abort(): void;
}

/** A whole request for a whole response, which is what tasks and assets are made of. */
export interface UpstreamAsk {
  readonly upstream: Upstream;
  /** Travels as the upstream's kind says; null = the request carries a signature of its own. */
  readonly credential: Credential | null;
  readonly requestId: string;
  readonly request: TaskApiRequest;
  /** Decides how much of the response is collected; absent = records of tasks, 4 MB. */
  readonly room?: ResponseRoom;
}

export interface ResponseRoom {
  /** So many bytes of the call's response have come by now; it may be paused. False: no more are taken. */
  holds(bytes: number, call: Pick<UpstreamCall, "pause" | "resume">): boolean;
}

/** A failure whose phase is `connect` says that nothing was sent; after any other the upstream may have acted. */
export type AskOutcome =
  | { readonly type: "answered"; readonly response: TaskApiResponse }
  | { readonly type: "failed"; readonly failure: UpstreamFailure };

/** An upstream's connections, for operators. */
export interface ConnectionStats {
  readonly upstream: string;
  readonly inFlight: number;
  /** Open or opening, idle ones included. */
  readonly connections: number;
}

/** The single door to upstreams. */
export interface Transport {
  send(call: UpstreamRequest, response: UpstreamResponse): UpstreamCall;
  /** Sends one request and gives its whole response, whatever its status; never rejects. */
  ask(ask: UpstreamAsk): Promise<AskOutcome>;
  /** The proxy through which files of the upstream are fetched; undefined = it has none. */
  through(upstream: Upstream): ConnectThrough | undefined;
  /** Requests running at this upstream, over all its models and credentials. */
  inFlight(upstreamId: bigint): number;
  /** Tells which upstreams exist: connections to any other are closed as soon as they are idle. */
  retain(upstreams: readonly Upstream[]): void;
  stats(): readonly ConnectionStats[];
  /** Fails what still runs and closes every connection. */
  close(): Promise<void>;
}
