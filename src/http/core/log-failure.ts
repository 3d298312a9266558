import type { Caller } from "../../accounts/caller.ts";
import { type GatewayError, UpstreamRejection } from "../../errors.ts";
import type { Log } from "../../observe/log.ts";
import { logRefusal, type RequestEnd, refusalSentence } from "../../observe/refusal.ts";
import { knownError } from "./error-response.ts";

/** The known facts of a request when it is refused. */
export interface RefusedCall {
  caller: Caller | undefined;
  /** Only a model that its caller may use: others would be a word for each that is made up. */
  model: string | null | undefined;
  /** For the console: the signed-in user. */
  user: bigint | undefined;
  /** Its refusal needs no line: whoever took it up tells of its end, or its caller has left. */
  isLogged: boolean;
  /** Name of its endpoint in the request log; undefined = its route. */
  endpoint?: string | undefined;
  /** Monotonic time at which it came. */
  startedMs?: number | undefined;
  /** Returns the end of a request that the relay admitted; undefined = the relay did not admit it. */
  ended?: { end(): RequestEnd | undefined } | undefined;
}

/** `route`: its path; "" = no route has it, and its `url` is told in its place. */
interface FailedCall {
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly url: string;
}

/**
 * The one line in the operator's log of a request that was not answered: what is refused says who asked for what, what is the
 * gateway's own fault or an upstream's says why.
 */
export function logFailure(
  log: Log,
  { id: requestId, method, route, url }: FailedCall,
  { caller, model, user, isLogged: isTold, ended }: RefusedCall,
  error: unknown,
): void {
  const { status, errorCode, param, known } = readFailure(error);
  const about = {
    requestId,
    route: routeText({ method, route, url }),
    user: user === undefined ? undefined : String(user),
    account: caller?.accountName,
    keyId: caller === undefined ? undefined : String(caller.keyId),
    keyName: caller?.keyName,
    model,
  };
  if (known !== undefined && status >= 500)
    log.warn({ ...about, ...ended?.end(), status, errorCode, err: causeOf(known) }, "request failed");
  else if (!isTold || status >= 500)
    logRefusal(log, { ...about, status, errorCode, param }, refusalSentence(route));
}

/** Method and path of a request in log lines, with names in place of what callers write. */
export function routeText({ method, route, url }: Pick<FailedCall, "method" | "route" | "url">): string {
  return `${method} ${route === "" ? loggedPath(url) : route}`.trimEnd();
}

interface Failure {
  readonly status: number;
  readonly errorCode: string;
  readonly param: string | undefined;
  /** Undefined where an upstream said it. */
  readonly known: GatewayError | undefined;
}

function readFailure(error: unknown): Failure {
  if (error instanceof UpstreamRejection) {
    const { status, code, param } = error.statement;
    return { status, errorCode: code, param, known: undefined };
  }
  const known = knownError(error);
  return { status: known.status, errorCode: known.reason, param: known.param, known };
}

/** The stack of an upstream's failure helps nobody; errors that the program itself threw keep theirs. */
function causeOf(known: GatewayError): unknown {
  const cause = known.cause ?? known;
  const isUpstreams = known.reason.startsWith("upstream_") || known.reason === "no_available_upstream";
  const isPlain = cause instanceof Error && (cause === known || cause.constructor === Error);
  if (!isUpstreams || !isPlain) return cause;
  return Object.assign(new Error(cause.message, { cause: cause.cause }), { stack: undefined });
}

/** The length of a path that is enough to name an endpoint. */
const MAX_LENGTH = 200;

/** The replacement of a segment that may be a secret. */
const HIDDEN = "*";

/**
 * The path of a request that no route has, for the operator's log. The query is left out, and so is each segment that is more
 * than a word: a client that is set up wrongly may have its key, or its user's text, anywhere in the address.
 */
export function loggedPath(url: string): string {
  const path = (url.split(/[?#]/, 1)[0] ?? "").slice(0, MAX_LENGTH);
  return path
    .split("/")
    .map((segment) => (segment.split(":").every(isWord) ? segment : HIDDEN))
    .join("/");
}

/** True for plain letters that neither break a line nor have the form or length of a key. */
function isWord(text: string): boolean {
  if (!/^[\w.~-]{0,32}$/.test(text) || /^(?:sk|pk|rk|key)[-_]/i.test(text)) return false;
  return text.length < 16 || !/\d/.test(text);
}
