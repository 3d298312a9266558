import { sleep, type Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../observe/log.ts";
import type { JournalStore } from "../journal/flush.ts";
import { type FlushLoop, startFlushLoop } from "../journal/flush-loop.ts";
import { Journal } from "../journal/journal.ts";
import type { JournalDisk } from "../journal/journal-disk.ts";
import { createJournalWriter, type JournalWriter } from "../journal/journal-writer.ts";
import { LateResponseError } from "./timely-store.ts";

/** One journal of this process with everything that drives it. */
export interface LedgerClient {
  readonly journal: Journal;
  readonly writer: JournalWriter;
  readonly flushLoop: FlushLoop;
  /** Resolved with the first response of the database: only then may holds be taken. */
  readonly answered: Promise<void>;
  /**
   * Sends waiting requests away, waits until what runs is settled and posted, then returns the leases and
   * closes the journal. False where the deadline came first; the files stay.
   */
  finish(deadlineMs: number): Promise<boolean>;
}

export interface LedgerClientOptions {
  readonly id: string;
  readonly store: JournalStore;
  readonly disk: JournalDisk;
  readonly label: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Somebody else closed the journal. What is open can still be settled in it. */
  readonly onClosed: (client: LedgerClient) => void;
  /** A closed journal is wholly posted and gone. */
  readonly onDone: (client: LedgerClient) => void;
}

const FINISH_INTERVAL_MS = 10;
// Half a minute: a database that is well but slow at its start is not given up sooner.
const OPEN_ATTEMPTS = 8;

/** Makes a journal, on disk and in the database, and starts its flushes. */
export async function openLedgerClient(options: LedgerClientOptions): Promise<LedgerClient> {
  const { id, store, disk, clock, timers, log } = options;
  const files = disk.make(id);
  await make(store, id, options.label);
  const journal = new Journal(id);
  const records = createJournalWriter(files, timers, log);
  let finishing = false;
  let onFirstResponse = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    onFirstResponse = resolve;
  });

  const freeSegments = (): void => {
    // The copies of carried records must be safe before their originals go.
    if (!records.isWritable()) return;
    try {
      files.release(journal.retainFrom());
    } catch (error) {
      log.warn({ err: error, journal: id }, "journal segment could not be deleted");
    }
    for (const { retainFrom, beginRecord } of journal.rewriteOpenRecords(files.carryBefore()))
      if (beginRecord) void records.begin(retainFrom, beginRecord);
  };

  const flushLoop = startFlushLoop({
    journal,
    store,
    label: options.label,
    clock,
    timers,
    log,
    beforeFlush: () => records.retry(),
    onFlushed: ({ posted, closed }) => {
      onFirstResponse();
      records.posted(posted);
      freeSegments();
      if (!closed || finishing) return;
      journal.leases.refuseExpired({ kind: "unavailable" });
      options.onClosed(client);
      if (journal.openCount > 0 || journal.unpostedCount > 0) return;
      void flushLoop.stop();
      files.remove();
      options.onDone(client);
    },
  });

  const client: LedgerClient = {
    journal,
    writer: records,
    flushLoop,
    answered,
    async finish(deadlineMs) {
      finishing = true;
      journal.leases.refuseExpired({ kind: "unavailable" });
      const inTime = (): boolean => clock.monotonicMs() < deadlineMs;
      while (journal.openCount > 0 && inTime()) await pause(timers);
      records.flush();
      while (journal.unpostedCount > 0 && inTime()) {
        journal.flushSoon();
        flushLoop.wake();
        await pause(timers);
      }
      await flushLoop.stop();
      const closed =
        journal.openCount + journal.unpostedCount === 0 && (await close(store, journal, timers, inTime));
      if (closed) files.remove();
      else files.close();
      return closed;
    },
  };
  return client;
}

/** A statement without a response may have been executed; repeating it has no effect. */
async function make(store: JournalStore, id: string, label: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await store.open(id, label);
      return;
    } catch (error) {
      if (!(error instanceof LateResponseError) || attempt === OPEN_ATTEMPTS) throw error;
    }
  }
}

async function close(
  store: JournalStore,
  { id }: Journal,
  timers: Timers,
  inTime: () => boolean,
): Promise<boolean> {
  do {
    try {
      const state = await store.read(id);
      if (!state || state.closed || (await store.close(id, state.flushNumber))) return true;
    } catch {
      await pause(timers);
    }
  } while (inTime());
  return false;
}

const pause = (timers: Timers): Promise<void> => sleep(timers, FINISH_INTERVAL_MS);
