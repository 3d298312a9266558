import type { Clock } from "../base/clock.ts";
import { sleep, type Timers } from "../base/timers.ts";
import type { Log } from "../observe/log.ts";
import { createLineWriter, type LineWriter } from "./line-writer.ts";
import { Spool } from "./spool.ts";
import type { SpoolDisk } from "./spool-disk.ts";
import type { SpoolStore } from "./tick.ts";
import { startTicker, type Ticker } from "./ticker.ts";
import { LateAnswerError } from "./timely-store.ts";

/** One spool of this process with everything that drives it. */
export interface Session {
  readonly spool: Spool;
  readonly lines: LineWriter;
  readonly ticker: Ticker;
  /** Resolved with the first answer of the database: only then may holds be taken. */
  readonly answered: Promise<void>;
  /**
   * Sends waiting requests away, waits until what runs is settled and posted, then returns the leases and
   * closes the spool. False where the deadline came first; the files stay.
   */
  finish(deadlineMs: number): Promise<boolean>;
}

export interface SessionOptions {
  readonly id: string;
  readonly store: SpoolStore;
  readonly disk: SpoolDisk;
  readonly label: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Somebody else closed the spool. What is open can still be settled in it. */
  readonly onClosed: (session: Session) => void;
  /** A closed spool is wholly posted and gone. */
  readonly onDone: (session: Session) => void;
}

const FINISH_BEAT_MS = 10;
// Half a minute: a database that is well but slow at its start is not given up sooner.
const OPEN_ATTEMPTS = 8;

/** Makes a spool, on disk and in the database, and starts its ticks. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { id, store, disk, clock, timers, log } = options;
  const files = disk.make(id);
  await make(store, id, options.label);
  const spool = new Spool(id);
  const lines = createLineWriter(files, timers, log);
  let finishing = false;
  let onFirstAnswer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    onFirstAnswer = resolve;
  });

  const freeSegments = (): void => {
    // The copies of carried lines must be safe before their originals go.
    if (!lines.isWritable()) return;
    try {
      files.release(spool.neededFrom());
    } catch (error) {
      log.warn({ err: error, spool: id }, "a segment that is wholly posted cannot be deleted");
    }
    for (const { neededFrom, beginLine } of spool.carry(files.carryBefore()))
      if (beginLine) void lines.begin(neededFrom, beginLine);
  };

  const ticker = startTicker({
    spool,
    store,
    label: options.label,
    clock,
    timers,
    log,
    onBeat: () => lines.retry(),
    onAnswer: ({ posted, closed }) => {
      onFirstAnswer();
      lines.posted(posted);
      freeSegments();
      if (!closed || finishing) return;
      spool.purses.sendAway({ kind: "unavailable" });
      options.onClosed(session);
      if (spool.openCount > 0 || spool.unpostedCount > 0) return;
      void ticker.stop();
      files.remove();
      options.onDone(session);
    },
  });

  const session: Session = {
    spool,
    lines,
    ticker,
    answered,
    async finish(deadlineMs) {
      finishing = true;
      spool.purses.sendAway({ kind: "unavailable" });
      const inTime = (): boolean => clock.monotonicMs() < deadlineMs;
      while (spool.openCount > 0 && inTime()) await pause(timers);
      lines.flush();
      while (spool.unpostedCount > 0 && inTime()) {
        spool.hurry();
        ticker.wake();
        await pause(timers);
      }
      await ticker.stop();
      const closed =
        spool.openCount + spool.unpostedCount === 0 && (await close(store, spool, timers, inTime));
      if (closed) files.remove();
      else files.close();
      return closed;
    },
  };
  return session;
}

/** Nobody knows whether what had no answer was made; to make it again does nothing. */
async function make(store: SpoolStore, id: string, label: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await store.open(id, label);
      return;
    } catch (error) {
      if (!(error instanceof LateAnswerError) || attempt === OPEN_ATTEMPTS) throw error;
    }
  }
}

async function close(
  store: SpoolStore,
  { id }: Spool,
  timers: Timers,
  inTime: () => boolean,
): Promise<boolean> {
  do {
    try {
      const state = await store.read(id);
      if (!state || state.closed || (await store.close(id, state.tick))) return true;
    } catch {
      await pause(timers);
    }
  } while (inTime());
  return false;
}

const pause = (timers: Timers): Promise<void> => sleep(timers, FINISH_BEAT_MS);
