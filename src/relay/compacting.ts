import type { Caller } from "../accounts/caller.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { compactsAt } from "../upstreams/kinds.ts";

/**
 * Whether an upstream of the model compacts conversations itself: by a call of its own (`byCall`), or by an item in an
 * ordinary request, which each that speaks the protocol is left to know.
 */
export function compactsItself(
  catalog: Catalog,
  { group }: Caller,
  model: unknown,
  byCall: boolean,
): boolean {
  if (typeof model !== "string") return false;
  const upstreams = catalog.serving(model, group, "responses");
  const speaking = upstreams.filter(({ protocols }) => protocols.includes("responses"));
  if (!byCall) return speaking.length > 0;
  return speaking.some((upstream) => compactsAt({ protocol: "responses", upstream }));
}
