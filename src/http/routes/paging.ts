import { GatewayError } from "../../errors.ts";

/** A page larger than this is the whole list anyway. */
const MAX_PAGE = 1000;

/** Reads a page size: 1 to 1000; undefined when absent or empty. */
export function readLimit(text: string | undefined, param: string): number | undefined {
  if (text === undefined || text === "") return undefined;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new GatewayError("invalid_request", `${param} must be a whole number from 1 to ${MAX_PAGE}.`, {
      param,
    });
  }
  return limit;
}

/**
 * A page of a list ordered by id; without a limit everything. An unknown cursor gives 400, which names the
 * caller's parameter.
 */
export function pageByCursor<Item extends { readonly id: string }>(
  items: readonly Item[],
  cursor: { limit: number | undefined; afterId: string | undefined; beforeId: string | undefined },
  afterParam = "after_id",
): { items: readonly Item[]; hasMore: boolean } {
  if (cursor.afterId && cursor.beforeId) {
    throw new GatewayError("invalid_request", "Send after_id or before_id, not both.", {
      param: "before_id",
    });
  }
  if (cursor.beforeId) {
    const end = indexOf(items, cursor.beforeId, "before_id");
    const start = cursor.limit === undefined ? 0 : Math.max(0, end - cursor.limit);
    return { items: items.slice(start, end), hasMore: start > 0 };
  }
  const start = cursor.afterId ? indexOf(items, cursor.afterId, afterParam) + 1 : 0;
  const end = cursor.limit === undefined ? items.length : start + cursor.limit;
  return { items: items.slice(start, end), hasMore: end < items.length };
}

function indexOf(items: readonly { readonly id: string }[], id: string, param: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index === -1)
    throw new GatewayError("invalid_request", `${param} isn't a model in this list.`, { param });
  return index;
}
