import type { UpstreamFailure } from "./call.ts";
import { InterimFlood } from "./transport/interim-responses.ts";

/** No connection through an upstream's proxy; the message says what the proxy did. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }

  /** The proxy itself can't be reached. */
  static unreachable(error: Error): ProxyFailure {
    const { why } = explain(error);
    return new ProxyFailure(`is unreachable: ${why}`, CHECK_PROXY);
  }
}

const CHECK_PROXY = "Check the URL in `proxy`, and that the proxy runs.";

type Phase = UpstreamFailure["phase"];

/** Reads a client error as a failure of the phase it came in. */
export function failureOf(error: Error, phase: Phase, host: string): UpstreamFailure {
  const code = errorCode(error);
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") {
    return {
      kind: "protocol",
      phase,
      message: `The request to ${host} can't be written: ${error.message}.`,
      advice: "Check base_url and headers.",
    };
  }
  if (code === "UND_ERR_CLOSED" || code === "UND_ERR_DESTROYED") {
    return { kind: "aborted", phase, message: `The connections to ${host} are being closed.` };
  }
  if (error instanceof ProxyFailure)
    return {
      kind: "connect",
      phase,
      message: `The proxy of ${host} ${error.message}.`,
      advice: error.advice,
    };
  if (phase === "connect") {
    if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT")
      return {
        kind: "timeout",
        phase,
        message: `${host} did not accept a connection in time.`,
        advice: CHECK_WAY,
      };
    const { why, advice, isInsecure } = explain(error);
    const what = isInsecure ? `No secure connection to ${host}` : `${host} is unreachable`;
    return { kind: "connect", phase, message: `${what}: ${why}.`, advice };
  }
  if (isBroken(error, code)) {
    return {
      kind: "protocol",
      phase,
      message: `${host} sent a malformed response: ${error.message}.`,
      advice: "Check that an HTTP server is at base_url.",
    };
  }
  const where = phase === "first-byte" ? "before it responded" : "mid-response";
  return {
    kind: "closed",
    phase,
    message: `${host} closed the connection ${where} (${code || error.name}).`,
    advice: CHECK_SCHEME,
  };
}

export type Limit = "connect" | "firstByte" | "idle" | "total";

/** A limit of ours passed. */
export function timeoutOf(limit: Limit, limitMs: number, phase: Phase, host: string): UpstreamFailure {
  const seconds = `${limitMs / 1000} s`;
  const message = {
    connect: `${host} did not accept a connection within ${seconds}.`,
    firstByte: `${host} sent no response within ${seconds}.`,
    idle: `${host} sent nothing for ${seconds} mid-response.`,
    total: `${host} did not finish its response within ${seconds}.`,
  }[limit];
  const advice = limit === "connect" ? CHECK_WAY : "Check that the server at base_url works.";
  return { kind: "timeout", phase, message, advice };
}

const CHECK_WAY =
  "Check base_url, and whether a firewall drops the connection; if this network needs a proxy, set `proxy`.";
const CHECK_SCHEME = "Check the port in base_url, and whether the server there uses http or https.";

/** It began to speak another protocol, for which nobody asked. */
export function switched(phase: Phase, host: string): UpstreamFailure {
  return { kind: "protocol", phase, message: `${host} sent a malformed response: it switched protocols.` };
}

/**
 * True if the response is no HTTP/1.1: framing that does not parse, header lists beyond any sense, 101 without a
 * request for it. A body shorter than declared is a closed connection instead.
 */
function isBroken(error: Error, code: string): boolean {
  return (
    code.startsWith("HPE_") ||
    error.name === "HTTPParserError" ||
    error instanceof InterimFlood ||
    code === "UND_ERR_HEADERS_OVERFLOW" ||
    error.message === "bad response" ||
    error.message === "bad upgrade"
  );
}

interface Reason {
  /** The end of a sentence. */
  readonly why: string;
  /** A sentence; absent where the reason says what to do. */
  readonly advice?: string;
}

/** Or the server leaves out the certificate between, which looks the same from here. */
const UNKNOWN_AUTHORITY: Reason = {
  why: "its certificate is signed by an unknown authority; set ca_file, or NODE_EXTRA_CA_CERTS, to the authority's file",
};

const TLS_REASONS: Readonly<Record<string, Reason>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: "its certificate is for another name",
    advice: "In base_url, use the host name that the certificate is for.",
  },
  CERT_HAS_EXPIRED: {
    why: "its certificate has expired",
    advice: "Renew it on the server, and check this machine's clock.",
  },
  CERT_NOT_YET_VALID: {
    why: "its certificate isn't valid yet, or this machine's clock is wrong",
    advice: "Check this machine's clock.",
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    why: "its certificate is self-signed; set ca_file, or NODE_EXTRA_CA_CERTS, to its file",
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_SSL_WRONG_VERSION_NUMBER: {
    why: "the server doesn't use TLS at that port",
    advice: "Use http:// in base_url, or the server's port for https.",
  },
};

const NO_ROUTE: Reason = { why: "there is no route to it", advice: CHECK_WAY };
const CLOSED_AT_ONCE: Reason = { why: "it closed the connection immediately", advice: CHECK_SCHEME };

const PLAIN_REASONS: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: {
    why: "nothing listens at that address",
    advice: "Check the host and port in base_url, and that the server runs.",
  },
  ENOTFOUND: { why: "its host name is unknown", advice: "Check the host name in base_url." },
  EAI_AGAIN: {
    why: "its host name can't be resolved right now",
    advice: "Check this machine's DNS servers and network.",
  },
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ECONNRESET: CLOSED_AT_ONCE,
  UND_ERR_SOCKET: CLOSED_AT_ONCE,
  EMFILE: {
    why: "this process has no file descriptor left",
    advice: "Raise its limit of open files (ulimit -n).",
  },
};

/** Why there is no connection. Any other code of TLS is one of a handshake that failed. */
function explain(error: Error): Reason & { readonly isInsecure: boolean } {
  const code = errorCode(error);
  const known = TLS_REASONS[code];
  if (known !== undefined) return { ...known, isInsecure: true };
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code === "EPROTO")
    return { why: `the TLS handshake failed (${code})`, advice: CHECK_SCHEME, isInsecure: true };
  const plain = PLAIN_REASONS[code] ?? { why: code || error.name, advice: CHECK_WAY };
  return { ...plain, isInsecure: false };
}

function errorCode(error: Error): string {
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string") return code;
  // Several addresses were tried; the first one's reason stands for all.
  return error instanceof AggregateError && error.errors[0] instanceof Error
    ? errorCode(error.errors[0])
    : "";
}
