import { z } from "zod";
import { isAllowEntry } from "../base/fetch/safe-fetch-allow.ts";
import { MAIL_ADDRESS, PLAIN_TEXT } from "../base/text.ts";
import type { Settings } from "./catalog.ts";
import { decodeSignIn, isPlainAddress, signInSettings } from "./sign-in-settings.ts";

const wholeNumber = (least: number, most: number) => z.number().int().min(least).max(most);

/**
 * Limits for requests that find the account's money held by others: enough for any burst of one account, small enough in
 * memory, and as long as a caller may be kept without a response.
 */
export const DEFAULT_WAIT_LIMITS: Pick<Settings["queues"], "balanceWaiting" | "balanceWaitMs"> = {
  balanceWaiting: 1_000,
  balanceWaitMs: 10_000,
};

/** The sweep that looks at silences is no finer; and clients that bear an hour need no signs of life. */
const MIN_SILENCE_MS = 200;
const MAX_SILENCE_MS = 3_600_000;

/** A mail server. Its password is never here: settings are stored, shown and exported in clear. */
const smtp = z
  .strictObject({
    host: z
      .string()
      .regex(/^([A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)$/, {
        error: "must be a host name or an address, without a port",
      })
      .describe("Host name or address of the mail server, which may be in a private network"),
    port: wholeNumber(1, 65_535)
      .optional()
      .describe("Port; default 587, or 465 with tls: implicit, or 25 with tls: none"),
    tls: z
      .enum(["starttls", "implicit", "none"])
      .optional()
      .describe(
        "starttls = TLS after STARTTLS, or no mail; implicit = TLS from the first byte; none = unencrypted; default starttls",
      ),
    user: z
      .string()
      .min(1)
      .max(320)
      .regex(PLAIN_TEXT, "must have no control characters")
      .optional()
      .describe("User name; omitted = the server asks for none"),
    password_env: z
      .string()
      // No other variable may be named: whoever sets the host would be sent it.
      .regex(/^([A-Z][A-Z0-9_]*_)?SMTP_PASSWORD$/, "must end with SMTP_PASSWORD")
      .optional()
      .describe("Environment variable with the password; default FAREGATE_SMTP_PASSWORD"),
    from: z
      .string()
      .max(254)
      .regex(MAIL_ADDRESS, "must be an e-mail address")
      .describe("Address that e-mail comes from"),
    from_name: z
      .string()
      .min(1)
      .max(100)
      .regex(PLAIN_TEXT, "must have no control characters")
      .optional()
      .describe("Name that e-mail comes from; default Faregate"),
    timeout_ms: wholeNumber(1_000, 30_000)
      .optional()
      .describe("Most time that sending one e-mail may take, in milliseconds; default 15000"),
  })
  .refine(({ tls, user, host }) => tls !== "none" || user === undefined || isLoopback(host), {
    error: "must encrypt the connection if there is a user: the password would be readable on the network",
    path: ["tls"],
  });

/**
 * The `settings` of the catalog file: strict, so that a misspelt key is an error and not a default.
 * Stored as given, so that a later version's better default reaches who never set it.
 */
export const settingsFile = z.strictObject({
  egress_allow: z
    .array(z.string().min(1).refine(isAllowEntry, "must be a CIDR, an address or host:port"))
    .optional()
    .describe("Private addresses that the gateway may fetch for callers, as CIDR, address or host:port"),
  task_deadline_minutes: z
    .strictObject({ image: wholeNumber(1, 1_440).optional(), video: wholeNumber(1, 1_440).optional() })
    .optional()
    .describe("Deadline after which a task fails and is refunded"),
  usage_retention_days: wholeNumber(1, 3_650).optional().describe("Retention of the usage log, in days"),
  refusal_retention_days: wholeNumber(1, 365)
    .optional()
    .describe("Retention of refused and failed requests with their attempts, in days; default 7"),
  task_retention_days: wholeNumber(30, 3_650)
    .optional()
    .describe("Retention of finished tasks, in days; at least 30; default 30"),
  charge_empty_answers: z
    .boolean()
    .optional()
    .describe("true charges the input of empty responses; default false"),
  keepalive: z
    .strictObject({
      first_ms: wholeNumber(MIN_SILENCE_MS, MAX_SILENCE_MS)
        .optional()
        .describe("Milliseconds of silence before the first event; default 25000"),
      between_ms: wholeNumber(MIN_SILENCE_MS, MAX_SILENCE_MS)
        .optional()
        .describe("Milliseconds of silence after the first event; default 15000"),
    })
    .optional()
    .describe("Interval of keep-alives in silent streams, in milliseconds"),
  max_passes: wholeNumber(1, 10_000)
    .optional()
    .describe("Maximum number of passes charged per request with vendor tools; default 100"),
  hold_calls: wholeNumber(0, 1_000)
    .optional()
    .describe("Number of vendor tool calls that a hold covers if the request sets no limit; default 1"),
  unpriced: z
    .enum(["refuse", "drop"])
    .optional()
    .describe(
      "Treatment of vendor tools without a price in a request: refuse the request, or drop the tool; default refuse",
    ),
  foreign_ids: z
    .enum(["refuse", "allow"])
    .optional()
    .describe(
      "Treatment of ids of vendor objects that were not issued to the account through this gateway. By default refused if more than one account can use the upstream",
    ),
  count_tokens: z
    .boolean()
    .optional()
    .describe("true serves token counting, free of charge, 60 times a minute per key; default true"),
  affinity: z
    .enum(["auto", "anchor"])
    .optional()
    .describe(
      "Identification of conversations, to keep each at one upstream: auto = by the client's conversation id, else by its beginning; anchor = only by its beginning, for clients that send a new id with each request",
    ),
  affinity_header: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}$/, "must be a header name")
    .nullable()
    .optional()
    .describe("Additional header with a conversation id, besides x-session-id and x-session-affinity"),
  mirror: z
    .discriminatedUnion("kind", [
      z.strictObject({ kind: z.enum(["none", "disk"]) }),
      z.strictObject({
        kind: z.literal("s3"),
        endpoint: z
          .url({ protocol: /^https?$/ })
          // Settings are stored and exported in clear.
          .refine(
            isPlainAddress,
            "must not contain a user, password or query; credentials are in the environment",
          )
          .describe("URL of the service, without the bucket; credentials are in the environment"),
        region: z.string().min(1).max(100).optional().describe("Region; default us-east-1"),
        bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be a bucket name"),
        prefix: z
          .string()
          .regex(/^([\w-][\w.-]*\/)*$/, "must be folder names that each end with a slash, such as faregate/")
          .optional()
          .describe("Prefix of every file name"),
      }),
    ])
    .optional()
    .describe("Storage for copies of task results, served under permanent URLs; default none"),
  metrics_address: z
    .string()
    .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:]+):\d{1,5}$/, "must be host:port")
    .refine((text) => Number(text.slice(text.lastIndexOf(":") + 1)) < 65_536, "must have a port up to 65535")
    .nullable()
    .optional()
    .describe("host:port that serves /metrics in place of the public port, and also the probes"),
  metrics_token: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, "must be 16 to 200 visible ASCII characters without spaces")
    .nullable()
    .optional()
    .describe("Bearer token for remote access to /metrics on the public port; stored as a hash"),
  trusted_proxies: z
    .array(z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]))
    .optional()
    .describe("Proxies whose x-forwarded-for is trusted, as addresses or CIDRs"),
  sign_in: signInSettings.optional().describe("Sign-in to the dashboard"),
  queues: z
    .strictObject({
      balance_waiting: wholeNumber(0, 100_000).optional(),
      balance_wait_ms: wholeNumber(0, 60_000).optional(),
      tasks_per_model: wholeNumber(1, 1_000_000).optional(),
    })
    .optional()
    .describe(
      "Limits of queues: requests of an account that wait for money, tasks of a model that wait for an upstream",
    ),
  smtp: smtp.optional().describe("Mail server for alerts, invitations and password resets"),
  body_memory_mb: wholeNumber(64, 65_536)
    .optional()
    .describe("Memory for request bodies, in MB per process; default 256"),
});

export type SettingsFile = z.infer<typeof settingsFile>;

/** What was given, completed with the defaults. */
export function decodeSettings(file: SettingsFile): Settings {
  return {
    egressAllow: file.egress_allow ?? [],
    taskDeadlineMinutes: {
      image: file.task_deadline_minutes?.image ?? 15,
      video: file.task_deadline_minutes?.video ?? 60,
    },
    usageRetentionDays: file.usage_retention_days ?? 90,
    // A flood of refusals must not fill the disk.
    refusalRetentionDays: file.refusal_retention_days ?? 7,
    taskRetentionDays: file.task_retention_days ?? 30,
    chargeEmptyAnswers: file.charge_empty_answers ?? false,
    // Clients and proxies give up after 60 s at the earliest; what fails fails mostly within 25 s, and can be told by a status.
    keepalive: {
      firstMs: file.keepalive?.first_ms ?? 25_000,
      betweenMs: file.keepalive?.between_ms ?? 15_000,
    },
    // Long research runs some dozen tools; more is a loop, or an upstream that cannot count.
    maxPasses: file.max_passes ?? 100,
    // A search finds most of its responses at once, and a hold for many would refuse small balances.
    holdCalls: file.hold_calls ?? 1,
    unpriced: file.unpriced ?? "refuse",
    foreignIds: file.foreign_ids ?? null,
    // Clients that are refused ask paid requests instead.
    countTokens: file.count_tokens ?? true,
    affinity: file.affinity ?? "auto",
    affinityHeader: file.affinity_header?.toLowerCase() ?? null,
    mirror: decodeMirror(file.mirror),
    metricsAddress: file.metrics_address ?? null,
    metricsToken: file.metrics_token ?? null,
    trustedProxies: file.trusted_proxies ?? [],
    signIn: decodeSignIn(file.sign_in),
    queues: {
      balanceWaiting: file.queues?.balance_waiting ?? DEFAULT_WAIT_LIMITS.balanceWaiting,
      balanceWaitMs: file.queues?.balance_wait_ms ?? DEFAULT_WAIT_LIMITS.balanceWaitMs,
      // What 10,000 running tasks need to be refilled from.
      tasksPerModel: file.queues?.tasks_per_model ?? 10_000,
    },
    smtp: decodeSmtp(file.smtp),
    // Beside what the program itself needs, this fits a machine of 1 GB.
    bodyMemoryMb: file.body_memory_mb ?? 256,
  };
}

function decodeMirror(file: SettingsFile["mirror"]): Settings["mirror"] {
  if (file?.kind !== "s3") return { kind: file?.kind ?? "none" };
  const { kind, endpoint, bucket, region = "us-east-1", prefix = "" } = file;
  return { kind, endpoint: endpoint.replace(/\/+$/, ""), region, bucket, prefix };
}

function decodeSmtp(file: SettingsFile["smtp"]): Settings["smtp"] {
  if (file === undefined) return null;
  const { host, tls = "starttls", from } = file;
  return {
    host,
    port: file.port ?? USUAL_PORTS[tls],
    tls,
    user: file.user ?? null,
    passwordName: file.password_env ?? "FAREGATE_SMTP_PASSWORD",
    from,
    fromName: file.from_name ?? "Faregate",
    // Servers that check senders take seconds; the next attempt is better than a longer wait.
    timeoutMs: file.timeout_ms ?? 15_000,
  };
}

const USUAL_PORTS = { starttls: 587, implicit: 465, none: 25 };

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}
