import type { Timers } from "../base/timers.ts";
import { isFinal } from "./state.ts";
import type { TaskStore } from "./task-store.ts";
import type { Task } from "./tasks.ts";

export interface Finder {
  find(accountId: bigint, medium: "image" | "video", id: string, waitMs?: number): Promise<Task | undefined>;
  /** Some process ended the task. */
  ended(id: string): void;
}

/** A notification may be lost: who waits reads it again this often. */
const POLL_RETRY_DELAY_MS = 2_000;

/** Reads tasks, at once or when they are over. */
export function createFinder(store: TaskStore, timers: Timers): Finder {
  const waiting = new Map<string, Set<() => void>>();

  /** Until the task is said to be over, or so long. */
  const pause = (id: string, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wakers = waiting.get(id) ?? new Set();
      waiting.set(id, wakers);
      const wake = (): void => {
        cancel();
        wakers.delete(wake);
        if (wakers.size === 0) waiting.delete(id);
        resolve();
      };
      const cancel = timers.after(ms, wake);
      wakers.add(wake);
    });

  return {
    async find(accountId, medium, id, waitMs = 0) {
      for (let leftMs = waitMs; ; leftMs -= POLL_RETRY_DELAY_MS) {
        const found = await store.find(accountId, id);
        if (found === undefined || found.medium !== medium) return undefined;
        if (isFinal(found.task.state) || leftMs <= 0) return found.task;
        await pause(id, Math.min(leftMs, POLL_RETRY_DELAY_MS));
      }
    },
    ended(id) {
      for (const wake of [...(waiting.get(id) ?? [])]) wake();
    },
  };
}
