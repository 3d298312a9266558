import { failpoint } from "../../base/failpoint.ts";
import type { ChargeReason } from "../../billing/billing.ts";
import { mediaCharge } from "../../billing/pricing/media-charge.ts";
import { tierOfSize } from "../../families/imagegen.ts";
import { type Log, silentLog } from "../../observe/log.ts";
import { type Failure, failureOf } from "../../storage/failures.ts";
import type { TaskResult } from "../../upstreams/task-apis/task-api.ts";
import type { MediaUnits } from "../../usage/usage.ts";
import type { Claim, TaskEnd, TaskStore } from "../store/task-store.ts";
import { lateDelayMs } from "./schedule.ts";

/** Reads the length of a video from its file; undefined = unknown. Bounded in time; never rejects. */
export type ReadDuration = (url: string, upstreamId: bigint | undefined) => Promise<number | undefined>;

/**
 * Returns the result with permanent links. A file that can't be copied in time keeps the vendor's link. Rejects only
 * when closed.
 */
export type KeepFiles = (
  taskId: string,
  result: TaskResult,
  withinMs: number,
  upstreamId: bigint | undefined,
) => Promise<TaskResult>;

export interface Finisher {
  succeed(claim: Claim, result: TaskResult): Promise<void>;
  fail(claim: Claim, why: { readonly reason: string; readonly as: ChargeReason }): Promise<void>;
}

/** Ends tasks: charges successes, refunds failures, and decides whether a late success is watched for. */
export function createFinisher(
  store: TaskStore,
  probe: ReadDuration,
  random: () => number,
  keepFiles: KeepFiles = (_taskId, result) => Promise.resolve(result),
  log: Pick<Log, "error"> = silentLog,
): Finisher {
  /** Removes a last frame that was not ordered. */
  const asOrdered = async (claim: Claim, result: TaskResult): Promise<TaskResult> => {
    const { lastFrameUrl, ...others } = result;
    if (lastFrameUrl === undefined) return result;
    const order = await store.order(claim.id);
    return order.medium === "video" && order.returnLastFrame ? result : others;
  };
  /** Returns the vendor's image size or count if it differs from the order. */
  const otherImage = async (claim: Claim, made: TaskResult): Promise<Mismatch | undefined> => {
    const [tier, images] = Object.entries(claim.units.images ?? {})[0] ?? [];
    if (tier === undefined || images === undefined) return undefined;
    const { size = made.resolution, quality } = made.imageTerms ?? {};
    const order = quality === undefined ? undefined : await store.order(claim.id);
    const wanted = order?.medium === "image" ? (order.quality ?? undefined) : undefined;
    const differences = [
      rankOf(SIZES, size && tierOfSize(size)) - rankOf(SIZES, tier),
      rankOf(QUALITIES, quality) - rankOf(QUALITIES, wanted),
      made.outputs.length - images,
    ].filter((difference) => difference !== 0 && !Number.isNaN(difference));
    if (differences.length === 0) return undefined;
    return {
      ordered: { resolution: tier, images, quality: wanted },
      made: { resolution: size, images: made.outputs.length, quality },
      isLess: differences.every((difference) => difference < 0),
    };
  };
  const finish = async (claim: Claim, ending: TaskEnd): Promise<void> => {
    failpoint("task.finish.before-statement");
    await store.finish(claim, ending);
    failpoint("task.finish.after-statement");
  };
  /**
   * Returns the first value that can be computed: a task that has ended must be settled, whatever in the vendor's
   * response makes the others throw.
   */
  const firstThatWorks = async <Made>(
    claim: Claim,
    ways: readonly (() => Made | Promise<Made>)[],
  ): Promise<Made> => {
    let cause: unknown;
    for (const way of ways) {
      try {
        return await way();
      } catch (error) {
        // The database will come back, and the task is claimed again then.
        if (PASSING.has(failureOf(error))) throw error;
        cause = error;
        const { id: task, requestId } = claim;
        log.error({ err: error, task, requestId, alarm: true }, "task result could not be recorded in full");
      }
    }
    throw cause;
  };
  const chargedEnd = async (claim: Claim, result: TaskResult): Promise<TaskEnd> => {
    const { tokens: stated, imageTerms: _, ...made } = result;
    const tokens = stated !== undefined && claim.price.rates.tokens !== undefined ? stated : undefined;
    const mismatch = orderMismatch(claim, result) ?? (await otherImage(claim, result));
    if (mismatch !== undefined) {
      const { isLess, ...facts } = mismatch;
      const charged = tokens === undefined ? "as ordered" : "by its tokens";
      log.error(
        { task: claim.id, upstreamId: claim.place?.upstreamId.toString(), ...facts, charged, alarm: true },
        MISMATCHES[isLess ? "less" : "more"],
      );
    }
    const { used, estimated, found } = claim.openEnded
      ? await actualUnits(claim.units, result, (url) => probe(url, claim.place?.upstreamId))
      : { used: claim.units, estimated: false, found: undefined };
    const counted = tokens === undefined ? used : { ...used, tokens };
    const { chargeNanos, unpriced } = mediaCharge(counted, claim.price);
    if (chargeNanos > claim.holdNanos || unpriced.length > 0)
      log.error(
        { task: claim.id, chargeNanos: String(chargeNanos), unpriced, alarm: true },
        "image cost is above the hold or has no price; raise the model's per_image or add the price",
      );
    return {
      ...success(counted, measured(await asOrdered(claim, made), claim.openEnded, found)),
      estimated,
      chargeNanos: least(chargeNanos, claim.holdNanos),
    };
  };
  return {
    async succeed(claim, result) {
      const bare = { outputs: result.outputs };
      const end = await firstThatWorks(claim, [
        () => chargedEnd(claim, result),
        () => orderedEnd(claim, bare),
        () => UNRECORDED,
      ]);
      const { id, place } = claim;
      const kept = end.result && (await keepFiles(id, end.result, fileTimeoutMs(claim), place?.upstreamId));
      await firstThatWorks(claim, [
        () => finish(claim, { ...end, result: kept }),
        () => finish(claim, { ...end, result: kept && bare }),
        () => finish(claim, UNRECORDED),
      ]);
    },
    async fail(claim, { reason, as }) {
      await finish(claim, {
        ...failure(reason, as),
        latePollMs: claim.upstreamTask === null ? null : lateDelayMs(0, 0, random()),
      });
    },
  };
}

function success(used: MediaUnits, result: TaskResult): Omit<TaskEnd, "chargeNanos"> {
  return {
    state: "SUCCESS",
    failReason: "",
    reason: "completed",
    used,
    estimated: false,
    result,
    latePollMs: null,
  };
}

function failure(failReason: string, reason: ChargeReason): TaskEnd {
  return {
    state: "FAILURE",
    failReason,
    reason,
    used: {},
    estimated: false,
    result: null,
    chargeNanos: 0n,
    latePollMs: null,
  };
}

/** The result can't be stored, so the caller gets nothing and pays nothing. */
const UNRECORDED = failure("The vendor's result can't be recorded.", "upstream_failed");

const PASSING: ReadonlySet<Failure> = new Set(["connection", "conflict", "timeout"]);

/** Returns the end of a task that is charged as ordered, whatever else the vendor reports. */
function orderedEnd({ units, price, holdNanos }: Claim, result: TaskResult): TaskEnd {
  const { chargeNanos } = mediaCharge(units, price);
  return { ...success(units, result), chargeNanos: least(chargeNanos, holdNanos) };
}

/** The order and the vendor's differing result, for the log. */
interface Mismatch {
  readonly ordered: object;
  readonly made: object;
  readonly isLess: boolean;
}

const MISMATCHES = {
  less: "task result is smaller than ordered",
  more: "task result is larger than ordered; the vendor may bill the excess",
} as const;

const SIZES: readonly string[] = ["1k", "2k", "4k"];
const QUALITIES: readonly string[] = ["low", "medium", "high"];

/** Returns the word's position; NaN = unknown or not stated, so that nothing is known to differ. */
function rankOf(words: readonly string[], word: string | undefined): number {
  const rank = words.indexOf(word?.toLowerCase() ?? "");
  return rank < 0 ? Number.NaN : rank;
}

/** Returns the excess over a video's order according to the vendor; undefined = none, or the vendor states nothing. */
function orderMismatch({ units, openEnded }: Claim, made: TaskResult): Mismatch | undefined {
  const [resolution, seconds] = Object.entries(units.videoSeconds ?? {})[0] ?? [];
  if (resolution === undefined || seconds === undefined) return undefined;
  const isLonger = !openEnded && (made.durationSeconds ?? 0) >= seconds + 1;
  const isLarger = Number.parseInt(made.resolution ?? "", 10) > Number.parseInt(resolution, 10);
  if (!isLonger && !isLarger) return undefined;
  return {
    ordered: { resolution, seconds },
    made: { resolution: made.resolution, seconds: made.durationSeconds },
    isLess: false,
  };
}

/** The record has the measured length only if the caller left it open; otherwise it keeps that of the order. */
function measured(result: TaskResult, openEnded: boolean, found: Measure | undefined): TaskResult {
  const { durationSeconds, ...others } = { ...result, ...found };
  return openEnded && durationSeconds !== undefined ? { ...others, durationSeconds } : others;
}

type Measure = Pick<TaskResult, "durationSeconds">;

/**
 * Returns the units of an open-ended video: the seconds that the vendor states, otherwise those of the file, rounded up and
 * never more than the hold. If neither is known, the whole hold.
 */
async function actualUnits(
  held: MediaUnits,
  result: TaskResult,
  probe: (url: string) => ReturnType<ReadDuration>,
): Promise<{ used: MediaUnits; estimated: boolean; found?: Measure | undefined }> {
  const [resolution, most] = Object.entries(held.videoSeconds ?? {})[0] ?? [];
  if (resolution === undefined || most === undefined) return { used: held, estimated: false };
  const url = result.outputs[0]?.url;
  const stated = plausible(result.durationSeconds);
  const seconds = stated ?? (url === undefined ? undefined : plausible(await probe(url)));
  if (seconds === undefined) return { used: held, estimated: true };
  return {
    used: { videoSeconds: { [resolution]: Math.min(seconds, most) } },
    estimated: false,
    found: stated === undefined ? { durationSeconds: seconds } : undefined,
  };
}

const MAX_FOR_FILES_MS = 300_000;
/** Even if the last poll takes 30 s beyond the deadline, the task ends within a minute after it. */
const LEAST_FOR_FILES_MS = 20_000;

/** A task ends once its files are copied, but at its deadline in any case. */
function fileTimeoutMs({ msToDeadline }: Claim): number {
  return Math.max(LEAST_FOR_FILES_MS, Math.min(msToDeadline, MAX_FOR_FILES_MS));
}

/**
 * The stated length of a file is a fraction that may be off by a frame, so a tiny excess does not count as a further
 * second.
 */
const ROUNDING_SECONDS = 0.005;

function plausible(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  return Math.max(1, Math.ceil(seconds - ROUNDING_SECONDS));
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
