import { GatewayError } from "../errors.ts";

/** The meaning of a failed statement for its caller, independent of the driver's many forms of errors. */
export type Failure =
  /** No response: the server is away, starting, stopping, full or read-only. The statement may have taken effect. */
  | "connection"
  /** Serialization failure or deadlock: rolled back wholly, fit to be tried again. */
  | "conflict"
  | "unique"
  | "foreign-key"
  | "check"
  /** The statement ran longer than its limit and was undone. */
  | "timeout"
  | "other";

/** Classifies any error thrown by a Queryable. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return "other";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = BY_CODE.get(code);
  if (known) return known;
  // Class 08 is "connection exception", class 53 "insufficient resources", 57P "operator intervention".
  if (/^(08|53|57P)/.test(code)) return "connection";
  if (/^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/.test(code)) return "connection";
  // The driver gives these no code. They are its own words, fixed by the pinned version and by a test.
  if (code === "" && DRIVER_SAYS_LOST.test(error.message)) return "connection";
  return "other";
}

/** True when nobody can say whether the statement took effect, or the server could not be reached at all. */
export function isConnectionLoss(error: unknown): boolean {
  return failureOf(error) === "connection";
}

/** The callers' error while the database does not work; undefined if the error says something else. */
export function outageOf(error: unknown): GatewayError | undefined {
  const failure = failureOf(error);
  if (failure !== "connection" && failure !== "timeout") return undefined;
  return new GatewayError(
    "service_unavailable",
    "The database doesn't respond right now. Try again shortly.",
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    },
  );
}

const RETRY_AFTER_SECONDS = 2;

/** The name of the constraint a "unique", "foreign-key" or "check" failure broke, as in the migration. */
export function constraintOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("constraint" in error)) return undefined;
  return typeof error.constraint === "string" ? error.constraint : undefined;
}

const BY_CODE = new Map<string, Failure>([
  ["40001", "conflict"],
  ["40P01", "conflict"],
  ["23505", "unique"],
  ["23503", "foreign-key"],
  ["23514", "check"],
  ["57014", "timeout"],
  ["55P03", "timeout"],
  ["25P03", "connection"],
  // Not the server it was: it became a standby, or ran out of room and was made read-only.
  ["25006", "connection"],
  // The database is closed to connections, as for a restore.
  ["55000", "connection"],
]);

const DRIVER_SAYS_LOST =
  /Connection terminated|connection timeout|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client was closed|not queryable|pool after calling end|database is closed/i;
