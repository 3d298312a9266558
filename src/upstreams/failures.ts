import type { UpstreamFailure } from "./call.ts";
import { InterimFlood } from "./transport/interim-responses.ts";

/** No connection through an upstream's proxy; the message says what the proxy did. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
}

type Phase = UpstreamFailure["phase"];

/** Reads a client error as a failure of the phase it came in. */
export function failureOf(error: Error, phase: Phase, host: string): UpstreamFailure {
  const code = errorCode(error);
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") {
    return {
      kind: "protocol",
      phase,
      message: `The request to ${host} can't be written: ${error.message}.`,
    };
  }
  if (code === "UND_ERR_CLOSED" || code === "UND_ERR_DESTROYED") {
    return { kind: "aborted", phase, message: `The connections to ${host} are being closed.` };
  }
  if (error instanceof ProxyFailure)
    return { kind: "connect", phase, message: `The proxy of ${host} ${error.message}.` };
  if (phase === "connect") {
    return code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT"
      ? { kind: "timeout", phase, message: `${host} did not accept a connection in time.` }
      : { kind: "connect", phase, message: `${host} is unreachable: ${reason(error, code)}.` };
  }
  if (isBroken(error, code)) {
    return { kind: "protocol", phase, message: `${host} sent a malformed response: ${error.message}.` };
  }
  const where = phase === "first-byte" ? "before it responded" : "mid-response";
  return {
    kind: "closed",
    phase,
    message: `${host} closed the connection ${where} (${code || error.name}).`,
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
  return { kind: "timeout", phase, message };
}

/** It began to speak another protocol, for which nobody asked. */
export function switched(phase: Phase, host: string): UpstreamFailure {
  return { kind: "protocol", phase, message: `${host} sent a malformed response: it switched protocols.` };
}

/**
 * What came is no HTTP/1.1 answer: framing that does not parse, header lists beyond any sense, 101 where
 * nothing asked for it. A body shorter than declared is a closed connection instead.
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

/** Or the server leaves out the certificate between, which looks the same from here. */
const UNKNOWN_AUTHORITY =
  "its certificate is signed by an unknown authority; set ca_file, or NODE_EXTRA_CA_CERTS, to the authority's file";

const PLAIN_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at that address",
  ENOTFOUND: "its host name is unknown",
  EAI_AGAIN: "its host name can't be resolved right now",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ECONNRESET: "it closed the connection immediately",
  UND_ERR_SOCKET: "it closed the connection immediately",
  EMFILE: "this process has no file descriptor left",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate isn't valid yet, or this machine's clock is wrong",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "its certificate is self-signed; set ca_file, or NODE_EXTRA_CA_CERTS, to its file",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
};

function reason(error: Error, code: string): string {
  return PLAIN_REASONS[code] ?? (code || error.name);
}

/** Why nothing could be reached, as the end of a sentence. */
export function reasonOf(error: Error): string {
  return reason(error, errorCode(error));
}

function errorCode(error: Error): string {
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string") return code;
  // Several addresses were tried; the first one's reason stands for all.
  return error instanceof AggregateError && error.errors[0] instanceof Error
    ? errorCode(error.errors[0])
    : "";
}
