import type { MediaOrder } from "../../families/family.ts";
import type { InlinedOrder } from "../../upstreams/task-apis/inline-images.ts";
import type { TaskApiRequest } from "../../upstreams/task-apis/task-api.ts";
import type { Claim } from "../store/task-store.ts";
import type { TaskCandidate } from "./places.ts";
import { type HeldTask, msToDeadline, type WorkDeps } from "./work-deps.ts";

/**
 * Writes an order for a place where it is submitted or looked for; a string is the reason why that is impossible now.
 * Assets and files are resolved and fetched again, because they are not stored with the task.
 */
export async function orderFor(
  held: HeldTask,
  candidate: TaskCandidate,
  deps: WorkDeps,
): Promise<MediaOrder | string> {
  const asked = await deps.store.order(held.claim.id);
  const resolved = await deps.resolveAssets(held.claim, asked);
  if (resolved.type === "refused" || resolved.type === "unknown") return resolved.reason;
  const order = resolved.type === "bound" ? resolved.order : asked;
  const inlined = await fitOrder(held, candidate, order, deps);
  return inlined.type === "refused" ? inlined.reason : inlined.order;
}

/** Fetches again for each vendor that requires files; usually that is one of a model's upstreams. */
export async function fitOrder(
  held: HeldTask,
  { api }: TaskCandidate,
  order: MediaOrder,
  deps: WorkDeps,
): Promise<InlinedOrder> {
  return api.wantsFiles ? deps.inline(order, msToDeadline(held)) : { type: "inlined", order };
}

export function requestFor({ id }: Claim, { api, place }: TaskCandidate, order: MediaOrder): TaskApiRequest {
  return api.submit(order, { model: place.model, taskId: id });
}
