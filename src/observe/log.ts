import { type DestinationStream, pino } from "pino";
import { lineOutput } from "./line-output.ts";

type LogFields = Readonly<Record<string, unknown>>;

/** The logger of a module: a line has fields with all that varies, and one fixed message. */
export interface Log {
  trace(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  fatal(fields: LogFields, message: string): void;
  /** The same log with these fields on every line. */
  child(fields: LogFields): Log;
}

export interface LogOptions {
  readonly level: string;
  /** For commands whose standard output is their result. */
  readonly toStderr?: boolean;
  /** The destination of lines in place of standard output: a terminal, or a test. */
  readonly destination?: DestinationStream;
}

/** Fields that hold a secret or a caller's content wherever they stand: their value is never written. */
const HIDDEN = [
  ...["authorization", "apiKey", "api_key", "key", "secret", "password", "token", "cookie", "headers"],
  ...["body", "prompt", "messages", "input", "contents"],
];

/**
 * The process's log: JSON lines on standard output. What must not be in a log is kept out three times: callers do not
 * pass it, fields of a telling name are hidden, and the text of errors is scrubbed.
 */
export function createLog(options: LogOptions): Log {
  const settings = {
    level: options.level,
    base: { pid: process.pid },
    redact: { paths: HIDDEN.flatMap((name) => [name, `*.${name}`]), censor: "[hidden]" },
    serializers: { err: describeError, cause: describeError },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  if (options.destination !== undefined) return pino(settings, options.destination);
  const log: Log = pino(
    settings,
    lineOutput({
      descriptor: options.toStderr ? 2 : 1,
      onLeftOut: (lines) => log.warn({ lines }, "log output blocked; messages were dropped"),
    }),
  );
  return log;
}

/** The same in coloured lines for a person at a terminal. What colours them is loaded only there. */
export async function createTerminalLog(level: string): Promise<Log> {
  const { default: pretty } = await import("pino-pretty");
  return createLog({ level, destination: pretty({ colorize: true, sync: true, destination: 1 }) });
}

/** For tests and tools that want no lines. */
export const silentLog: Log = pino({ level: "silent" });

interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string | undefined;
  readonly cause?: unknown;
}

/** Causes of causes beyond this add nothing and could be circular. */
const MAX_CAUSES = 5;

/**
 * Describes an error without its other properties, because database drivers attach rows and HTTP clients attach
 * requests to theirs.
 */
function describeError(error: unknown, depth = 0): ErrorDescription | string {
  if (!(error instanceof Error)) return scrub(String(error));
  const code: unknown = "code" in error ? error.code : undefined;
  // JSON.parse quotes the text that it could not read, which may be a prompt.
  const message = error instanceof SyntaxError ? "invalid syntax" : scrub(error.message);
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message,
    code,
    stack: frames?.join("\n"),
    cause:
      error.cause === undefined || depth >= MAX_CAUSES ? undefined : describeError(error.cause, depth + 1),
  };
}

/** A message longer than this holds data, not an explanation. */
const MAX_MESSAGE_CHARS = 1_000;

/** Takes out what looks like a credential. */
function scrub(text: string): string {
  return text
    .slice(0, MAX_MESSAGE_CHARS)
    .replace(/\b(sk|key|pk|rk)-[\w-]{8,}/gi, "$1-[hidden]")
    .replace(/\b(bearer|basic)\s+\S+/gi, "$1 [hidden]")
    .replace(/([?&](?:key|api_key|token)=)[^&\s"']+/gi, "$1[hidden]")
    .replace(/(\/\/[^/\s:@]+:)[^@\s/]+@/g, "$1[hidden]@");
}
