import { isWithinDepth, USAGE_LEVELS } from "../../base/json/exact-json.ts";
import { readMediaRates, type StoredMediaRates } from "../../billing/pricing/media-rates.ts";
import type { TaskResult } from "../../upstreams/task-apis/task-api.ts";
import type { Task, TaskState } from "../tasks.ts";
import type { Claim, FoundTask } from "./task-store.ts";

/** Mapping of a row of `tasks`: the columns, the driver's types, and the engine's types. */
export const CLAIM_COLUMNS = `t.id, t.fence, t.request_id as "requestId", t.account_id as "accountId",
  t.group_name as "group", t.medium, t.model, t.units, t.open_ended as "openEnded", t.violation, t.state,
  t.progress as "progressPercent", t.submit_attempts as "submitAttempts", t.polls,
  (extract(epoch from t.deadline_at - now()) * 1000)::float8 as "msToDeadline",
  (extract(epoch from now() - t.finished_at) * 1000)::float8 as "msSinceFinished",
  (extract(epoch from now() - t.intended_at) * 1000)::float8 as "msSinceIntended",
  t.upstream_id as "upstreamId", t.upstream_name as "upstreamName", t.credential_id as "credentialId",
  t.upstream_model as "upstreamModel", t.upstream_task as "upstreamTask", t.immediate_result as "immediateResult",
  t.price_id as "priceId", t.rates, t.factor_ppm as "factorPpm", t.hold_nanos as "holdNanos"`;

export interface ClaimRow extends Omit<Claim, "place" | "immediateResult" | "price"> {
  readonly upstreamId: bigint | null;
  readonly upstreamName: string | null;
  readonly credentialId: bigint | null;
  readonly upstreamModel: string | null;
  readonly immediateResult: string | null;
  readonly priceId: bigint;
  readonly rates: StoredMediaRates;
  readonly factorPpm: bigint;
}

export function readClaim(row: ClaimRow): Claim {
  const {
    upstreamId,
    upstreamName,
    credentialId,
    upstreamModel,
    immediateResult,
    priceId,
    rates,
    factorPpm,
    ...rest
  } = row;
  const placed = upstreamId !== null && credentialId !== null && upstreamModel !== null;
  return {
    ...rest,
    place: placed
      ? { upstreamId, upstreamName: upstreamName ?? "", credentialId, model: upstreamModel }
      : null,
    immediateResult: immediateResult === null ? null : (JSON.parse(immediateResult) as TaskResult),
    price: { priceId, rates: readMediaRates(rates), factorPpm },
  };
}

export const FOUND_COLUMNS = `id, request_id as "requestId", medium, family, model, action, state,
  progress as "progressPercent", fail_reason as "failReason", accepted_at as "acceptedAt", started_at as "startedAt",
  finished_at as "finishedAt", result, body_digest as "bodyDigest"`;

export interface FoundRow {
  readonly id: string;
  readonly requestId: string;
  readonly medium: "image" | "video";
  readonly family: Task["family"];
  readonly model: string;
  readonly action: Task["action"];
  readonly state: TaskState;
  readonly progressPercent: number;
  readonly failReason: string;
  readonly acceptedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly result: string | null;
  readonly bodyDigest: string | null;
}

export function readFound(row: FoundRow): FoundTask {
  const { id, requestId, model, family, action, state, progressPercent, failReason } = row;
  return {
    medium: row.medium,
    bodyDigest: row.bodyDigest,
    task: {
      id,
      requestId,
      model,
      family,
      action,
      state,
      progressPercent,
      failReason,
      submitTime: unix(row.acceptedAt),
      startTime: unix(row.startedAt),
      finishTime: unix(row.finishedAt),
      result: row.result === null ? null : (JSON.parse(row.result) as TaskResult),
    },
  };
}

function unix(at: Date | null): number {
  return at === null ? 0 : Math.floor(at.getTime() / 1000);
}

/** PostgreSQL's text accepts every character but this one. */
const NUL = "\u0000";

/** Makes a vendor's text storable and limits its length, because nobody reads more of a reason. */
export function storableText(text: string, maxCharacters = 2_000): string {
  return wellFormed(text.replaceAll(NUL, "").slice(0, maxCharacters));
}

const MAX_RAW_CHARACTERS = 10_000;

/**
 * Returns a vendor's object for a jsonb column; null = jsonb would refuse it, or it is too large for a usage object.
 */
export function storableJson(value: unknown): unknown {
  if (value === undefined || value === null || !isWithinDepth(value, USAGE_LEVELS)) return null;
  const text = JSON.stringify(value);
  // jsonb refuses escapes of U+0000 and of half a surrogate pair.
  const refused = /\\u0000|\\ud[89a-f]/i.test(text);
  return refused || text.length > MAX_RAW_CHARACTERS ? null : value;
}

/**
 * Returns a result as JSON. The usage object is included if it can be stored, because each read of the task returns it.
 */
export function storableResult({ usage, ...result }: TaskResult): string {
  const kept = storableJson(usage);
  return JSON.stringify(kept === null ? result : { ...result, usage: kept });
}

/** Replaces halves of surrogate pairs by U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
