import type { Timers } from "../../base/async/timers.ts";
import { ByteWriter } from "../../base/byte-writer.ts";
import { failpoint } from "../../base/failpoint.ts";
import { GatewayError } from "../../errors.ts";
import type { Log } from "../../observe/log.ts";
import type { JournalMedium } from "./journal-files.ts";
import { type JournalRecord, type RecordKind, writeFramed } from "./journal-record.ts";

/** Writes records in order, all of one turn of the event loop in one write. */
export interface JournalWriter {
  /**
   * Resolved once the record is with the operating system; rejects (503) where it cannot be written. `number`
   * is the record's, or for a record that is carried the one it is needed from.
   */
  begin(number: number, record: JournalRecord): Promise<void>;
  /** Resolved once the record is with the operating system or, where it cannot be written, posted. */
  end(number: number, record: JournalRecord): Promise<void>;
  /** Records up to here are in the database. */
  posted(upto: number): void;
  /** Tries again what could not be written. */
  retry(): void;
  /** False: the disk refuses records, so no new work may begin. */
  isWritable(): boolean;
  /** Writes what this turn has gathered without waiting for its end. */
  flush(): void;
}

interface Batch {
  readonly records: ByteWriter;
  last: number;
  begun: Deferred | undefined;
  ended: Deferred | undefined;
}

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

/** `medium` keeps the records; failures are logged, once per outage. */
export function createJournalWriter(medium: JournalMedium, timers: Timers, log: Log): JournalWriter {
  let gathering: Batch | undefined;
  // Written, and ready for the next turn.
  let spare: ByteWriter | undefined;
  // Records that the disk rejected. No new requests are accepted meanwhile, so only running ones add to it.
  let refused: Batch[] = [];

  const batch = (): Batch => {
    if (!gathering) {
      gathering = { records: spare ?? new ByteWriter(), last: 0, begun: undefined, ended: undefined };
      spare = undefined;
      timers.defer(flush);
    }
    return gathering;
  };

  const add = (kind: RecordKind, number: number, record: JournalRecord): Batch => {
    const target = batch();
    const { length } = target.records;
    try {
      writeFramed(target.records, kind, record);
    } catch (error) {
      // Half a record would hide those behind it.
      target.records.truncate(length);
      throw error;
    }
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
    if (full.begun) failpoint("journal.begin.before-write");
    if (full.ended) failpoint("journal.end.before-write");
    try {
      medium.append(full.records.view(), full.last);
    } catch (error) {
      log.error({ err: error }, "journal write failed; refusing new requests");
      refuse(full);
      return;
    }
    full.records.clear();
    spare = full.records;
    if (full.begun) failpoint("journal.begin.after-write");
    if (full.ended) failpoint("journal.end.after-write");
    full.begun?.resolve();
    full.ended?.resolve();
  };

  const refuse = (full: Batch): void => {
    refused.push(full);
    full.begun?.reject(new GatewayError("service_unavailable", UNWRITABLE));
  };

  return {
    begin(number, record) {
      const target = add("begin", number, record);
      target.begun ??= defer();
      return target.begun.promise;
    },
    end(number, record) {
      const target = add("end", number, record);
      target.ended ??= defer();
      return target.ended.promise;
    },
    posted(upto) {
      for (const each of refused) if (each.last <= upto) each.ended?.resolve();
    },
    retry() {
      if (refused.length === 0) return;
      try {
        medium.append(Buffer.concat(refused.map(({ records }) => records.view())), refused.at(-1)?.last ?? 0);
      } catch {
        return; // said when it began
      }
      for (const each of refused) each.ended?.resolve();
      refused = [];
      log.info({}, "journal is writable again");
    },
    isWritable: () => refused.length === 0,
    flush,
  };
}

export const UNWRITABLE = "The gateway can't record requests right now. Try again shortly.";

function defer(): Deferred {
  let resolve = (): void => undefined;
  let reject: Deferred["reject"] = () => undefined;
  const promise = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  // Every caller that awaits the promise gets the error; an unawaited one must not end the process.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
