import type { Seals } from "../base/seal.ts";
import type { Database } from "../storage/database.ts";
import { buildCatalog, type CatalogParts, type KindFacts } from "./build-catalog.ts";
import type { Catalog } from "./catalog.ts";
import { readAccountCounts, readCatalogVersion, readGroups, readSettings } from "./catalog-store.ts";
import { readModels } from "./models-store.ts";
import { decodeSettings } from "./settings.ts";
import { readUpstreams } from "./upstreams-store.ts";

/** The catalog as of now, in memory. */
export interface CatalogCache {
  /** The newest known state; what holds it keeps one consistent state however long it takes. */
  current(): Catalog;
  /** Resolves when every change committed before the call is in. Rejects where it cannot be read. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface CatalogCacheOptions {
  readonly database: Database;
  readonly seals: Seals;
  /** src/upstreams/kinds.ts; undefined = no such kind. */
  readonly kindOf: (kind: string) => KindFacts | undefined;
}

/**
 * Loads the catalog and keeps it true: reloaded as a whole on notification, and for a lost one by a
 * version read on the database's steady beat, below 5 s. Rejects where it cannot be loaded at all
 * (SealError under a wrong master key).
 */
export async function createCatalogCache(options: CatalogCacheOptions): Promise<CatalogCache> {
  const { database, seals, kindOf } = options;
  const load = async (): Promise<Catalog> => buildCatalog(await readParts(database, seals), kindOf);
  let catalog = await load();

  const reload = async (): Promise<void> => {
    if ((await readCatalogVersion(database)) !== catalog.version) catalog = await load();
  };
  const refresh = oneAtATime(reload);

  const unlisten = await database.listen({
    channel: "catalog_changed",
    // Its failure is no one's to catch: the beat tries again, and says what is wrong.
    onMessage: () => void refresh().catch(() => undefined),
    refresh,
  });
  return { current: () => catalog, refresh, close: unlisten };
}

/** One snapshot: a change is in it wholly or not at all, together with its version. */
function readParts(database: Database, seals: Seals): Promise<CatalogParts> {
  return database.transaction(
    async (tx) => ({
      version: await readCatalogVersion(tx),
      groups: await readGroups(tx),
      models: await readModels(tx),
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
