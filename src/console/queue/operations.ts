import { GatewayError } from "../../errors.ts";
import {
  countQueue,
  countWatchedLate,
  listQueue,
  pollNow,
  type QueueCount,
  type QueuedTask as StoredTask,
} from "../../tasks/store/task-queue-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { polledNow, type QueuedTask, queueCounts, queuePage, queueQuery } from "./contract.ts";

const QUEUE = { policy: "operator", tag: "Task queue" } as const;

/** The tasks of all accounts that are not over, for who must find out why one does not end. */
export function queueOperations({ database }: ConsoleDeps): readonly Operation[] {
  return [
    json({
      ...QUEUE,
      method: "GET",
      path: "/operator/queue",
      summary: "Open tasks, oldest first",
      query: queueQuery,
      response: queuePage,
      async run({ query: { limit, after, account, ...filter } }) {
        const wanted = { ...filter, accountId: account === undefined ? undefined : BigInt(account) };
        const { tasks, next } = await listQueue(database, wanted, { limit, above: decodeCursor(after) });
        return { data: tasks.map(encode), next: next === undefined ? null : encodeCursor(next) };
      },
    }),
    json({
      ...QUEUE,
      method: "GET",
      path: "/operator/queue/counts",
      summary: "Number of open tasks by model and state, and of problems",
      response: queueCounts,
      async run() {
        const [counts, late] = await Promise.all([countQueue(database), countWatchedLate(database)]);
        const sum = (of: (count: QueueCount) => bigint) =>
          Number(counts.reduce((total, count) => total + of(count), 0n));
        return {
          open: sum(({ open }) => open),
          overdue: sum(({ overdue }) => overdue),
          stuck: sum(({ stuck }) => stuck),
          ambiguous: sum(({ ambiguous }) => ambiguous),
          polled_late: Number(late),
          by_model: counts.map(({ model, state, open }) => ({ model, state, open: Number(open) })),
        };
      },
    }),
    json({
      ...QUEUE,
      method: "POST",
      path: "/operator/queue/{task}/poll",
      summary: "Poll a submitted task now",
      response: polledNow,
      async run({ params, audit }) {
        const id = params["task"] ?? "";
        await database.transaction(async (tx) => {
          const found = /^[\w-]{1,100}$/.test(id) ? await pollNow(tx, id) : undefined;
          if (found === undefined) {
            throw new GatewayError("not_found", "No open, submitted task has this id.");
          }
          await audit(tx, {
            action: "task.poll",
            subject: id,
            accountId: found.accountId,
            before: { due_at: found.dueAt.toISOString() },
          });
        });
        return { id };
      },
    }),
  ];
}

const TROUBLES = ["overdue", "stuck", "ambiguous"] as const;

function encode(task: StoredTask): QueuedTask {
  const { upstreamName, upstreamModel, intendedAt } = task;
  return {
    id: task.id,
    account: { id: String(task.accountId), name: task.accountName },
    medium: task.medium,
    model: task.model,
    state: task.state,
    progress_percent: task.progressPercent,
    accepted_at: task.acceptedAt.toISOString(),
    deadline_at: task.deadlineAt.toISOString(),
    due_at: task.dueAt.toISOString(),
    upstream:
      upstreamName === null || upstreamModel === null || intendedAt === null
        ? null
        : {
            name: upstreamName,
            model: upstreamModel,
            task: task.upstreamTask,
            intended_at: intendedAt.toISOString(),
          },
    submit_attempts: task.submitAttempts,
    polls: task.polls,
    hold_nanos: String(task.holdNanos),
    trouble: TROUBLES.filter((trouble) => task[trouble]),
  };
}
