import type { Log } from "../observe/log.ts";
import type { Database } from "../storage/database.ts";
import { deletePinsOlderThan, findPin, insertPins, type ResponsePin } from "./stored-responses-store.ts";

/**
 * Remembers which vendor account keeps which stored response, since a request that continues one can
 * be answered nowhere else. Written behind the answer in batches, so that no request waits for the
 * database; a kill -9 may lose the last tenth of a second of pins, and continuing such a response is
 * answered with `previous_response_not_found`, which its caller can act on.
 */
export interface StoredResponses {
  remember(pin: ResponsePin): void;
  /** Undefined when unknown to this account, whoever else may own it. */
  find(accountId: bigint, responseId: string): Promise<ResponsePin | undefined>;
  /** Writes what waits. */
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 100;

/** Recent pins answer from memory: a conversation's next turn comes within minutes. */
const MAX_RECENT = 10_000;

/** With the database away longer than this many pins, the oldest are given up. */
const MAX_WAITING = 50_000;

/** The longest that a vendor is known to keep a response. */
const KEEP_DAYS = 31;

/** Vendors' ids have some 60 characters; the index takes no key beyond 2,700 bytes. */
const MAX_ID_CHARS = 500;

const SWEEP_EVERY_MS = 3_600_000;

export function createStoredResponses(database: Database, log: Log): StoredResponses {
  const recent = new Map<string, ResponsePin>();
  let waiting: ResponsePin[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const write = async (): Promise<void> => {
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      await insertPins(database, batch);
    } catch (err) {
      log.warn({ err, pins: batch.length }, "stored responses could not be pinned yet; will try again");
      waiting = [...batch, ...waiting].slice(-MAX_WAITING);
      schedule();
    }
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => {
      writing = write();
    }, WRITE_EVERY_MS);
  };
  const sweep = setInterval(() => {
    deletePinsOlderThan(database, KEEP_DAYS).catch((err: unknown) =>
      log.warn({ err }, "old response pins stay for now"),
    );
  }, SWEEP_EVERY_MS);
  sweep.unref();

  return {
    remember(pin) {
      if (!isStorable(pin.responseId)) return;
      recent.set(keyOf(pin.accountId, pin.responseId), pin);
      if (recent.size > MAX_RECENT) recent.delete(recent.keys().next().value ?? "");
      waiting.push(pin);
      schedule();
    },
    async find(accountId, responseId) {
      if (!isStorable(responseId)) return undefined;
      return recent.get(keyOf(accountId, responseId)) ?? findPin(database, accountId, responseId);
    },
    async close() {
      clearInterval(sweep);
      clearTimeout(timer);
      await writing;
      await write();
      clearTimeout(timer);
    },
  };
}

/** PostgreSQL keeps no NUL in a text; one in an upstream's id must not hold up the pins beside it. */
function isStorable(responseId: string): boolean {
  return responseId.length <= MAX_ID_CHARS && !responseId.includes("\0");
}

function keyOf(accountId: bigint, responseId: string): string {
  return `${accountId} ${responseId}`;
}
