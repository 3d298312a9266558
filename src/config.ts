import { resolve } from "node:path";
import { FAILPOINTS, type Failpoint } from "./base/failpoint.ts";

/**
 * Everything the environment says, read once, checked, frozen. The only reader of `process.env`: a
 * setting that is not here does not exist, and a FAREGATE_ name we do not know stops the start, since
 * a misspelt setting that is silently ignored is how services run for months in the wrong mode.
 */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** See Database; undefined: its default. */
  readonly databaseTimeoutMs: number | undefined;
  /** How long `start` waits for a database that can't be reached yet. */
  readonly databaseWaitMs: number;
  readonly redisUrl: string | undefined;
  readonly configFile: string | undefined;
  readonly bootstrapKey: string | undefined;
  readonly bootstrapPassword: string | undefined;
  readonly masterKey: string | undefined;
  /** Read by `rotate-master-key` alone. */
  readonly newMasterKey: string | undefined;
  readonly publicUrl: string | undefined;
  /** Of the bucket that `settings.mirror` names. */
  readonly s3Keys: { readonly accessKey: string; readonly secretKey: string } | undefined;
  readonly vocabulary: "spec" | "vendor";
  readonly logLevel: LogLevel;
  readonly crashAt: { readonly name: Failpoint; readonly pass: number } | undefined;
  /** Our variables and whether they are set, for people, and therefore without their values. */
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[];
  /** The environment as given, for `${NAME}` in the catalog file. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const KNOWN = new Set([
  "FAREGATE_DATA_DIR",
  "FAREGATE_DATABASE_TIMEOUT_MS",
  "FAREGATE_DATABASE_WAIT_SECONDS",
  "FAREGATE_CONFIG",
  "FAREGATE_BOOTSTRAP_KEY",
  "FAREGATE_BOOTSTRAP_PASSWORD",
  "FAREGATE_MASTER_KEY",
  "FAREGATE_NEW_MASTER_KEY",
  "FAREGATE_PUBLIC_URL",
  "FAREGATE_S3_ACCESS_KEY",
  "FAREGATE_S3_SECRET_KEY",
  // The client secret of an identity provider in `settings.sign_in`, which names the variable.
  "FAREGATE_OIDC_CLIENT_SECRET",
  // Of the mail server of `settings.smtp`, likewise.
  "FAREGATE_SMTP_PASSWORD",
  "FAREGATE_VOCABULARY",
  "FAREGATE_CRASH_AT",
]);

/** Variables with our prefix that are no settings. */
const NO_SETTINGS = new Set([
  // The callers' key in the README and in every snippet of the dashboard: often set in the shell that runs commands too.
  "FAREGATE_API_KEY",
  "FAREGATE_INHERITED",
]);

/** Kubernetes sets such variables in every pod for each Service, prefixed with its name, which may equal our prefix. */
const OF_A_SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const PORT_OF_A_SERVICE = /^(tcp|udp|sctp):\/\//;

/** A secret that the catalog file names: each identity provider may have its own, and the mail server. */
const NAMED_SECRET = /_(OIDC_CLIENT_SECRET|SMTP_PASSWORD)$/;

/** What the environment says to people, in the order of the documentation. */
const VARIABLES = [
  ...["HOST", "PORT", "DATABASE_URL", "REDIS_URL", "LOG_LEVEL"],
  ...[...KNOWN].filter((name) => !/_NEW_|_CRASH_/.test(name)),
];

/** A setting that cannot be used; the message names the variable and says what it should be. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads and checks the environment; throws ConfigError at the first thing wrong. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  for (const [name, text] of Object.entries(env)) {
    if (name.startsWith("FAREGATE_") && !KNOWN.has(name) && !isIgnoredVariable(name, text)) {
      throw new ConfigError(
        `${name} is not a setting of Faregate. Known settings: ${[...KNOWN].join(", ")}.`,
      );
    }
  }
  const get = (name: string): string | undefined => env[name] || undefined;
  const databaseUrl = readUrl("DATABASE_URL", get("DATABASE_URL"), ["postgres:", "postgresql:"]);
  const masterKey = readMasterKey("FAREGATE_MASTER_KEY", get("FAREGATE_MASTER_KEY"));
  if (databaseUrl && !masterKey) {
    throw new ConfigError(
      "FAREGATE_MASTER_KEY is required with DATABASE_URL: all gateways on one database must use the same key. Create one with `openssl rand -base64 32`.",
    );
  }
  return Object.freeze({
    host: get("HOST") ?? "127.0.0.1",
    port: readPort(get("PORT")),
    dataDir: resolve(get("FAREGATE_DATA_DIR") ?? "./.faregate"),
    databaseUrl,
    databaseTimeoutMs: readWhole("FAREGATE_DATABASE_TIMEOUT_MS", env, { min: 100, max: 30_000 }),
    databaseWaitMs: 1_000 * (readWhole("FAREGATE_DATABASE_WAIT_SECONDS", env, { min: 0, max: 3_600 }) ?? 30),
    redisUrl: readHostUrl("REDIS_URL", get("REDIS_URL"), ["redis:", "rediss:"]),
    configFile: get("FAREGATE_CONFIG"),
    bootstrapKey: readBootstrapKey(get("FAREGATE_BOOTSTRAP_KEY")),
    bootstrapPassword: readPassword(get("FAREGATE_BOOTSTRAP_PASSWORD")),
    masterKey,
    newMasterKey: readMasterKey("FAREGATE_NEW_MASTER_KEY", get("FAREGATE_NEW_MASTER_KEY")),
    publicUrl: readPublicUrl(get("FAREGATE_PUBLIC_URL")),
    s3Keys: readS3Keys(get("FAREGATE_S3_ACCESS_KEY"), get("FAREGATE_S3_SECRET_KEY")),
    vocabulary: readChoice("FAREGATE_VOCABULARY", get("FAREGATE_VOCABULARY"), ["spec", "vendor"], "spec"),
    logLevel: readChoice("LOG_LEVEL", get("LOG_LEVEL"), LOG_LEVELS, "info"),
    crashAt: readCrashAt(get("FAREGATE_CRASH_AT")),
    variables: VARIABLES.map((name) => ({ name, isSet: get(name) !== undefined && !isInherited(name, env) })),
    environment: env,
  });
}

/** The variables for the processes of a primary. Those that the operator didn't set are named, so that no page says they were. */
export function inheritedVariables(
  env: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const added = Object.keys(variables).filter((name) => !env[name]);
  return { ...variables, FAREGATE_INHERITED: added.join(",") };
}

function isInherited(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return (env["FAREGATE_INHERITED"] ?? "").split(",").includes(name);
}

function isIgnoredVariable(name: string, text: string | undefined): boolean {
  // `<SERVICE>_PORT` is told by its content: a number there is somebody's misspelt PORT.
  if (name.endsWith("_PORT") && PORT_OF_A_SERVICE.test(text ?? "")) return true;
  return NO_SETTINGS.has(name) || OF_A_SERVICE.test(name) || NAMED_SECRET.test(name);
}

function readMasterKey(name: string, text: string | undefined): string | undefined {
  if (text !== undefined && text.length < 16) {
    throw new ConfigError(
      `${name} must have at least 16 characters. Create one with \`openssl rand -base64 32\`.`,
    );
  }
  return text;
}

function readPort(text: string | undefined): number {
  if (text === undefined) return 8080;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) {
    throw new ConfigError(`PORT must be a whole number from 0 (any free port) to 65535, not "${text}".`);
  }
  return port;
}

function readWhole(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = env[name] || undefined;
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  return value;
}

function readUrl(name: string, text: string | undefined, schemes: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  // A socket folder has no host, which URL refuses for unknown schemes; only the scheme is ours to judge.
  if (!schemes.some((scheme) => text.startsWith(`${scheme}//`))) {
    throw new ConfigError(`${name} must begin with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}.`);
  }
  return text;
}

/** The same as `readUrl`, but requires a host. */
function readHostUrl(name: string, text: string | undefined, schemes: readonly string[]): string | undefined {
  const url = readUrl(name, text, schemes);
  if (url === undefined || URL.canParse(url)) return url;
  throw new ConfigError(`${name} must be a URL with a host, such as ${schemes[0]}//faregate.example.`);
}

/** Reads the beginning of links, to which paths are appended. */
function readPublicUrl(text: string | undefined): string | undefined {
  const name = "FAREGATE_PUBLIC_URL";
  const url = readHostUrl(name, text, ["http:", "https:"]);
  if (url === undefined) return undefined;
  if (/[\s?#]/.test(url)) throw new ConfigError(`${name} must be a URL without spaces, query and fragment.`);
  const bare = url.replace(/\/+$/, "");
  const { username, password, pathname } = new URL(bare);
  if (username !== "" || password !== "")
    throw new ConfigError(`${name} must be a URL without user and password: it appears in links.`);
  // The dashboard, its cookies and the callers' paths all begin at the root of a host.
  if (pathname !== "/")
    throw new ConfigError(`${name} must be a URL without a path: the gateway needs its own host name.`);
  return bare;
}

function readS3Keys(accessKey: string | undefined, secretKey: string | undefined): Config["s3Keys"] {
  if (accessKey !== undefined && secretKey !== undefined) return { accessKey, secretKey };
  if (accessKey === undefined && secretKey === undefined) return undefined;
  throw new ConfigError(
    "FAREGATE_S3_ACCESS_KEY and FAREGATE_S3_SECRET_KEY go together: set both or neither.",
  );
}

function readBootstrapKey(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]{16,200}$/.test(text)) {
    throw new ConfigError(
      "FAREGATE_BOOTSTRAP_KEY must be 16 to 200 visible ASCII characters without spaces.",
    );
  }
  return text;
}

function readPassword(text: string | undefined): string | undefined {
  if (text !== undefined && (text.length < 8 || text.length > 200)) {
    throw new ConfigError("FAREGATE_BOOTSTRAP_PASSWORD must have 8 to 200 characters.");
  }
  return text;
}

function readChoice<const T extends string>(
  name: string,
  text: string | undefined,
  choices: readonly T[],
  fallback: T,
): T {
  if (text === undefined) return fallback;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined)
    throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not "${text}".`);
  return choice;
}

function readCrashAt(text: string | undefined): Config["crashAt"] {
  if (text === undefined) return undefined;
  const [name = "", pass = "1"] = text.split(":");
  const point = FAILPOINTS.find((candidate) => candidate === name);
  if (point === undefined || !/^[1-9]\d{0,8}$/.test(pass)) {
    throw new ConfigError(
      `FAREGATE_CRASH_AT must be name or name:n with one of ${FAILPOINTS.join(", ")}, not "${text}".`,
    );
  }
  return { name: point, pass: Number(pass) };
}

/** Returns the URL at which a listener is reached. */
export function originOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
