import { writeSync } from "node:fs";
import type { DestinationStream } from "pino";

/** Some thousand lines: a reader who pauses misses nothing, one who never comes back costs no memory. */
const MAX_WAITING_BYTES = 1 << 20;

const RETRY_MS = 100;

export interface LineOutputOptions {
  readonly descriptor: number;
  /** Called with the number of lines that were left out, once there is room again. */
  readonly onLeftOut: (lines: number) => void;
}

/**
 * A descriptor as the log's destination. Lines are written at once, so that the last ones of a process that
 * ends are out. Where that cannot be, as nobody reads the pipe or the log's disk is full, they wait here and
 * those beyond a limit are left out: serving never waits for a log. (A pipe says that it is full, instead of
 * holding the process, once `process.stdout` was looked at.)
 */
export function lineOutput({ descriptor, onLeftOut }: LineOutputOptions): DestinationStream {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let leftOut = 0;
  let retry: NodeJS.Timeout | undefined;
  let readerIsGone = false;

  const drain = (): void => {
    retry = undefined;
    try {
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        const written = writeSync(descriptor, next);
        waitingBytes -= written;
        if (written < next.length) waiting[0] = next.subarray(written);
        else waiting.shift();
      }
    } catch (error) {
      readerIsGone = (error as NodeJS.ErrnoException).code === "EPIPE";
      // Never what keeps a process from ending.
      if (!readerIsGone) retry = setTimeout(drain, RETRY_MS).unref();
      return;
    }
    if (leftOut === 0) return;
    const lines = leftOut;
    leftOut = 0;
    onLeftOut(lines);
  };
  process.once("exit", drain);

  return {
    write(text) {
      if (readerIsGone) return;
      const line = Buffer.from(text);
      if (waitingBytes + line.length > MAX_WAITING_BYTES) {
        leftOut += 1;
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      if (retry === undefined) drain();
    },
  };
}
