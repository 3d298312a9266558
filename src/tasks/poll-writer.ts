import { failpoint } from "../base/failpoint.ts";
import type { Timers } from "../base/timers.ts";
import type { PollResult, TaskStore } from "./task-store.ts";

/** What polls taught is gathered for so long and written in one statement: there may be hundreds a second. */
const GATHER_MS = 20;

export interface PollWriter {
  /** Resolves when it is written; rejects for all that were written together. */
  write(poll: PollResult): Promise<void>;
}

export function createPollWriter(store: TaskStore, timers: Timers): PollWriter {
  let gathered: PollResult[] = [];
  let writing: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    await new Promise<void>((resolve) => timers.after(GATHER_MS, resolve));
    const polls = gathered;
    gathered = [];
    writing = undefined;
    await store.polled(polls);
    failpoint("task.poll.after-statement");
  };
  return {
    write(poll) {
      gathered.push(poll);
      writing ??= flush();
      return writing;
    },
  };
}
