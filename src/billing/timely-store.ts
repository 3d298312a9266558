import type { Timers } from "../base/timers.ts";
import type { SpoolStore } from "./tick.ts";

// An answer this late is as good as none: the same is asked again, on another connection. A connection that swallows what
// is sent would be given up by the driver after 35 s only, and twice that is longer than others wait for a silent process.
const ANSWER_LIMIT_MS = 4_000;

/** There was no answer in time. Whether the statement took effect, or still will, nobody knows. */
export class LateAnswerError extends Error {
  override readonly name = "LateAnswerError";
}

/** The same store, but whoever waits for it is told after 4 s: {@link LateAnswerError}. */
export function timelyStore(store: SpoolStore, timers: Timers): SpoolStore {
  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = timers.after(ANSWER_LIMIT_MS, () =>
        reject(new LateAnswerError(`no answer within ${ANSWER_LIMIT_MS} ms`)),
      );
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      cancel();
    }
  };
  return {
    open: (spool, label) => inTime(store.open(spool, label)),
    tick: (request) => inTime(store.tick(request)),
    read: (spool) => inTime(store.read(spool)),
    listOpen: () => inTime(store.listOpen()),
    close: (spool, tick) => inTime(store.close(spool, tick)),
  };
}
