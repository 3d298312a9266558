import { createHash } from "node:crypto";
import type { Seals } from "../../base/seal.ts";
import type { Log } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import {
  type CallStateRow,
  deleteCallStatesOlderThan,
  findCallStates,
  writeCallStates,
} from "./call-states-store.ts";

/**
 * Remembers the state of calls for clients that send back nothing of a call but what they were asked to run: many chat
 * clients keep no field that they do not know. Written behind the response in batches, sealed, for a day; every process
 * has its own latest in memory. It may forget: a conversation then goes on without, as it would have.
 */
export interface CallStates {
  /** `call` tells it from the account's other calls. A state that is too large is not kept. */
  remember(accountId: bigint, call: string, state: string): void;
  /** The known state of these calls, at once or within a quarter of a second. Never rejects. */
  find(accountId: bigint, calls: readonly string[]): KnownStates | Promise<KnownStates>;
  /** Writes what waits. */
  close(): Promise<void>;
}

/** States by call. */
export type KnownStates = ReadonlyMap<string, string>;

/** Signatures have some hundred bytes; those of the longest thoughts, with their words, a few thousand. */
const MAX_STATE_BYTES = 8 * 1024;

/** Some thousand calls: the next turn comes within minutes. */
const MAX_RECENT_BYTES = 16 * 1024 * 1024;

/** If the database is away, the oldest are given up. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** About what an entry takes beside its state. */
const ENTRY_BYTES = 200;

const MAX_ABSENT_BYTES = 4 * 1024 * 1024;

const WRITE_EVERY_MS = 100;
const WAIT_MS = 250;
const KEEP_HOURS = 24;
const SWEEP_EVERY_MS = 3_600_000;

export function createCallStates(database: Database, seals: Seals, log: Log): CallStates {
  const recent = new ByteBounded(MAX_RECENT_BYTES);
  const waiting = new ByteBounded(MAX_WAITING_BYTES);
  // Most calls have no state, and clients send all of them in each turn.
  const absent = new ByteBounded(MAX_ABSENT_BYTES);
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const write = async (): Promise<void> => {
    timer = undefined;
    const batch = waiting.takeAll();
    if (batch.length === 0) return;
    try {
      await writeCallStates(database, batch.map(sealed));
    } catch (err) {
      log.warn(
        { err, calls: batch.length },
        "tool-call state could not be stored; keeping it in memory only",
      );
    }
  };
  const sealed = ([key, state]: readonly [string, string]): CallStateRow => ({
    key: Buffer.from(key, "hex"),
    sealed: seals.seal(state, boundTo(key)),
  });
  /** Undefined where the master key has changed since. */
  const opened = (text: string, key: string): string | undefined => {
    try {
      return seals.open(text, boundTo(key));
    } catch {
      return undefined;
    }
  };
  const sweep = setInterval(() => {
    deleteCallStatesOlderThan(database, KEEP_HOURS).catch((err: unknown) =>
      log.warn({ err }, "deletion of expired tool-call state failed"),
    );
  }, SWEEP_EVERY_MS);
  sweep.unref();

  async function lookUp(keys: ReadonlyMap<string, string>, known: Map<string, string>): Promise<KnownStates> {
    try {
      const rows = await findCallStates(
        database,
        [...keys.keys()].map((key) => Buffer.from(key, "hex")),
        KEEP_HOURS,
      );
      for (const key of keys.keys()) absent.set(key, "");
      for (const row of rows) {
        const key = row.key.toString("hex");
        const call = keys.get(key);
        absent.delete(key);
        const state = opened(row.sealed, key);
        if (state === undefined || call === undefined) continue;
        recent.set(key, state);
        known.set(call, state);
      }
    } catch (err) {
      log.warn({ err }, "tool-call state could not be read; the conversation continues without it");
    }
    return known;
  }

  return {
    remember(accountId, call, state) {
      if (Buffer.byteLength(state) > MAX_STATE_BYTES) return;
      const key = keyOf(accountId, call);
      absent.delete(key);
      recent.set(key, state);
      waiting.set(key, state);
      timer ??= setTimeout(() => {
        writing = write();
      }, WRITE_EVERY_MS);
    },
    find(accountId, calls) {
      const known = new Map<string, string>();
      const asked = new Map<string, string>();
      for (const call of calls) {
        const key = keyOf(accountId, call);
        const state = recent.get(key);
        if (state !== undefined) known.set(call, state);
        else if (absent.get(key) === undefined) asked.set(key, call);
      }
      if (asked.size === 0) return known;
      const late = new Promise<KnownStates>((resolve) => {
        setTimeout(() => resolve(new Map(known)), WAIT_MS).unref();
      });
      return Promise.race([lookUp(asked, known), late]);
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

/** States by key, the oldest of which make room. */
class ByteBounded {
  readonly #limit: number;
  readonly #states = new Map<string, string>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): string | undefined {
    return this.#states.get(key);
  }

  set(key: string, state: string): void {
    this.delete(key);
    this.#states.set(key, state);
    this.#bytes += state.length + ENTRY_BYTES;
    for (const oldest of this.#states.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.delete(oldest);
    }
  }

  takeAll(): readonly (readonly [string, string])[] {
    const all = [...this.#states];
    this.#states.clear();
    this.#bytes = 0;
    return all;
  }

  delete(key: string): void {
    const state = this.#states.get(key);
    if (state === undefined) return;
    this.#states.delete(key);
    this.#bytes -= state.length + ENTRY_BYTES;
  }
}

function keyOf(accountId: bigint, call: string): string {
  return createHash("sha256").update(`${accountId} ${call}`).digest("hex");
}

/** A row is its call's alone. */
function boundTo(key: string): string {
  return `call_states:${key}`;
}
