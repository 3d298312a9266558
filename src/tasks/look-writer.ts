import { crashPoint } from "../base/crash-point.ts";
import type { Timers } from "../base/timers.ts";
import type { Look, TaskBoard } from "./board.ts";

/** What looks taught is gathered for so long and written in one statement: there may be hundreds a second. */
const GATHER_MS = 20;

export interface LookWriter {
  /** Resolves when it is written; rejects for all that were written together. */
  write(look: Look): Promise<void>;
}

export function createLookWriter(board: TaskBoard, timers: Timers): LookWriter {
  let gathered: Look[] = [];
  let writing: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    await new Promise<void>((resolve) => timers.after(GATHER_MS, resolve));
    const looks = gathered;
    gathered = [];
    writing = undefined;
    await board.looked(looks);
    crashPoint("task.look.after-statement");
  };
  return {
    write(look) {
      gathered.push(look);
      writing ??= flush();
      return writing;
    },
  };
}
