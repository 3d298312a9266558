import { ByteSheet } from "../base/byte-sheet.ts";
import { crashPoint } from "../base/crash-point.ts";
import type { Timers } from "../base/timers.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../observe/log.ts";
import { type Line, type LineKind, writeFramed } from "./line.ts";
import type { SpoolMedium } from "./spool-files.ts";

/** Writes lines in order, all of one turn of the event loop in one write. */
export interface LineWriter {
  /**
   * Resolved once the line is with the operating system; rejects (503) where it cannot be written. `number`
   * is the line's, or for a line that is carried the one it is needed from.
   */
  begin(number: number, line: Line): Promise<void>;
  /** Resolved once the line is with the operating system or, where it cannot be written, posted. */
  end(number: number, line: Line): Promise<void>;
  /** Lines up to here are in the database. */
  posted(upto: number): void;
  /** Tries again what could not be written. */
  retry(): void;
  /** False: the disk refuses lines, so no new work may begin. */
  isWritable(): boolean;
  /** Writes what this turn has gathered without waiting for its end. */
  flush(): void;
}

interface Batch {
  readonly lines: ByteSheet;
  last: number;
  begun: Deferred | undefined;
  ended: Deferred | undefined;
}

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

/** `medium` keeps the lines; failures are logged, once per outage. */
export function createLineWriter(medium: SpoolMedium, timers: Timers, log: Log): LineWriter {
  let gathering: Batch | undefined;
  // Written, and ready for the next turn.
  let spare: ByteSheet | undefined;
  // What the disk refused. No new work begins meanwhile, so only running requests add to it.
  let refused: Batch[] = [];

  const batch = (): Batch => {
    if (!gathering) {
      gathering = { lines: spare ?? new ByteSheet(), last: 0, begun: undefined, ended: undefined };
      spare = undefined;
      timers.defer(flush);
    }
    return gathering;
  };

  const add = (kind: LineKind, number: number, line: Line): Batch => {
    const target = batch();
    writeFramed(target.lines, kind, line);
    target.last = Math.max(target.last, number);
    return target;
  };

  const flush = (): void => {
    const full = gathering;
    if (!full) return;
    gathering = undefined;
    if (refused.length > 0) {
      refuse(full);
      return;
    }
    if (full.begun) crashPoint("spool.begin.before-write");
    if (full.ended) crashPoint("spool.end.before-write");
    try {
      medium.append(full.lines.view(), full.last);
    } catch (error) {
      log.error({ err: error }, "the spool cannot be written; new requests are refused until it can");
      refuse(full);
      return;
    }
    full.lines.clear();
    spare = full.lines;
    if (full.begun) crashPoint("spool.begin.after-write");
    if (full.ended) crashPoint("spool.end.after-write");
    full.begun?.resolve();
    full.ended?.resolve();
  };

  const refuse = (full: Batch): void => {
    refused.push(full);
    full.begun?.reject(new GatewayError("service_unavailable", UNWRITABLE));
  };

  return {
    begin(number, line) {
      const target = add("begin", number, line);
      target.begun ??= defer();
      return target.begun.promise;
    },
    end(number, line) {
      const target = add("end", number, line);
      target.ended ??= defer();
      return target.ended.promise;
    },
    posted(upto) {
      for (const each of refused) if (each.last <= upto) each.ended?.resolve();
    },
    retry() {
      if (refused.length === 0) return;
      try {
        medium.append(Buffer.concat(refused.map(({ lines }) => lines.view())), refused.at(-1)?.last ?? 0);
      } catch {
        return; // said when it began
      }
      for (const each of refused) each.ended?.resolve();
      refused = [];
      log.info({}, "the spool can be written again");
    },
    isWritable: () => refused.length === 0,
    flush,
  };
}

export const UNWRITABLE = "The gateway cannot record requests at the moment; try again shortly.";

function defer(): Deferred {
  let resolve = (): void => undefined;
  let reject: Deferred["reject"] = () => undefined;
  const promise = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  // Whoever awaits it hears of a failure; that nobody does is no reason to end the program.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
