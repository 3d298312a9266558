import type { Timers } from "../base/timers.ts";
import type { AskOutcome } from "../upstreams/call.ts";

/** The answer, if it comes in time; undefined = it may still come, and whoever wants it has `asking`. */
export function askWithin(
  asking: Promise<AskOutcome>,
  limitMs: number,
  timers: Timers,
): Promise<AskOutcome | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(Math.max(0, limitMs), () => resolve(undefined));
    asking.then(resolve, reject).finally(cancel);
  });
}
