import { GatewayError } from "../../errors.ts";
import {
  listTasks,
  readTaskRecord,
  readTaskUpstream,
  type TaskRecord,
} from "../../tasks/store/task-records-store.ts";
import { findDelivery } from "../../webhooks/webhooks-store.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { ConsoleDeps } from "../deps.ts";
import { linkedFiles } from "../linked-file.ts";
import { events, file, json, type Operation } from "../operation.ts";
import { fileQuery, type TaskDetail, taskDetail, taskSummary, tasksPage, tasksQuery } from "./contract.ts";
import { encodeTask, filesOf } from "./encode-task.ts";
import { requestOf } from "./request-of.ts";
import { watchTasks } from "./watch-tasks.ts";

const TASKS = { policy: "viewer", tag: "Tasks" } as const;

/** Pictures and videos of an account: looked at while they are made and after. */
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
          ...{ url: found.url, range, gone },
          upstream: catalog.current().upstreams.find((each) => each.id === upstreamId),
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

/** Whether a text can be an id at all; the database does not even take every text. */
function isId(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}
