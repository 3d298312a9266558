import { GatewayError } from "../../errors.ts";
import type { Task } from "../../tasks/tasks.ts";
import { callerOf } from "../core/credentials.ts";
import { queryText, type RequestContext, sendJson } from "../core/endpoint.ts";
import type { HttpDeps } from "../deps.ts";

/** Longer than this a proxy on the way may give up on a silent answer. */
const MAX_WAIT_SECONDS = 60;

/** Answers one read of a task; `?wait=` keeps the response back until the task is final or the time is over. */
export async function readTask(
  deps: HttpDeps,
  context: RequestContext,
  medium: "image" | "video",
  record: (task: Task) => object,
): Promise<void> {
  const caller = await callerOf(context, deps);
  const { id = "" } = context.request.params;
  const waitMs = readWait(context) * 1000;
  const find = (ms: number) => deps.tasks.find(caller.accountId, medium, id, ms);
  const task = isTaskId(id) ? await untilStop(deps.stopping, context, waitMs, find) : undefined;
  // Unknown, another account's, or of the other medium: who asks cannot tell which.
  if (task === undefined) throw new GatewayError("task_not_exist", "task_not_exist");
  sendJson(context, 200, record(task));
}

/** A wait ends when the gateway stops: one more look, and the caller has a response instead of a broken line. */
function untilStop<T>(
  stopping: AbortSignal,
  { raw }: RequestContext,
  waitMs: number,
  find: (ms: number) => Promise<T>,
): Promise<T> {
  if (waitMs === 0 || stopping.aborted) return find(0);
  const stopped = new Promise<T>((resolve, reject) => {
    const lookNow = (): void => void find(0).then(resolve, reject);
    stopping.addEventListener("abort", lookNow, { once: true });
    raw.once("close", () => stopping.removeEventListener("abort", lookNow));
  });
  return Promise.race([find(waitMs), stopped]);
}

/** True if a text can be an id at all; the database does not even take every text. */
export function isTaskId(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}

function readWait(context: RequestContext): number {
  const asked = queryText(context.request, "wait");
  if (asked === undefined || asked === "") return 0;
  const seconds = /^\d{1,9}(\.\d{1,9})?$/.test(asked) ? Number(asked) : Number.NaN;
  if (Number.isNaN(seconds)) {
    throw new GatewayError(
      "invalid_request",
      `\`wait\` must be a number of seconds, 0 to ${MAX_WAIT_SECONDS}.`,
      { param: "wait" },
    );
  }
  return Math.min(seconds, MAX_WAIT_SECONDS);
}
