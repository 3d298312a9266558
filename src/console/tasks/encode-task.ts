import { validSeconds } from "../../base/clock.ts";
import type { TaskRecord } from "../../tasks/store/task-records-store.ts";
import type { TaskFile, TaskSummary } from "./contract.ts";

/** A task as the console's lists and events tell of it. */
export function encodeTask(accountId: bigint, task: TaskRecord): TaskSummary {
  return {
    id: task.id,
    request_id: task.requestId,
    medium: task.medium,
    family: task.family,
    model: task.model,
    action: task.action,
    state: task.state,
    progress_percent: task.progressPercent,
    fail_reason: task.failReason,
    prompt: promptOf(task.orderStart),
    key: { id: String(task.keyId), name: task.keyName },
    accepted_at: task.acceptedAt.toISOString(),
    started_at: task.startedAt?.toISOString() ?? null,
    finished_at: task.finishedAt?.toISOString() ?? null,
    deadline_at: task.deadlineAt.toISOString(),
    hold_nanos: String(task.holdNanos),
    charge_nanos: task.chargeNanos === null ? null : String(task.chargeNanos),
    files: filesOf(accountId, task),
    late: task.lateResult !== null,
  };
}

/** The task's files, in the order of the numbers that `view` has. */
export function filesOf(accountId: bigint, task: TaskRecord): TaskFile[] {
  const result = task.result ?? task.lateResult;
  if (result === null) return [];
  const files = [
    ...result.outputs.map(({ url, expiresAt }) => ({ kind: task.medium, url, expiresAt })),
    ...(result.lastFrameUrl === undefined
      ? []
      : [{ kind: "last_frame" as const, url: result.lastFrameUrl, expiresAt: undefined }]),
  ];
  return files.map(({ kind, url, expiresAt }, index) => {
    // Gateways before this one kept whatever a vendor told.
    const seconds = validSeconds(expiresAt);
    return {
      kind,
      url,
      view: `/api/accounts/${accountId}/tasks/${task.id}/files/${index}`,
      expires_at: seconds === undefined ? null : new Date(seconds * 1000).toISOString(),
    };
  });
}

/** Enough to know an image by in a list. */
const PROMPT_CHARACTERS = 300;

/** The prompt off the beginning of an order, where every family has it. */
function promptOf(orderStart: string): string {
  // Whole escapes only: the cut may have gone through one.
  const [, inner = ""] = /"prompt":"((?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*)/s.exec(orderStart) ?? [];
  const prompt = JSON.parse(`"${inner}"`) as string;
  return [...prompt.slice(0, 2 * PROMPT_CHARACTERS)].slice(0, PROMPT_CHARACTERS).join("");
}
