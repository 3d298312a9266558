import type { Log } from "../../observe/log.ts";
import type { Database } from "../../storage/database.ts";
import {
  deleteIssuedIdsOlderThan,
  findIssuedIds,
  type IssuedId,
  insertIssuedIds,
} from "./issued-ids-store.ts";
import type { MovedConversations } from "./moved-conversations.ts";
import { upsertMovedConversations } from "./moved-conversations-store.ts";

/**
 * Remembers which vendor account keeps what for whom: stored responses, their items, containers, sounds. A request that
 * names one can be answered nowhere else, and by nobody else. Written behind the response in batches, so that no request
 * waits for the database; a kill -9 may lose the last tenth of a second of ids, which are then as unknown as any other
 * to requests that name them, and their callers can send the content instead.
 */
export interface IssuedIds {
  remember(issued: IssuedId): void;
  /** The owner of each of these ids; one query at most. */
  find(accountId: bigint, ids: readonly string[]): Promise<ReadonlyMap<string, Owner>>;
  /** Writes what waits. */
  close(): Promise<void>;
}

/** The place of an id of this account; "other" = it was issued to other accounts only. Unknown ids have none. */
export type Owner = IssuedId | "other";

const WRITE_EVERY_MS = 100;

/** Recent ids answer from memory: a conversation's next turn comes within minutes. */
const MAX_RECENT = 20_000;

/** If the database is away for longer than this many ids, the oldest are given up. */
const MAX_WAITING = 50_000;

/** The longest that a vendor is known to keep a response. */
const KEEP_DAYS = 31;

/** Vendors' ids have some 60 characters; the index takes no key beyond 2,700 bytes. */
const MAX_ID_CHARS = 500;

const SWEEP_EVERY_MS = 3_600_000;

export function createIssuedIds(
  database: Database,
  log: Log,
  moves?: Pick<MovedConversations, "onWaiting" | "putBack" | "takeWaiting">,
): IssuedIds {
  const recent = new Map<string, IssuedId>();
  let waiting: IssuedId[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const write = async (): Promise<void> => {
    timer = undefined;
    const batch = waiting;
    waiting = [];
    const moved = moves?.takeWaiting() ?? [];
    if (batch.length + moved.length === 0) return;
    try {
      await database.transaction(async (tx) => {
        if (batch.length > 0) await insertIssuedIds(tx, batch);
        if (moved.length > 0) await upsertMovedConversations(tx, moved);
      });
    } catch (err) {
      log.warn(
        { err, ids: batch.length, conversations: moved.length },
        "issued ids and conversation places could not be stored; retrying",
      );
      waiting = [...batch, ...waiting].slice(-MAX_WAITING);
      moves?.putBack(moved);
      schedule();
    }
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => {
      writing = write();
    }, WRITE_EVERY_MS);
  };
  if (moves !== undefined) moves.onWaiting = schedule;
  const sweep = setInterval(() => {
    deleteIssuedIdsOlderThan(database, KEEP_DAYS).catch((err: unknown) =>
      log.warn({ err }, "deletion of expired issued ids failed"),
    );
  }, SWEEP_EVERY_MS);
  sweep.unref();

  return {
    remember(issued) {
      if (!isStorable(issued.id)) return;
      const key = keyOf(issued.accountId, issued.id);
      if (recent.has(key)) return;
      recent.set(key, issued);
      if (recent.size > MAX_RECENT) recent.delete(recent.keys().next().value ?? "");
      waiting.push(issued);
      schedule();
    },
    async find(accountId, ids) {
      const owners = new Map<string, Owner>();
      const asked = ids.filter((id) => {
        const own = recent.get(keyOf(accountId, id));
        if (own !== undefined) owners.set(id, own);
        return own === undefined && isStorable(id);
      });
      if (asked.length === 0) return owners;
      for (const issued of await findIssuedIds(database, asked)) {
        if (issued.accountId === accountId) owners.set(issued.id, issued);
        else if (!owners.has(issued.id)) owners.set(issued.id, "other");
      }
      return owners;
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

/** PostgreSQL keeps no NUL in a text; one in an upstream's id must not hold up the ids beside it. */
function isStorable(id: string): boolean {
  return id.length <= MAX_ID_CHARS && !id.includes("\0");
}

function keyOf(accountId: bigint, id: string): string {
  return `${accountId} ${id}`;
}
