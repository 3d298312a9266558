import { pause } from "../../base/async/timers.ts";
import { isDataUrl } from "../../base/text.ts";
import { GatewayError } from "../../errors.ts";
import type { MediaOrder } from "../../families/family.ts";
import type { Queryable } from "../../storage/database.ts";
import {
  listTasks,
  openTasks,
  readTaskRecord,
  readTaskUpstream,
  type TaskRecord,
  tasksSince,
} from "../../tasks/store/task-records-store.ts";
import { bodyOf } from "../../upstreams/task-apis/gateway.ts";
import { findDelivery } from "../../webhooks/webhooks-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor } from "../input.ts";
import { linkedFiles } from "../linked-file.ts";
import { events, file, json, type Operation } from "../operation.ts";
import { fileQuery, type TaskDetail, taskDetail, taskSummary, tasksPage, tasksQuery } from "./contract.ts";
import { encodeTask, filesOf } from "./encode-task.ts";

/** While something runs, a bar that moves each second looks alive; else only a new task is waited for. */
const BUSY_INTERVAL_MS = 1_000;
const IDLE_INTERVAL_MS = 3_000;
/** A task may be seen that long after its time of acceptance: its transaction was not over yet. */
const SINCE_MS = 20_000;

/**
 * An account's tasks that are not over, then each one that is new or has changed, until the reader goes. Asks the
 * database by index, once a beat and only while somebody listens. No notification would spare that: progress is told to
 * nobody, as there may be hundreds of looks a second with nobody to watch.
 */
export async function* watchTasks(
  db: Queryable,
  accountId: bigint,
  gone: AbortSignal,
): AsyncGenerator<TaskRecord> {
  const said = new Map<string, string>();
  const open = new Set<string>();
  let found = await openTasks(db, accountId);
  while (!gone.aborted) {
    const seen = new Set<string>(found.map(({ id }) => id));
    for (const task of found) {
      const facts = `${task.state} ${task.progressPercent} ${task.lateResult !== null}`;
      if (task.finishedAt === null) open.add(task.id);
      else open.delete(task.id);
      if (said.get(task.id) === facts) continue;
      said.set(task.id, facts);
      yield task;
    }
    // Neither running nor new: it will not be found again.
    for (const id of said.keys()) if (!seen.has(id)) said.delete(id);
    await pause(open.size > 0 ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS, gone);
    if (!gone.aborted) found = await tasksSince(db, accountId, [...open], SINCE_MS);
  }
}

/** A data URL of a small image may be shown; many large ones would make the response as large as the request was. */
const MAX_SHOWN = 200_000;

/** A task's request in the form of the API: the stored fields, with every default written out. */
export function requestOf(
  orderJson: string,
  model: string,
): { readonly request: Record<string, unknown>; readonly shortened: number } {
  const order = JSON.parse(orderJson) as MediaOrder;
  // The quality is the model's own and no field of a request.
  const { quality: _, ...body } = { quality: null, ...bodyOf(order, { model }) };
  let shortened = 0;
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]));
    if (typeof value !== "string" || value.length <= MAX_SHOWN || !isDataUrl(value)) return value;
    shortened += 1;
    return `${value.slice(0, value.indexOf(",") + 1)}...`;
  };
  return { request: shown(body) as Record<string, unknown>, shortened };
}

const TASKS = { policy: "viewer", tag: "Tasks" } as const;

/** Images and videos of an account: looked at while they are made and after. */
export function tasksOperations(deps: ConsoleDeps): readonly Operation[] {
  const { database, catalog } = deps;
  const openLinked = linkedFiles(deps);

  const find = async (accountId: bigint, id: string) => {
    const task = isId(id) ? await readTaskRecord(database, accountId, id) : undefined;
    if (task === undefined) throw new GatewayError("not_found", "Task not found.");
    return task;
  };

  return [
    json({
      ...TASKS,
      method: "GET",
      path: "/accounts/{account}/tasks",
      summary: "Images and videos, newest first",
      query: tasksQuery,
      response: tasksPage,
      async run({ account, query }) {
        const { id } = account();
        const { limit, after, key, from, to, ...filter } = query;
        const wanted = { ...filter, keyId: key === undefined ? undefined : BigInt(key) };
        const { tasks, next } = await listTasks(
          database,
          id,
          {
            ...wanted,
            from: from === undefined ? undefined : new Date(from),
            to: to === undefined ? undefined : new Date(to),
          },
          { limit, below: decodeCursor(after) },
        );
        return {
          data: tasks.map((task) => encodeTask(id, task)),
          next: next === undefined ? null : encodeCursor(next),
        };
      },
    }),
    events({
      ...TASKS,
      path: "/accounts/{account}/tasks/events",
      summary: "Open tasks, then every new or changed task",
      event: taskSummary,
      async *run({ account, gone }) {
        const { id } = account();
        for await (const task of watchTasks(database, id, gone)) yield encodeTask(id, task);
      },
    }),
    json({
      ...TASKS,
      method: "GET",
      path: "/accounts/{account}/tasks/{task}",
      summary: "One task: request, result, cost and webhook deliveries",
      response: taskDetail,
      async run({ account, params }) {
        const { id } = account();
        return detailOf(deps, id, await find(id, params["task"] ?? ""));
      },
    }),
    file({
      ...TASKS,
      path: "/accounts/{account}/tasks/{task}/files/{file}",
      summary: "A result file of a task",
      query: fileQuery,
      async run({ account, params, query, gone }, range) {
        const { id } = account();
        const task: TaskRecord = await find(id, params["task"] ?? "");
        const number = params["file"] ?? "";
        const found = /^\d{1,3}$/.test(number) ? filesOf(id, task)[Number(number)] : undefined;
        if (found === undefined) throw new GatewayError("not_found", "File not found.");
        const upstreamId = await readTaskUpstream(database, task.id);
        return openLinked({
          url: found.url,
          range,
          gone,
          upstream: catalog.current().allUpstreams.find((each) => each.id === upstreamId),
          saveAs: query.download === undefined ? undefined : `${task.id}-${number}`,
        });
      },
    }),
  ];
}

type FoundTask = NonNullable<Awaited<ReturnType<typeof readTaskRecord>>>;

async function detailOf(
  { database, readReceipt }: ConsoleDeps,
  accountId: bigint,
  task: FoundTask,
): Promise<TaskDetail> {
  const [receipt, delivery] = await Promise.all([
    readReceipt(accountId, task.id),
    task.webhookUrl === null ? undefined : findDelivery(database, accountId, task.id),
  ]);
  return {
    ...encodeTask(accountId, task),
    submit: task.medium === "image" ? "/v1/images/generations" : "/v2/videos/generations",
    ...requestOf(task.order, task.model),
    receipt: receipt ?? null,
    webhook:
      task.webhookUrl === null
        ? null
        : {
            url: task.webhookUrl,
            delivered_at: delivery?.deliveredAt?.toISOString() ?? null,
            next_at: delivery?.nextAt?.toISOString() ?? null,
            attempts: (delivery?.attempts ?? []).map(({ at, durationMs, ...attempt }) => ({
              ...attempt,
              at: at.toISOString(),
              duration_ms: durationMs,
            })),
          },
  };
}

/** True if a text can be an id at all; the database does not even take every text. */
function isId(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}
