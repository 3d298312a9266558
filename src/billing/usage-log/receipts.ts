import { formatDecimal, formatUsd, PPM } from "../../base/money.ts";
import type { Queryable } from "../../storage/database.ts";
import { SERVICE_DIMENSIONS } from "../../usage/service-terms.ts";
import { type MediaUnits, TOKEN_BUCKETS, type TokenUsage } from "../../usage/usage.ts";
import { CHARGED_REASONS, type ChargeReason, type FrozenPrice } from "../billing.ts";
import type { RequestRecords } from "../journal/flush-batch.ts";
import { readMediaRates, type StoredMediaRates } from "../pricing/media-rates.ts";
import { extrasCost, itemise, itemiseMedia, mediaLineCost, TERM_SCALE } from "../pricing/rate.ts";
import { decodeRates } from "../pricing/shared-text.ts";
import type { Implausible } from "../pricing/usage-bound.ts";
import { findReceiptTask, type ReceiptTask } from "./task-receipt-store.ts";
import { findUsage, isQuarantined, type UsageRow } from "./usage-store.ts";

/** What a request cost and why, as callers read it; all amounts are exact decimals in US dollars, as text. */
export interface Receipt {
  readonly request_id: string;
  /**
   * "running"; "pending": over, and in the ledger within a second; "posted"; "quarantined": could not be
   * recorded, so it was not charged.
   */
  readonly state: "running" | "pending" | "posted" | "quarantined";
  readonly model?: string;
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
  readonly lines?: readonly (ReceiptLine | MediaReceiptLine)[];
  /** What the request asked for beside tokens, each at its price for the request. */
  readonly extras?: readonly { readonly name: string; readonly usd: string }[];
  /** The row of the price table that the input took, as in "above 272000". Absent = the base row. */
  readonly row?: string;
  /** How it was served, or asked to be where the response does not say, with what that does to the prices of tokens. */
  readonly served?: readonly ServedTerm[];
  /** What it was served with and the model has no price for: it was charged at the dearest that the model has. */
  readonly unpriced?: readonly string[];
  /** Of the lines and the extras. */
  readonly sum_usd?: string;
  /** The price factor of the account's group at acceptance. */
  readonly factor?: string;
  /** sum x factor, before it is rounded to a billionth of a dollar, half up. */
  readonly exact_usd?: string;
  readonly charge_usd?: string;
  readonly charge_nanos?: string;
  /** What was set aside while the request ran, in the end: the charge is never above it. */
  readonly hold_usd?: string;
  /** What the request cost beyond that and the account's money or the key's limit did not cover: nobody's to pay. */
  readonly written_off_usd?: string;
  /** Tokens: the limit that the gateway wrote into a request which stated none, as the money covered no more. Absent = none. */
  readonly output_limit?: number;
  /** Counts that the vendor reported and that are not possible, with what is; they were not charged. */
  readonly implausible?: readonly Implausible[];
  /** Fields that could not be carried to the upstream's protocol. */
  readonly losses?: readonly string[];
  /** Of an image or video. */
  readonly task?: TaskOfReceipt;
}

export interface ServedTerm {
  readonly dimension: "tier" | "speed" | "region" | "hours";
  readonly name: string;
  readonly from: "answer" | "asked" | "time";
  /** In the lines already; absent = the row of the receipt is its own. */
  readonly factor?: string;
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

export interface ReceiptLine {
  readonly bucket: string;
  readonly tokens: number;
  readonly usd_per_million_tokens: string;
  readonly usd: string;
}

export type ReadReceipt = (accountId: bigint, requestId: string) => Promise<Receipt | undefined>;

/** Where lines of this process stand that no flush has posted yet. */
export interface UnpostedLines {
  findUnposted(requestId: string): RequestRecords | undefined;
}

/**
 * Reads receipts of one account's requests, by request id or by task id; another account's are as unknown. Those of
 * this process are there as soon as the answer is, before a flush has posted them.
 */
export function createReceiptReader(db: Queryable, unposted: UnpostedLines): ReadReceipt {
  return async (accountId, id) => {
    const task = await findReceiptTask(db, accountId, id);
    if (task?.finished === false) return runningTaskReceipt(task);
    const requestId = task?.requestId ?? id;
    // Looked for before the log is read: it may be posted in between.
    const lines = unposted.findUnposted(requestId);
    const row = await findUsage(db, accountId, requestId);
    if (row) return { ...receiptOf(row, "posted"), ...(task && { task: taskOfReceipt(task) }) };
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
  return { id, state, ...(lateResult !== null && { late_result: JSON.parse(lateResult) as unknown }) };
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
    model: begin.model,
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
    priceId: BigInt(begin.price),
    rates: end.rates ?? begin.rates,
    factorPpm: BigInt(begin.factor),
    holdNanos: BigInt(end.hold ?? begin.hold),
    chargeNanos: BigInt(end.charge),
    writtenOffNanos: BigInt(end.written_off ?? "0"),
    implausible: end.implausible ?? [],
    losses: end.losses ?? [],
    outputLimit: end.output_limit ?? null,
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
  readonly output_limit?: number;
  readonly hold?: string;
  readonly written_off?: string;
  readonly implausible?: readonly Implausible[];
  readonly rates?: BeginFields["rates"];
}

// A tokens x rate product counts millionths of a nano, and each of four factors on tokens millionths of that; times the
// group's factor in parts per million, that again.
const SUM_DECIMALS = 39;
const EXACT_DECIMALS = 45;
const FACTOR_DECIMALS = String(PPM).length - 1;

function receiptOf(row: UsageRow, state: "pending" | "posted"): Receipt {
  const { lines, extras, sum } = row.media === null ? tokenItems(row) : mediaItems(row, row.media);
  const charged = CHARGED_REASONS.has(row.reason as ChargeReason);
  return {
    request_id: row.requestId,
    state,
    model: row.model,
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
    extras,
    ...rowOf(row),
    sum_usd: formatDecimal(sum, SUM_DECIMALS),
    factor: formatDecimal(row.factorPpm, FACTOR_DECIMALS),
    exact_usd: formatDecimal(sum * row.factorPpm, EXACT_DECIMALS),
    charge_usd: formatUsd(row.chargeNanos),
    charge_nanos: String(row.chargeNanos),
    hold_usd: formatUsd(row.holdNanos),
    written_off_usd: formatUsd(row.writtenOffNanos),
    ...(row.outputLimit === null ? {} : { output_limit: row.outputLimit }),
    implausible: row.implausible,
    losses: row.losses,
  };
}

function rowOf({ media, rates }: UsageRow): Pick<Receipt, "row" | "served" | "unpriced"> {
  if (media !== null) return {};
  const { row, terms, unpriced } = decodeRates(rates);
  const order = [...SERVICE_DIMENSIONS, "hours"];
  const served = terms
    ?.map(({ factorPpm, dimension, name, from }) => ({
      dimension,
      name,
      from,
      ...(factorPpm === undefined ? {} : { factor: formatDecimal(factorPpm, FACTOR_DECIMALS) }),
    }))
    .sort((one, other) => order.indexOf(one.dimension) - order.indexOf(other.dimension));
  return {
    ...(row === undefined ? {} : { row }),
    ...(served === undefined ? {} : { served }),
    ...(unpriced === undefined ? {} : { unpriced }),
  };
}

interface Items {
  readonly lines: readonly (ReceiptLine | MediaReceiptLine)[];
  readonly extras: readonly { readonly name: string; readonly usd: string }[];
  /** In millionths of a nano over TERM_SCALE, before the group's factor. */
  readonly sum: bigint;
}

function tokenItems(row: UsageRow): Items {
  const price: FrozenPrice = { priceId: row.priceId, factorPpm: row.factorPpm, ...decodeRates(row.rates) };
  const items = itemise(usageOf(row), price);
  return {
    lines: items.map(({ bucket, tokens, nanosPerMillion, exact }) => ({
      bucket: WIRE_NAMES[bucket],
      tokens,
      usd_per_million_tokens: formatUsd(nanosPerMillion),
      usd: formatDecimal(exact, SUM_DECIMALS),
    })),
    // By name, since the database keeps the fields of an object in an order of its own.
    extras: Object.entries(price.extras ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, nanos]) => ({ name, usd: formatUsd(nanos) })),
    sum: items.reduce((total, { exact }) => total + exact, extrasCost(price) * TERM_SCALE),
  };
}

function mediaItems(row: UsageRow, used: MediaUnits): Items {
  const items = itemiseMedia(used, readMediaRates(row.rates as StoredMediaRates));
  return {
    lines: items.map((line) => ({
      unit: line.unit,
      of: line.word,
      count: line.count,
      usd_each: formatUsd(line.nanosEach),
      usd: formatDecimal(mediaLineCost(line) * TERM_SCALE, SUM_DECIMALS),
    })),
    extras: [],
    sum: items.reduce((total, line) => total + mediaLineCost(line) * TERM_SCALE, 0n),
  };
}

const WIRE_NAMES = {
  inputUncached: "input_uncached",
  cacheRead: "cache_read",
  cacheWrite5m: "cache_write_5m",
  cacheWrite1h: "cache_write_1h",
  outputVisible: "output_visible",
  outputReasoning: "output_reasoning",
} as const;

function usageOf(row: UsageRow): TokenUsage {
  return Object.fromEntries(
    TOKEN_BUCKETS.flatMap((bucket) => {
      const tokens = row[bucket];
      return tokens === null ? [] : [[bucket, tokens]];
    }),
  );
}
