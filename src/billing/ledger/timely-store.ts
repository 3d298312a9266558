import type { Timers } from "../../base/async/timers.ts";
import type { JournalStore } from "../journal/flush.ts";

// A response this late is as good as none: the same is asked again, on another connection. A connection that swallows what
// is sent would be given up by the driver after 35 s only, and twice that is longer than others wait for a silent process.
const RESPONSE_LIMIT_MS = 4_000;

/** There was no response in time. Whether the statement took effect, or still will, nobody knows. */
export class LateResponseError extends Error {
  override readonly name = "LateResponseError";
}

/** Wraps a store so that a caller gets {@link LateResponseError} after 4 s. */
export function storeWithTimeout(store: JournalStore, timers: Timers): JournalStore {
  const inTime = async <T>(response: Promise<T>): Promise<T> => {
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = timers.after(RESPONSE_LIMIT_MS, () =>
        reject(new LateResponseError(`no answer within ${RESPONSE_LIMIT_MS} ms`)),
      );
    });
    try {
      return await Promise.race([response, late]);
    } finally {
      cancel();
    }
  };
  return {
    open: (journal, label) => inTime(store.open(journal, label)),
    flush: (request) => inTime(store.flush(request)),
    read: (journal) => inTime(store.read(journal)),
    listOpen: () => inTime(store.listOpen()),
    close: (journal, flush) => inTime(store.close(journal, flush)),
  };
}
