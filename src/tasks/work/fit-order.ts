import type { MediaOrder } from "../../families/family.ts";
import type { InlinedOrder } from "../../upstreams/task-apis/inline-images.ts";
import type { TaskApiRequest } from "../../upstreams/task-apis/task-api.ts";
import type { Claim } from "../store/task-store.ts";
import type { TaskCandidate } from "./places.ts";
import { type HeldTask, msToDeadline, type WorkDeps } from "./work-deps.ts";

/**
 * The order as it was written for this place, or is to be looked for there; a text says why it cannot be written so now.
 * Fetched and resolved anew, since neither assets nor files are kept with the task.
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

/** Fetched anew for each vendor that wants files, which is one of a model's upstreams at most times. */
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
