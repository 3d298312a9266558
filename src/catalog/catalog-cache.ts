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

/** The current catalog, in memory. */
export interface CatalogCache {
  /**
   * Returns the newest known state with the prices of now; `atMs` is the current time in milliseconds since 1970, if
   * the caller has read it already. A returned catalog never changes, however long it is kept.
   */
  current(atMs?: number): Catalog;
  /** Resolves once every change committed before the call is included. Rejects if the database can't be read. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface CatalogCacheOptions {
  readonly database: Database;
  readonly seals: Seals;
  /** src/upstreams/kinds.ts; undefined = there is no such kind. */
  readonly kindOf: KindsOf;
  /** Absent = the machine's. */
  readonly clock?: Pick<Clock, "nowMs">;
}

/**
 * Loads the catalog and keeps it current. It is reloaded as a whole on notification and, in case one is lost, when the
 * version that is polled every 5 s at most has changed. Prices written ahead take effect at their moment without the
 * database, which may not respond then. Rejects if the catalog can't be loaded at all (SealError under a wrong master
 * key).
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
    // Nobody handles this failure: the next poll tries again and logs it.
    onMessage: () => void refresh().catch(() => undefined),
    refresh,
  });
  return { current, refresh, close: unlisten };
}

/** Earlier than the beginning of any price: a catalog that is rebuilt as time passes needs all of them. */
const LONG_AGO_MS = Number.NEGATIVE_INFINITY;

/** A catalog and the rows that it was built from. */
interface Built {
  readonly parts: CatalogParts;
  readonly catalog: Catalog;
  /** The moment at which the next price written ahead changes it; Infinity = never. */
  readonly untilMs: number;
}

/** Reads everything in one snapshot: a change is included together with its version, or not at all. */
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

/** Calls that arrive during a run share one further run, which sees everything that happened before them. */
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
