import type { Posting } from "./posting.ts";
import type { PurseAsk } from "./purse.ts";

/**
 * What a process and the database say to each other. A request is sent until it is answered, never
 * changed; `tick` makes it take effect once. An answer is the whole truth about what it names.
 */
export interface TickRequest {
  readonly spool: string;
  /** The tick this process knows; the database does nothing if it has another. */
  readonly tick: number;
  /** The watermark once these lines are in. */
  readonly upto: number;
  readonly lines: Posting;
  /** Begin lines whose requests died with their process. */
  readonly interrupted: readonly string[];
  readonly asks: readonly PurseAsk[];
}

export interface TickAnswer {
  readonly tick: number;
  readonly posted: number;
  readonly closed: boolean;
  /**
   * True: the request took effect now and `purses` are those it touched. False: the tick had moved,
   * nothing was changed, and `purses` are all there are.
   */
  readonly applied: boolean;
  readonly purses: readonly PurseState[];
}

export interface PurseState {
  readonly ledger: string;
  /** This spool's lease. */
  readonly leaseNanos: bigint;
  readonly recalled: boolean;
  /** The ledger's wallet plus all leases, of every process. */
  readonly totalNanos: bigint;
}

/** The database as the core sees it; the simulation has its own. Rejections mean "nobody knows whether". */
export interface SpoolStore {
  /** Makes a spool; again with the same id it does nothing. */
  open(spool: string, label: string): Promise<void>;
  /** undefined = there is no such spool. */
  tick(request: TickRequest): Promise<TickAnswer | undefined>;
  /** undefined = there is no such spool. */
  read(spool: string): Promise<TickAnswer | undefined>;
  /** Every spool that is not closed. */
  listOpen(): Promise<readonly { readonly spool: string; readonly tick: number }[]>;
  /** Returns a spool's leases and closes it, unless its tick has moved; gives whether it did. */
  close(spool: string, tick: number): Promise<boolean>;
}
