import { systemTimers } from "../base/async/timers.ts";

/** So long, or until the reader goes. */
export function pause(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = systemTimers.after(ms, over);
    gone.addEventListener("abort", over, { once: true });
    function over(): void {
      cancel();
      gone.removeEventListener("abort", over);
      resolve();
    }
  });
}
