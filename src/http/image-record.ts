import type { Task } from "../tasks/tasks.ts";

/** The answer to a submitted picture. */
export function imageSubmitted({ id }: Task): object {
  return { code: 200, status: "submitted", task_id: id, id };
}

/** A picture's task as its account reads it; pictures say FAILED where videos say FAILURE. */
export function imageRecord(task: Task): object {
  const urls = task.state === "SUCCESS" ? (task.result?.outputs ?? []) : [];
  return {
    status: task.state === "FAILURE" ? "FAILED" : task.state,
    task_id: task.id,
    progress: `${task.progressPercent}%`,
    created: task.submitTime,
    data: urls.map(({ url }) => ({ url })),
    fail_reason: task.state === "FAILURE" ? task.failReason : "",
  };
}
