import { formatDecimal, formatUsd, PPM } from "../../base/money.ts";
import type { Queryable } from "../../storage/database.ts";
import {
  type MediaUnits,
  TOKEN_CLASSES,
  type TokenBucket,
  type TokenClass,
  type TokenUsage,
} from "../../usage/usage.ts";
import { CHARGED_REASONS, type ChargeReason } from "../billing.ts";
import type { RequestRecords } from "../journal/flush-batch.ts";
import { chargeOf } from "../pricing/charge.ts";
import { type ChargeText, decodeCharge, type ShownCharge } from "../pricing/charge-text.ts";
import { mediaCharge } from "../pricing/media-charge.ts";
import { readMediaRates, type StoredMediaRates } from "../pricing/media-rates.ts";
import { FACTOR_SCALE, type PriceLine } from "../pricing/price.ts";
import { decodeRates } from "../pricing/shared-text.ts";
import type { Implausible } from "../pricing/usage-bound.ts";
import { findReceiptTask, type ReceiptTask } from "./task-receipt-store.ts";
import { findUsage, isQuarantined, type UsageRow } from "./usage-store.ts";

/** A request's charge and how it was computed. All amounts are exact decimals in US dollars, as strings. */
export interface Receipt {
  readonly request_id: string;
  /**
   * "running"; "pending": over, and in the ledger within a second; "posted"; "quarantined": could not be
   * recorded, so it was not charged.
   */
  readonly state: "running" | "pending" | "posted" | "quarantined";
  readonly model?: string;
  /** The requested name, if it differs from the model's. Absent = the model. */
  readonly asked_model?: string | undefined;
  /** What the caller counts it as, `key=value`. Absent = nothing. */
  readonly tags?: readonly string[] | undefined;
  readonly endpoint?: string;
  readonly streamed?: boolean;
  readonly accepted_at?: string;
  readonly ended_at?: string;
  readonly status?: number;
  readonly error_code?: string | null;
  /** Why it was charged as it was. */
  readonly reason?: string;
  /** False: requests that end for this reason cost nothing, whatever they used. */
  readonly charged?: boolean;
  /** Usage the gateway had to estimate, and reported values it ignored as impossible. */
  readonly estimated?: boolean;
  readonly ignored_values?: readonly string[];
  readonly lines?: readonly (TokenReceiptLine | CountReceiptLine | MediaReceiptLine)[];
  /** The row of the price table that the input took, as in "above 272000". Absent = the base row. */
  readonly row?: string | undefined;
  /** The row is a step that the input of all passes together exceeds, as the vendor doesn't state that of each. Absent = it is not. */
  readonly step_estimated?: true | undefined;
  /** How it was served, or asked to be where the response does not say, with what that does to the prices of tokens. */
  readonly served?: readonly ServedTerm[] | undefined;
  /** Items that were used without a price: they were charged at the model's highest price. */
  readonly unpriced?: readonly string[] | undefined;
  /** Sum of the lines. */
  readonly sum_usd?: string;
  /** The price factor of the account's group at acceptance. */
  readonly factor?: string | undefined;
  /** sum x factor, before it is rounded to a billionth of a dollar, half up. */
  readonly exact_usd?: string;
  readonly charge_usd?: string;
  readonly charge_nanos?: string;
  /** The final amount of the hold; the charge never exceeds it. */
  readonly hold_usd?: string;
  /** Cost beyond what the account's money or the key's limit covered; nobody pays it. */
  readonly written_off_usd?: string;
  /** Tokens: the limit that the gateway wrote into a request which stated none, as the money covered no more. Absent = none. */
  readonly output_limit?: number | undefined;
  /** Counts that the vendor reported and that are not possible, with what is; they were not charged. */
  readonly implausible?: readonly Implausible[];
  /** Fields that could not be carried to the upstream's protocol. */
  readonly losses?: readonly string[];
  /** Present for images and videos. */
  readonly task?: TaskOfReceipt | undefined;
}

export interface ServedTerm {
  readonly dimension: "tier" | "speed" | "region" | "hours";
  readonly name: string;
  readonly from: "response" | "asked" | "upstream" | "time";
  /** In the lines already; absent = the row of the receipt is its own. */
  readonly factor?: string | undefined;
}

export interface TaskOfReceipt {
  readonly id: string;
  readonly state: string;
  /** It succeeded after it had failed and was refunded: what came of it, at no charge. */
  readonly late_result?: unknown;
}

/** Images of a tier, or seconds of a resolution. */
export interface MediaReceiptLine {
  readonly unit: "image" | "second";
  readonly of: string;
  readonly count: number;
  readonly usd_each: string;
  readonly usd: string;
}

export interface TokenReceiptLine {
  readonly bucket: string;
  /** Model of these tokens; absent = the receipt's. */
  readonly model?: string | undefined;
  readonly tokens: number;
  readonly usd_per_million_tokens: string;
  /** Factor by service terms and time of acceptance; absent = 1. */
  readonly factor?: string | undefined;
  /** Absent = that of the receipt. */
  readonly row?: string | undefined;
  readonly usd: string;
}

/** Calls of a tool, units that are no tokens, or the request itself. */
export interface CountReceiptLine {
  readonly kind: "call" | "unit" | "request";
  readonly name: string;
  readonly count: number;
  readonly usd_each: string;
  readonly usd: string;
}

export type ReadReceipt = (accountId: bigint, requestId: string) => Promise<Receipt | undefined>;

/** Looks up records of this process that no flush has posted yet. */
export interface UnpostedLines {
  findUnposted(requestId: string): RequestRecords | undefined;
}

/**
 * Reads receipts of one account's requests, by request id or by task id; another account's are as unknown. Those of
 * this process are there as soon as the response is, before a flush has posted them.
 */
export function createReceiptReader(db: Queryable, unposted: UnpostedLines): ReadReceipt {
  return async (accountId, id) => {
    const task = await findReceiptTask(db, accountId, id);
    if (task?.finished === false) return runningTaskReceipt(task);
    const requestId = task?.requestId ?? id;
    // Looked for before the log is read: it may be posted in between.
    const lines = unposted.findUnposted(requestId);
    const row = await findUsage(db, accountId, requestId);
    if (row) return { ...receiptOf(row, "posted"), task: task ? taskOfReceipt(task) : undefined };
    if (lines) return unpostedReceipt(accountId, lines.beginRecord, lines.endRecord);
    if (await isQuarantined(db, accountId, requestId))
      return { request_id: requestId, state: "quarantined", charge_usd: "0", charge_nanos: "0" };
    return undefined;
  };
}

function runningTaskReceipt(task: ReceiptTask): Receipt {
  return {
    request_id: task.requestId,
    state: "running",
    model: task.model,
    endpoint: `${task.medium}s`,
    streamed: false,
    accepted_at: task.acceptedAt.toISOString(),
    hold_usd: formatUsd(task.holdNanos),
    task: taskOfReceipt(task),
  };
}

function taskOfReceipt({ id, state, lateResult }: ReceiptTask): TaskOfReceipt {
  return { id, state, late_result: lateResult === null ? undefined : (JSON.parse(lateResult) as unknown) };
}

function unpostedReceipt(
  accountId: bigint,
  beginLine: string,
  endLine: string | undefined,
): Receipt | undefined {
  const begin = JSON.parse(beginLine) as BeginFields;
  if (begin.account !== String(accountId)) return undefined;
  if (endLine === undefined) {
    return {
      request_id: begin.request,
      state: "running",
      model: begin.model,
      asked_model: begin.asked,
      tags: begin.tags,
      endpoint: begin.endpoint,
      streamed: begin.streamed,
      accepted_at: new Date(begin.at).toISOString(),
      hold_usd: formatUsd(BigInt(begin.hold)),
    };
  }
  const end = JSON.parse(endLine) as EndFields;
  const row: UsageRow = {
    requestId: begin.request,
    acceptedAt: new Date(begin.at),
    endedAt: new Date(end.at),
    keyId: BigInt(begin.key),
    model: end.model ?? begin.model,
    askedModel: begin.asked ?? (end.model === undefined ? null : begin.model),
    endpoint: begin.endpoint,
    streamed: begin.streamed,
    status: end.status,
    reason: end.reason,
    errorCode: end.error_code ?? null,
    estimated: end.estimated,
    hostile: end.hostile ?? [],
    inputUncached: end.usage.inputUncached ?? null,
    cacheRead: end.usage.cacheRead ?? null,
    cacheWrite5m: end.usage.cacheWrite5m ?? null,
    cacheWrite1h: end.usage.cacheWrite1h ?? null,
    outputVisible: end.usage.outputVisible ?? null,
    outputReasoning: end.usage.outputReasoning ?? null,
    media: null,
    priceId: BigInt(end.price ?? begin.price),
    rates: end.rates ?? begin.rates,
    charged: end.charged ?? null,
    factorPpm: BigInt(end.factor ?? begin.factor),
    holdNanos: BigInt(end.hold ?? begin.hold),
    chargeNanos: BigInt(end.charge),
    writtenOffNanos: BigInt(end.written_off ?? "0"),
    implausible: end.implausible ?? [],
    losses: end.losses ?? [],
    outputLimit: end.output_limit ?? null,
    tags: begin.tags ?? null,
  };
  return receiptOf(row, "pending");
}

/** The fields of the two journal records that a receipt shows; see `journal-record.ts`. */
interface BeginFields {
  readonly at: number;
  readonly request: string;
  readonly account: string;
  readonly key: string;
  readonly model: string;
  readonly asked?: string;
  readonly tags?: readonly string[];
  readonly endpoint: string;
  readonly streamed: boolean;
  readonly price: string;
  readonly rates: Readonly<Record<string, string>>;
  readonly factor: string;
  readonly hold: string;
}

interface EndFields {
  readonly at: number;
  readonly charge: string;
  readonly reason: string;
  readonly status: number;
  readonly usage: TokenUsage;
  readonly estimated: boolean;
  readonly hostile?: readonly string[];
  readonly error_code?: string;
  readonly losses?: readonly string[];
  /** Set if a fallback model responded. */
  readonly model?: string;
  readonly price?: string;
  readonly rates?: Readonly<Record<string, string>>;
  readonly factor?: string;
  readonly output_limit?: number | undefined;
  readonly hold?: string;
  readonly written_off?: string;
  readonly implausible?: readonly Implausible[];
  readonly charged?: ChargeText;
}

// An exact sum is in 1 / EXACT_PER_NANO nanos; times the group's factor in parts per million, a millionth of that.
const SUM_DECIMALS = 39;
const EXACT_DECIMALS = 45;
const FACTOR_DECIMALS = String(PPM).length - 1;
const FACTORS_DECIMALS = 4 * FACTOR_DECIMALS;

function receiptOf(row: UsageRow, state: "pending" | "posted"): Receipt {
  const { lines, sum, ...how } = row.media === null ? textItems(row) : mediaItems(row, row.media);
  const charged = CHARGED_REASONS.has(row.reason as ChargeReason);
  return {
    request_id: row.requestId,
    state,
    model: row.model,
    asked_model: row.askedModel ?? undefined,
    tags: row.tags ?? undefined,
    endpoint: row.endpoint,
    streamed: row.streamed,
    accepted_at: row.acceptedAt.toISOString(),
    ended_at: row.endedAt.toISOString(),
    status: row.status,
    error_code: row.errorCode,
    reason: row.reason,
    charged,
    estimated: row.estimated,
    ignored_values: row.hostile,
    lines,
    ...how,
    sum_usd: formatDecimal(sum, SUM_DECIMALS),
    factor: formatDecimal(row.factorPpm, FACTOR_DECIMALS),
    exact_usd: formatDecimal(sum * row.factorPpm, EXACT_DECIMALS),
    charge_usd: formatUsd(row.chargeNanos),
    charge_nanos: String(row.chargeNanos),
    hold_usd: formatUsd(row.holdNanos),
    written_off_usd: formatUsd(row.writtenOffNanos),
    output_limit: row.outputLimit ?? undefined,
    implausible: row.implausible,
    losses: row.losses,
  };
}

interface Items extends Pick<Receipt, "row" | "step_estimated" | "served" | "unpriced"> {
  readonly lines: NonNullable<Receipt["lines"]>;
  /** In 1 / EXACT_PER_NANO nanos, before the group's factor. */
  readonly sum: bigint;
}

function textItems(row: UsageRow): Items {
  const charge = chargeOfRow(row);
  return {
    lines: charge.lines.map((line) => lineOf(line, charge.row)),
    sum: charge.sum,
    row: charge.row === "base" ? undefined : charge.row,
    step_estimated: charge.isStepEstimated,
    served: charge.terms.length === 0 ? undefined : charge.terms.map(servedTerm),
    unpriced: charge.unpriced.length === 0 ? undefined : charge.unpriced,
  };
}

/** The charge in a row of the usage log. */
export type RowCharge = Pick<UsageRow, "charged" | "priceId" | "factorPpm" | "rates" | TokenClass>;

/** The recorded charge; a plain charge is computed again. */
export function chargeOfRow(row: RowCharge): ShownCharge {
  if (row.charged !== null) return decodeCharge(row.charged);
  const frozen = { priceId: row.priceId, factorPpm: row.factorPpm, ...decodeRates(row.rates) };
  return chargeOf(frozen, { usage: usageOf(row) });
}

function lineOf(line: PriceLine, row: string): TokenReceiptLine | CountReceiptLine {
  const usd = formatDecimal(line.exact, SUM_DECIMALS);
  if (line.kind !== "tokens") {
    const { kind, name, count, nanosEach } = line;
    return { kind, name, count, usd_each: formatUsd(nanosEach), usd };
  }
  return {
    bucket: WIRE_NAMES[line.bucket],
    model: line.model,
    tokens: line.tokens,
    usd_per_million_tokens: formatUsd(line.nanosPerMillion),
    factor: line.factor === FACTOR_SCALE ? undefined : formatDecimal(line.factor, FACTORS_DECIMALS),
    row: line.row === row ? undefined : line.row,
    usd,
  };
}

function servedTerm({ factorPpm, dimension, name, from }: ShownCharge["terms"][number]): ServedTerm {
  const term = { dimension, name, from };
  return factorPpm === undefined ? term : { ...term, factor: formatDecimal(factorPpm, FACTOR_DECIMALS) };
}

function mediaItems(row: UsageRow, used: MediaUnits): Items {
  const rates = readMediaRates(row.rates as StoredMediaRates);
  const { lines, sum, unpriced } = mediaCharge(used, { rates, factorPpm: row.factorPpm });
  return {
    lines: lines.map((line) => {
      if ("kind" in line) return lineOf(line, "base");
      const { unit, word, count, nanosEach, exact } = line;
      const usd = formatDecimal(exact, SUM_DECIMALS);
      return { unit, of: word, count, usd_each: formatUsd(nanosEach), usd };
    }),
    sum,
    unpriced: unpriced.length === 0 ? undefined : unpriced,
  };
}

const WIRE_NAMES: Readonly<Record<TokenBucket, string>> = {
  inputUncached: "input_uncached",
  cacheRead: "cache_read",
  cacheReadExplicit: "cache_read_explicit",
  cacheWrite5m: "cache_write_5m",
  cacheWrite30m: "cache_write_30m",
  cacheWrite1h: "cache_write_1h",
  cacheWrite12h: "cache_write_12h",
  outputVisible: "output_visible",
  outputReasoning: "output_reasoning",
  audioInput: "audio_input",
  audioCacheRead: "audio_cache_read",
  audioOutput: "audio_output",
  imageInput: "image_input",
  imageCacheRead: "image_cache_read",
  imageOutput: "image_output",
  videoInput: "video_input",
  videoCacheRead: "video_cache_read",
  videoOutput: "video_output",
};

function usageOf(row: RowCharge): TokenUsage {
  return Object.fromEntries(
    TOKEN_CLASSES.flatMap((bucket) => {
      const tokens = row[bucket];
      return tokens === null ? [] : [[bucket, tokens]];
    }),
  );
}
