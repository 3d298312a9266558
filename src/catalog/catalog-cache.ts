import { type Clock, systemClock } from "../base/clock.ts";
import type { Seals } from "../base/seal.ts";
import type { Database } from "../storage/database.ts";
import { buildCatalog, type CatalogParts, type KindsOf } from "./build-catalog.ts";
import type { Catalog } from "./catalog.ts";
import { readAccountCounts, readCatalogVersion, readGroups, readSettings } from "./catalog-store.ts";
import { nextBeginMs, pricedAt } from "./coming-prices.ts";
import { readModels } from "./models-store.ts";
import { decodeSettings } from "./settings.ts";
import { readUpstreams } from "./upstreams-store.ts";

/** The catalog as of now, in memory. */
export interface CatalogCache {
  /**
   * The newest known state, with the prices of now or of this moment, in milliseconds since 1970, which must be now; what holds
   * it keeps one consistent state however long it takes.
   */
  current(atMs?: number): Catalog;
  /** Resolves when every change committed before the call is in. Rejects where it cannot be read. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface CatalogCacheOptions {
  readonly database: Database;
  readonly seals: Seals;
  /** src/upstreams/kinds.ts; undefined = no such kind. */
  readonly kindOf: KindsOf;
  /** Absent = the machine's. */
  readonly clock?: Pick<Clock, "nowMs">;
}

/**
 * Loads the catalog and keeps it true: reloaded as a whole on notification, and for a lost one by a
 * version read on the database's steady beat, below 5 s. A price that was written ahead holds from its moment on without
 * either, as the database may be silent then. Rejects where it cannot be loaded at all
 * (SealError under a wrong master key).
 */
export async function createCatalogCache(options: CatalogCacheOptions): Promise<CatalogCache> {
  const { database, seals, kindOf, clock = systemClock } = options;
  const build = (parts: CatalogParts, atMs: number): Built => {
    const models = parts.models.map((model) => pricedAt(model, atMs));
    return { parts, catalog: buildCatalog({ ...parts, models }, kindOf), untilMs: nextBeginMs(models) };
  };
  const load = async (): Promise<Built> => build(await readParts(database, seals), clock.nowMs());
  let built = await load();
  const current = (atMs = clock.nowMs()): Catalog => {
    if (atMs >= built.untilMs) built = build(built.parts, atMs);
    return built.catalog;
  };

  const reload = async (): Promise<void> => {
    if ((await readCatalogVersion(database)) !== built.parts.version) built = await load();
  };
  const refresh = oneAtATime(reload);

  const unlisten = await database.listen({
    channel: "catalog_changed",
    // Its failure is no one's to catch: the beat tries again, and says what is wrong.
    onMessage: () => void refresh().catch(() => undefined),
    refresh,
  });
  return { current, refresh, close: unlisten };
}

/** Before any price began: what is built anew as time goes on needs all of them. */
const LONG_AGO_MS = Number.NEGATIVE_INFINITY;

/** A catalog with what it was built of. */
interface Built {
  readonly parts: CatalogParts;
  readonly catalog: Catalog;
  /** When a price that was written ahead makes it another; Infinity = never. */
  readonly untilMs: number;
}

/** One snapshot: a change is in it wholly or not at all, together with its version. */
function readParts(database: Database, seals: Seals): Promise<CatalogParts> {
  return database.transaction(
    async (tx) => ({
      version: await readCatalogVersion(tx),
      groups: await readGroups(tx),
      models: await readModels(tx, LONG_AGO_MS),
      upstreams: await readUpstreams(tx, seals),
      settings: decodeSettings(await readSettings(tx)),
      accounts: await readAccountCounts(tx),
    }),
    { isolation: "repeatable read", readOnly: true },
  );
}

/** Calls during a run are answered together by one more run, which sees what happened before them. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    return run();
  };
  return () => {
    if (next) return next;
    next = last.then(begin, begin);
    last = next;
    return next;
  };
}
