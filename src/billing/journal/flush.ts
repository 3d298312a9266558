import type { LeaseDelta } from "../leases/lease.ts";
import type { FlushBatch } from "./flush-batch.ts";

/**
 * The exchange between a process and the database. A request is repeated unchanged until it is answered; `flush` applies it
 * once. A response states the full amount of every ledger that it names.
 */
export interface FlushRequest {
  readonly journal: string;
  /** The flush this process knows; the database does nothing if it has another. */
  readonly flushNumber: number;
  /** The watermark once these records are in. */
  readonly flushedThrough: number;
  readonly batch: FlushBatch;
  /** Begin records whose requests died with their process. */
  readonly interrupted: readonly string[];
  readonly deltas: readonly LeaseDelta[];
}

export interface FlushResult {
  readonly flushNumber: number;
  readonly posted: number;
  readonly closed: boolean;
  /**
   * True: the request took effect now and `leases` are those it touched. False: the flush had moved,
   * nothing was changed, and `leases` are all there are.
   */
  readonly applied: boolean;
  readonly leases: readonly LeaseState[];
}

export interface LeaseState {
  readonly ledger: string;
  /** This journal's lease. */
  readonly leaseNanos: bigint;
  readonly reclaimed: boolean;
  /** The ledger's wallet plus all leases, of every process. */
  readonly totalNanos: bigint;
}

/** The database as the core sees it; the simulation has its own. Rejections mean "nobody knows whether". */
export interface JournalStore {
  /** Makes a journal; again with the same id it does nothing. */
  open(journal: string, label: string): Promise<void>;
  /** undefined = there is no such journal. */
  flush(request: FlushRequest): Promise<FlushResult | undefined>;
  /** undefined = there is no such journal. */
  read(journal: string): Promise<FlushResult | undefined>;
  /** Every journal that is not closed. */
  listOpen(): Promise<readonly { readonly journal: string; readonly flush: number }[]>;
  /** Returns a journal's leases and closes it, unless its flush has moved; gives whether it did. */
  close(journal: string, flush: number): Promise<boolean>;
}
