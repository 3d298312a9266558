import { validSeconds } from "../../base/clock.ts";
import { definedFields } from "../../base/defined-fields.ts";
import type { MediaOrder } from "../../families/family.ts";
import { exactJsonOf, linkAt, linksAt, numberAt, type Places, textAt, textsAt, valueAt } from "./poll.ts";
import {
  isGoodRecord,
  isSuccessful,
  type RefusalTable,
  readRefusal,
  reasonOf,
  refusalWithoutTask,
} from "./refusals.ts";
import type {
  PollAbout,
  PollOutcome,
  SubmitAbout,
  SubmitOutcome,
  TaskApi,
  TaskApiRequest,
  TaskApiResponse,
  TaskResult,
} from "./task-api.ts";
import { meaningOf } from "./task-words.ts";

/** A vendor that takes a JSON order, gives an id and is asked for the record until it is final. */
export interface TaskTable {
  readonly name: string;
  readonly idempotent: boolean;
  readonly submit: (order: MediaOrder, about: SubmitAbout) => JsonRequest;
  /** The paths of the new task's id in the response to a submit. */
  readonly taskId: Places;
  readonly refusal: RefusalTable;
  /** The path that is read for a task's record; the id comes escaped. */
  readonly pollPath: (upstreamId: string, about: PollAbout) => string;
  readonly record: RecordTable;
  readonly batch?: BatchTable;
}

interface JsonRequest {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The paths in a task's record. */
interface RecordTable {
  /** The path of the record in the response; "" = it is the response. */
  readonly at: string;
  readonly id: Places;
  /** The paths of the word that task-words.ts reads. */
  readonly state: Places;
  readonly progress?: Places;
  readonly reason: Places;
  readonly outputs: Places;
  readonly expiresAt?: Places;
  readonly lastFrame?: Places;
  readonly seconds?: Places;
  readonly resolution?: Places;
  readonly usage?: Places;
  readonly cost?: Places;
  /** Adds facts that paths cannot express. */
  readonly refine?: (outcome: PollOutcome, record: unknown) => PollOutcome;
}

interface BatchTable {
  readonly max: number;
  readonly path: string;
  readonly body: (upstreamIds: readonly string[]) => object;
  /** The paths of the list of records. */
  readonly list: Places;
}

/** The task API that a table describes. */
export function taskApiOf(table: TaskTable): TaskApi {
  const { name, idempotent, batch } = table;
  return {
    name,
    idempotent,
    submit(order, about) {
      const { path, body, headers } = table.submit(order, about);
      return { ...jsonPost(path, body), headers };
    },
    readSubmit: (response) => readSubmit(table, response),
    poll: (upstreamId, about) => ({
      method: "GET",
      path: table.pollPath(encodeURIComponent(upstreamId), about),
    }),
    readPoll(response, upstreamId) {
      const body = exactJsonOf(response);
      const record = valueAt(body, table.record.at);
      const otherTask = upstreamId === undefined ? undefined : otherId(table.record, record, upstreamId);
      if (otherTask !== undefined) return { type: "running", otherTask };
      if (isGoodRecord(response, body, table.refusal)) return readRecord(table.record, record);
      // A bad code beside a failed record is the reason of the failure; it does not mean that the record is unreadable.
      const failure = table.record.at === "" ? undefined : readFailure(response, body, table, record);
      return failure ?? { type: "running" };
    },
    batch: batch
      ? {
          max: batch.max,
          request: (upstreamIds) => jsonPost(batch.path, batch.body(upstreamIds)),
          read: (response) => readBatch(table, batch, response),
        }
      : undefined,
  };
}

/** The id that a record states where it is another task's: then nothing in it is about the one that was asked for. */
function otherId({ id: places }: RecordTable, record: unknown, upstreamId: string): string | undefined {
  const stated = places.flatMap((place) => textAt(record, [place]) ?? []);
  return stated.includes(upstreamId) ? undefined : stated[0];
}

export function jsonPost(path: string, body: object): TaskApiRequest {
  return { method: "POST", path, json: body };
}

function readSubmit(table: TaskTable, response: TaskApiResponse): SubmitOutcome {
  const refusal = readRefusal(response, table.refusal);
  const body = isSuccessful(response) ? exactJsonOf(response) : undefined;
  const upstreamId = textAt(body, table.taskId);
  // An id beside an unknown code still means that there is a task, and so does one beside a code for which another
  // upstream would be tried.
  if (refusal?.type === "refused" && (upstreamId === undefined || refusal.next === "fail")) return refusal;
  if (upstreamId !== undefined) return { type: "accepted", upstreamId };
  const outcome = readRecord(table.record, valueAt(body, table.record.at));
  if (outcome.type === "failed") return { type: "refused", next: "fail", reason: outcome.reason };
  const said = refusalWithoutTask(response, table.refusal);
  return said ?? refusal ?? { type: "unclear", reason: "The response contains no task id." };
}

function readBatch(
  table: TaskTable,
  batch: BatchTable,
  response: TaskApiResponse,
): ReadonlyMap<string, PollOutcome> | undefined {
  const refusal = readRefusal(response, table.refusal);
  if (refusal?.type === "refused" && refusal.next === "later") return undefined;
  const body = exactJsonOf(response);
  const outcomes = new Map<string, PollOutcome>();
  if (!isGoodRecord(response, body, table.refusal)) return outcomes;
  for (const place of batch.list) {
    const list = valueAt(body, place);
    if (!Array.isArray(list)) continue;
    for (const record of list as readonly unknown[]) {
      const id = textAt(record, table.record.id);
      if (id !== undefined) outcomes.set(id, readRecord(table.record, record));
    }
    break;
  }
  return outcomes;
}

/** A task that failed, with the response's own word of why where its record has none. */
function readFailure(
  response: TaskApiResponse,
  body: unknown,
  { record: table, refusal }: TaskTable,
  record: unknown,
): PollOutcome | undefined {
  if (!isSuccessful(response)) return undefined;
  const outcome = readRecord(table, record, reasonOf(body, refusal.message));
  return outcome.type === "failed" ? outcome : undefined;
}

function readRecord(table: RecordTable, record: unknown, said?: string): PollOutcome {
  const outcome = readState(table, record, said);
  return table.refine?.(outcome, record) ?? outcome;
}

function readState(table: RecordTable, record: unknown, said: string | undefined): PollOutcome {
  const word = textAt(record, table.state) ?? "";
  const meaning = meaningOf(word);
  if (meaning === "queued") return { type: "queued" };
  const failed = (reason: string): PollOutcome => {
    const cost = numberAt(record, table.cost);
    return { type: "failed", reason, cost };
  };
  if (meaning === "failed") {
    const why = reasonOf(record, table.reason) ?? said;
    return failed(why ?? `The vendor ended the task as ${word.toLowerCase().slice(0, 60)}.`);
  }
  if (meaning === "succeeded") {
    const links = linksAt(record, table.outputs);
    if (links.length > 0) return { type: "succeeded", result: resultOf(table, record, links) };
    return textsAt(record, table.outputs).length > 0 ? failed(NO_LINK) : { type: "resultless" };
  }
  const progressPercent = numberAt(record, table.progress);
  return {
    type: "running",
    progressPercent: progressPercent === undefined ? undefined : Math.min(100, Math.floor(progressPercent)),
  };
}

/** Nobody can fetch the value that the vendor put in a result's place. */
const NO_LINK = "The vendor's result is no http(s) link.";

/** From here on a moment is told in milliseconds: as seconds it would be in the year 5138. */
const MILLISECONDS_FROM = 1e11;

/** A moment in whole Unix seconds; 0 is how vendors say that there is none, and what no calendar has is none either. */
function secondsAt(record: unknown, places: Places | undefined): number | undefined {
  const time = numberAt(record, places) ?? 0;
  return validSeconds(Math.floor(time < MILLISECONDS_FROM ? time : time / 1_000));
}

function resultOf(table: RecordTable, record: unknown, links: readonly string[]): TaskResult {
  const expiresAt = secondsAt(record, table.expiresAt);
  const found = definedFields({
    lastFrameUrl: linkAt(record, table.lastFrame),
    durationSeconds: numberAt(record, table.seconds),
    resolution: textAt(record, table.resolution)?.toLowerCase(),
    usage: table.usage?.map((place) => valueAt(record, place)).find((usage) => usage !== undefined),
    cost: numberAt(record, table.cost),
  });
  return {
    outputs: links.map((url) => ({ url, expiresAt })),
    ...found,
  };
}
