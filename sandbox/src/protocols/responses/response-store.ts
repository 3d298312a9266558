import { arrayOr, type JsonObject, objectOr } from "../../json.ts";

/** An answered request as it is read again, and continued by `previous_response_id` and `item_reference`. */
export interface StoredResponse {
  /** Input items of the request, those of its own predecessors included. */
  input: JsonObject[];
  response: JsonObject;
}

export interface ResponseStore {
  get(id: string): StoredResponse | undefined;
  item(id: string): JsonObject | undefined;
  put(id: string, stored: StoredResponse): void;
  /** Returns true if it was there. */
  delete(id: string): boolean;
  clear(): void;
}

/** Benchmarks store every response: this many stay below 100 MB. */
const MAX_RESPONSES = 10_000;

/** Stored responses in memory, the oldest forgotten first. */
export function createResponseStore(): ResponseStore {
  const responses = new Map<string, StoredResponse>();
  const items = new Map<string, JsonObject>();

  const forget = (id: string): boolean => {
    const stored = responses.get(id);
    if (stored === undefined) return false;
    for (const item of outputOf(stored)) items.delete(String(item["id"]));
    return responses.delete(id);
  };

  return {
    get: (id) => responses.get(id),
    item: (id) => items.get(id),
    put(id, stored) {
      responses.set(id, stored);
      for (const item of outputOf(stored)) items.set(String(item["id"]), item);
      const [oldest] = responses.keys();
      if (responses.size > MAX_RESPONSES && oldest !== undefined) forget(oldest);
    },
    delete: forget,
    clear() {
      responses.clear();
      items.clear();
    },
  };
}

export function outputOf({ response }: StoredResponse): JsonObject[] {
  return arrayOr(response["output"]).map(objectOr);
}
