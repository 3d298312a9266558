import type { Database } from "../../storage/database.ts";
import { readDatabaseSeconds, readTrafficSince, type TrafficCell } from "./traffic-store.ts";

/** The last minutes of the usage log of all processes, in slots of equal length. */
export interface TrafficWindow {
  readonly slotSeconds: number;
  /** Number of the newest slot, which is still filling, and the cells of every slot of the window that has any. */
  read(): Promise<TrafficView>;
}

export interface TrafficView {
  readonly newest: number;
  readonly slots: ReadonlyMap<number, readonly TrafficCell[]>;
}

/** A transaction that posts may have begun so long before its rows are seen. */
const SETTLE_SECONDS = 10;

/** Everybody who looks within this time sees the same. */
const FRESH_SECONDS = 1;

export interface WindowOptions {
  readonly database: Database;
  readonly slotSeconds: number;
  /** The number of slots that are kept. */
  readonly slots: number;
}

/**
 * Reads each slot of the log once: what has settled is remembered, so that however many look on and however
 * busy the gateway is, a look costs the rows of the last seconds. Nothing is read while nobody looks.
 */
export function createTrafficWindow({ database, slotSeconds, slots }: WindowOptions): TrafficWindow {
  let cells = new Map<number, TrafficCell[]>();
  let settled = 0;
  let newest = 0;
  let readAt = 0;
  let reading: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    const now = await readDatabaseSeconds(database);
    if (now - readAt < FRESH_SECONDS && now >= readAt) return;
    newest = Math.floor(now / slotSeconds);
    const oldest = newest - slots + 1;
    // Settled slots are in the future only if the clock was set back: then no known slot counts.
    const from = settled > newest ? oldest : Math.max(oldest, settled);
    const found = await readTrafficSince(database, { sinceSeconds: from * slotSeconds, slotSeconds });
    const kept = [...cells].filter(([slot]) => slot >= oldest && slot < from);
    cells = new Map(kept);
    for (const cell of found) {
      const slot = cells.get(Number(cell.slot));
      if (slot === undefined) cells.set(Number(cell.slot), [cell]);
      else slot.push(cell);
    }
    settled = Math.floor((now - SETTLE_SECONDS) / slotSeconds);
    readAt = now;
  };

  return {
    slotSeconds,
    async read() {
      reading ??= refresh().finally(() => {
        reading = undefined;
      });
      await reading;
      return { newest, slots: cells };
    },
  };
}
