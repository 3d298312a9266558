import type { Clock } from "../../base/clock.ts";
import type { Credential, Upstream } from "../../catalog/catalog.ts";
import type { OneResponse } from "../transport/exchange-once.ts";
import type { RawHeaders } from "../transport/raw-headers.ts";

/**
 * Authorises requests whose credential is not sent itself: by an access token, or by a signature with keys that expire.
 */
export interface Access {
  /** True if `headers` may be called now. Renews a token before it expires, without waiting for it. */
  isReady(): boolean;
  /** Resolves when it is ready; rejects with AccessFailure. Whoever waits at the same time waits for the same. */
  ready(): Promise<void>;
  /** Returns the headers that authorise this request, as a flat list. Call it only after isReady() or ready(). */
  headers(request: OutgoingRequest): readonly string[];
  /** The vendor refused a request that was sent with these headers: true = it is worth another try with new ones. */
  isRenewed(sent: readonly string[], status: number, headers: Pick<RawHeaders, "get">): boolean;
  /** Present tokens and keys, to be removed from vendors' messages. */
  secrets(): readonly string[];
}

/** A request as it will be sent, for those who sign it. */
export interface OutgoingRequest {
  readonly method: string;
  /** `https://host:port` */
  readonly origin: string;
  /** Path and query as they are written. */
  readonly path: string;
  /** All other headers, as a flat list. */
  readonly headers: readonly string[];
  readonly body: readonly Uint8Array[];
}

/** The environment that this process was started in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A request for a token. */
export interface TokenRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: string;
  /** A flat list. */
  readonly headers: readonly string[];
  readonly body?: string;
  /** To a server of this machine or its host, which no proxy reaches. */
  readonly isLocal?: true;
}

/** Asks whoever gives out tokens. Rejects with AccessFailure where no response comes. */
export type TokenClient = (request: TokenRequest) => Promise<OneResponse>;

/** Dependencies of a kind's access. */
export interface AccessContext {
  readonly upstream: Upstream;
  readonly credential: Credential;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly tokens: TokenClient;
}

/** No access for now: a sentence's end that says why, and what the operator can do. Holds no secret. */
export class AccessFailure extends Error {
  override readonly name = "AccessFailure";
  readonly advice: string | undefined;
  /** True if the server that issues tokens refuses the credential; false if it could not be reached. */
  readonly isRefusal: boolean;

  constructor(
    message: string,
    {
      advice,
      isRefusal = false,
    }: { readonly advice?: string | undefined; readonly isRefusal?: boolean } = {},
  ) {
    super(message);
    this.advice = advice;
    this.isRefusal = isRefusal;
  }
}
