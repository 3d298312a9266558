import { isDataUrl } from "../../base/text.ts";
import type { MediaOrder } from "../../families/family.ts";
import { bodyOf } from "../../upstreams/task-apis/gateway.ts";

/** A data URL of a small picture may be shown; many large ones would make the answer as large as the request was. */
const MAX_SHOWN = 200_000;

/** What a task was asked for, as a request of the API: what is kept of it, every default written out. */
export function requestOf(
  orderJson: string,
  model: string,
): { readonly request: Record<string, unknown>; readonly shortened: number } {
  const order = JSON.parse(orderJson) as MediaOrder;
  // The quality is the model's own and no field of a request.
  const { quality: _, ...body } = { quality: null, ...bodyOf(order, { model }) };
  let shortened = 0;
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]));
    if (typeof value !== "string" || value.length <= MAX_SHOWN || !isDataUrl(value)) return value;
    shortened += 1;
    return `${value.slice(0, value.indexOf(",") + 1)}...`;
  };
  return { request: shown(body) as Record<string, unknown>, shortened };
}
