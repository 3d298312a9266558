import type { EventEmitter } from "node:events";
import { type Clock, systemClock } from "../base/clock.ts";

/** npm passes on the Ctrl-C that the terminal has sent to us as well; no hand presses it again as soon. */
const SAME_PRESS_MS = 1_000;

export interface StopSignalOptions {
  /** The source of signals: the process. */
  readonly source: EventEmitter;
  readonly clock: Clock;
  /** Ends the process at once with this code. */
  readonly exit: (code: number) => void;
}

/**
 * Resolves with the first SIGTERM or Ctrl-C. To be listened for from the first moment: a signal during the start, or
 * just after the address was printed, must not kill the process past its database and its journal. A second Ctrl-C ends
 * at once. Any other repetition is the same stop told again: a supervisor tells every process of a group, and npm and
 * our own primary pass on to theirs what they were told.
 */
export function stopSignal({ source, clock, exit }: StopSignalOptions): Promise<NodeJS.Signals> {
  let toldMs: number | undefined;
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      toldMs ??= clock.monotonicMs();
      resolve(signal);
    };
    source.on("SIGTERM", () => onSignal("SIGTERM"));
    source.on("SIGINT", () => {
      if (toldMs !== undefined && clock.monotonicMs() - toldMs >= SAME_PRESS_MS) exit(INTERRUPTED);
      else onSignal("SIGINT");
    });
    // A worker whose primary died must not serve a database that nobody supervises.
    source.on("disconnect", () => onSignal("SIGTERM"));
  });
}

/** The process that this program is. */
export const PROCESS: StopSignalOptions = {
  source: process,
  clock: systemClock,
  exit: (code) => process.exit(code),
};

/** The shells' exit code after Ctrl-C: 128 and the signal's number. */
const INTERRUPTED = 130;
