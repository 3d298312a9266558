import type { Clock } from "../../base/clock.ts";
import { createLru } from "../../base/lru.ts";
import type { Log } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import {
  deleteOldMovedConversations,
  MOVED_CHANNEL,
  type MovedConversation,
  readMoved,
  readMovedConversations,
} from "./moved-conversations-store.ts";

/**
 * Conversations that were answered elsewhere than at their own place, which is all that must be remembered of any: where
 * they are now, and how much of their history other signers have made. In memory of every process, written behind the response,
 * read at a start and never within a request.
 */
export interface MovedConversations {
  /** Undefined = it is at its own place, or has not been used for half an hour. */
  find(key: string): MovedConversation | undefined;
  /**
   * The same where it differs from `known`; another process's word of it is waited for, at most `ms`. Undefined = nobody has
   * told anything.
   */
  findLate(
    key: string,
    known: MovedConversation | undefined,
    ms: number,
  ): Promise<MovedConversation | undefined>;
  /**
   * True if a request of so many values adds nothing to what the conversation held when it moved, and so is not its next turn.
   * Of a move that another process has told, the first request asked about is taken for the next turn.
   */
  isRepeated(key: string, values: number): boolean;
  /** It was answered there, at a request of so many values. */
  note(moved: MovedConversation, values: number): void;
  /** Takes what is to be written. */
  takeWaiting(): readonly MovedConversation[];
  /** Gives back what could not be written. */
  putBack(moved: readonly MovedConversation[]): void;
  /** Called where something waits that did not before. */
  onWaiting: () => void;
  close(): Promise<void>;
}

/** The prompt caches of vendors are gone by then. */
const IDLE_MINUTES = 30;
const IDLE_MS = IDLE_MINUTES * 60_000;

/** A conversation that goes on where it is is written again this often, so that no process forgets it. */
const TOUCH_MS = 300_000;

/** Some 20 MB; half of them are always there. */
const MAX_KNOWN = 100_000;
const MAX_STORED = 200_000;
const MAX_READ = MAX_KNOWN / 2;

/** If the database is away, the oldest are given up. */
const MAX_WAITING = 50_000;

const SWEEP_EVERY_MS = 300_000;

interface Known {
  readonly moved: MovedConversation;
  /** JSON values of the request that moved; undefined where another process was asked it. */
  values: number | undefined;
  usedMs: number;
  writtenMs: number;
}

export async function openMovedConversations(
  database: Database,
  clock: Clock,
  log: Log,
): Promise<MovedConversations> {
  const known = createLru<string, Known>(MAX_KNOWN);
  const waiting = new Map<string, MovedConversation>();
  /** Requests that wait for word, by the conversation: as many as run at most. */
  const listeners = new Map<string, Set<() => void>>();

  const learn = (moved: MovedConversation, values: number | undefined): void => {
    const nowMs = clock.monotonicMs();
    known.set(moved.key, { moved, values, usedMs: nowMs, writtenMs: nowMs });
  };
  const wait = (moved: MovedConversation): void => {
    // Set anew, the newest is the last to be given up.
    waiting.delete(moved.key);
    waiting.set(moved.key, moved);
    if (waiting.size > MAX_WAITING) waiting.delete(waiting.keys().next().value ?? "");
    moves.onWaiting();
  };
  const heard = (key: string, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const own = listeners.get(key) ?? new Set();
      const done = (): void => {
        clearTimeout(timer);
        own.delete(done);
        if (own.size === 0) listeners.delete(key);
        resolve();
      };
      const timer = setTimeout(done, ms);
      listeners.set(key, own.add(done));
    });
  const moves: MovedConversations = {
    onWaiting: () => undefined,
    find(key) {
      const found = known.get(key);
      if (found === undefined) return undefined;
      const nowMs = clock.monotonicMs();
      if (nowMs - found.usedMs > IDLE_MS) {
        known.delete(key);
        return undefined;
      }
      found.usedMs = nowMs;
      if (nowMs - found.writtenMs > TOUCH_MS) {
        found.writtenMs = nowMs;
        wait(found.moved);
      }
      return found.moved;
    },
    async findLate(key, before, ms) {
      const late = (): MovedConversation | undefined => {
        const found = moves.find(key);
        return found === undefined || (before !== undefined && isSame(before, found)) ? undefined : found;
      };
      return late() ?? (await heard(key, ms).then(late));
    },
    isRepeated(key, values) {
      const found = known.get(key);
      if (found === undefined) return false;
      if (found.values !== undefined) return values <= found.values;
      found.values = values;
      return false;
    },
    note(moved, values) {
      const before = known.get(moved.key)?.moved;
      if (before !== undefined && isSame(before, moved)) return;
      learn(moved, values);
      wait(moved);
    },
    takeWaiting() {
      const taken = [...waiting.values()];
      waiting.clear();
      return taken;
    },
    putBack(moved) {
      for (const each of moved) if (!waiting.has(each.key)) wait(each);
    },
    async close() {
      clearInterval(sweep);
      await unlisten();
    },
  };

  const unlisten = await database.listen({
    channel: MOVED_CHANNEL,
    onMessage(payload) {
      // Conversations that wait here are newer than their notifications.
      for (const moved of readMoved(payload)) {
        if (waiting.has(moved.key)) continue;
        const before = known.get(moved.key);
        // A process gets notifications of its own writes too.
        learn(moved, before !== undefined && isSame(before.moved, moved) ? before.values : undefined);
        for (const hear of listeners.get(moved.key) ?? []) hear();
      }
    },
  });
  try {
    for (const moved of await readMovedConversations(database, IDLE_MINUTES, MAX_READ))
      learn(moved, undefined);
  } catch (error) {
    await unlisten();
    throw error;
  }
  const sweep = setInterval(() => {
    deleteOldMovedConversations(database, IDLE_MINUTES, MAX_STORED).catch((err: unknown) =>
      log.warn({ err }, "deletion of expired conversation places failed"),
    );
  }, SWEEP_EVERY_MS);
  sweep.unref();
  return moves;
}

function isSame(one: MovedConversation, other: MovedConversation): boolean {
  return (
    one.upstreamId === other.upstreamId &&
    one.credentialId === other.credentialId &&
    one.foreignValues === other.foreignValues
  );
}
