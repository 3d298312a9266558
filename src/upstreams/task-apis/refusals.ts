import { jsonOf, type Places, textAt, valueAt } from "./poll.ts";
import type { SubmitOutcome, TaskApiResponse } from "./task-api.ts";

type Refusal = Extract<SubmitOutcome, { type: "refused" | "unclear" }>;
type Next = Extract<Refusal, { type: "refused" }>["next"];

/** The form of a vendor's refusals. */
export interface RefusalTable {
  /** The paths of the vendor's own code; `good` are the values that say nothing is wrong. */
  readonly code: Places;
  readonly good?: readonly string[];
  /** The paths of the reason in words. */
  readonly message: Places;
  /**
   * Codes that mean something else than their status says, such as those with which the vendor says in a 5xx that it
   * took nothing; a name ending in * stands for all that begin so.
   */
  readonly codes?: Readonly<Record<string, Next>>;
  /** Codes beside HTTP 200 by which the vendor says that it failed itself, where they are no words of `FAULT`. */
  readonly faults?: readonly string[];
}

/** Long enough for every vendor's sentence, short enough for a row and a page. */
const REASON_LENGTH = 1_000;

/** About our own name of the model, our account or our address there, and not about the order. */
const OUR_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407]);

/** The refusal in a response to a submit; undefined = nothing speaks against it. */
export function readRefusal(response: TaskApiResponse, table: RefusalTable): Refusal | undefined {
  const body = jsonOf(response);
  const code = textAt(body, table.code);
  const good = isSuccessful(response);
  if (good && body === undefined) return { type: "unclear", reason: "The response is not JSON." };
  if (good && (code === undefined || table.good?.includes(code))) return undefined;
  const status = good ? Number(code) : response.status;
  const reason = reasonOf(body, table.message) ?? `The vendor returned status ${response.status}.`;
  const listed = code === undefined ? undefined : nextOfCode(code, table.codes ?? {});
  if (listed === undefined && !saysNo(status)) return { type: "unclear", reason };
  const retryAfterSeconds = retryAfterOf(response);
  return {
    type: "refused",
    next: listed ?? nextOfStatus(status),
    reason,
    retryAfterSeconds,
  };
}

/**
 * A response under a good status that names no task and says why: the vendor's refusal, be its code known or not. undefined =
 * it says nothing, or that the vendor failed itself, which may have been behind its queue.
 */
export function refusalWithoutTask(response: TaskApiResponse, table: RefusalTable): Refusal | undefined {
  if (!isSuccessful(response)) return undefined;
  const body = jsonOf(response);
  const code = textAt(body, table.code);
  const reason = reasonOf(body, table.message);
  if (reason === undefined && code === undefined) return undefined;
  if (code !== undefined && (table.good?.includes(code) || table.faults?.includes(code) || FAULT.test(code)))
    return undefined;
  return { type: "refused", next: "fail", reason: reason ?? `The vendor refused the task (${code}).` };
}

const FAULT = /^5\d\d$|internal|server.?error|service.?(?:error|unavailable)|time.?out/i;

/**
 * True if a status without a listed code says that no task exists. Those from 500 on do not: what fails behind the queue
 * fails after the task was made, and proxies answer for vendors that go on. Nor does a wait that was given up (408), nor,
 * by itself, a code beside HTTP 200 that is no status.
 */
function saysNo(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408;
}

/** The vendor's own words, cut to a bearable length. */
export function reasonOf(value: unknown, places: Places): string | undefined {
  return textAt(value, places)?.slice(0, REASON_LENGTH);
}

function nextOfCode(code: string, codes: Readonly<Record<string, Next>>): Next | undefined {
  const name = Object.keys(codes).find((each) =>
    each.endsWith("*") ? code.startsWith(each.slice(0, -1)) : code === each,
  );
  return name === undefined ? undefined : codes[name];
}

/** A redirect, and what is about us, says nothing about the order: another upstream may know better. */
function nextOfStatus(status: number): Next {
  if (status === 429) return "later";
  return status >= 400 && !OUR_STATUSES.has(status) ? "fail" : "another";
}

/** `Retry-After` in seconds; a date counts from the vendor's own `Date`, so that no clock of ours matters. */
function retryAfterOf({ headers }: TaskApiResponse): number | undefined {
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : (Date.parse(text) - Date.parse(headers["date"] ?? "")) / 1_000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : undefined;
}

/** True if it has a status that says that nothing is wrong. */
export function isSuccessful({ status }: TaskApiResponse): boolean {
  return status >= 200 && status < 300;
}

/** True if a poll's response can be believed at all. */
export function isGoodRecord(response: TaskApiResponse, body: unknown, table: RefusalTable): boolean {
  if (!isSuccessful(response) || valueAt(body, "") === undefined) return false;
  const code = textAt(body, table.code);
  return code === undefined || table.good === undefined || table.good.includes(code);
}
