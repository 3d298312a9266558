import type { JsonObject } from "../../json.ts";

/** What `previous_response_id` and `item_reference` need of an answered request. */
interface StoredResponse {
  /** Input items of the request, those of its own predecessors included, then its output items. */
  items: JsonObject[];
}

export interface ResponseStore {
  get(id: string): StoredResponse | undefined;
  item(id: string): JsonObject | undefined;
  put(id: string, items: JsonObject[], output: JsonObject[]): void;
  clear(): void;
}

/** Benchmarks store every answer: this many stay below 100 MB. */
const MAX_RESPONSES = 10_000;

/** Stored responses in memory, the oldest forgotten first. */
export function createResponseStore(): ResponseStore {
  const responses = new Map<string, { input: JsonObject[]; output: JsonObject[] }>();
  const items = new Map<string, JsonObject>();

  const forgetOldest = (): void => {
    const [oldest] = responses;
    if (oldest === undefined) return;
    responses.delete(oldest[0]);
    for (const item of oldest[1].output) items.delete(String(item["id"]));
  };

  return {
    get(id) {
      const found = responses.get(id);
      return found === undefined ? undefined : { items: [...found.input, ...found.output] };
    },
    item: (id) => items.get(id),
    put(id, input, output) {
      responses.set(id, { input, output });
      for (const item of output) items.set(String(item["id"]), item);
      if (responses.size > MAX_RESPONSES) forgetOldest();
    },
    clear() {
      responses.clear();
      items.clear();
    },
  };
}
