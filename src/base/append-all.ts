/**
 * Appends items to a list. `list.push(...items)` makes each item an argument of the call, and V8 allows some 120,000 of
 * them: callers can write lists that are longer.
 */
export function appendAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
