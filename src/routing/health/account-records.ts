import { createLru } from "../../base/lru.ts";
import { AccountRecord } from "./account-record.ts";
import type { FailedPlaces } from "./failed-places.ts";

/** Records at one place, some 300 bytes each; half of them are always there. Who is forgotten is let in, and has no vote. */
const MAX_ACCOUNTS = 512;

/** One account may be the matter itself. */
const BAD_TO_OPEN = 2;

/** The votes of accounts on a place, by their attempts of the last 30 seconds. */
export interface Votes {
  readonly bad: number;
  readonly good: number;
  /** Bad ones that do not count, as requests of the account fail elsewhere too. */
  readonly withdrawn: number;
}

/** True if the votes open the circuit breaker. */
export function hasMajority({ bad, good }: Votes): boolean {
  return bad >= BAD_TO_OPEN && bad > good;
}

/** The recent outcomes of each account at one place. */
export class AccountRecords {
  readonly #failedPlaces: FailedPlaces;
  readonly #records = createLru<bigint, AccountRecord>(MAX_ACCOUNTS);

  constructor(failedPlaces: FailedPlaces) {
    this.#failedPlaces = failedPlaces;
  }

  /** Undefined = it has sent nothing lately. */
  find(account: bigint): AccountRecord | undefined {
    return this.#records.get(account);
  }

  of(account: bigint): AccountRecord {
    let record = this.#records.get(account);
    if (record === undefined) {
      record = new AccountRecord();
      this.#records.set(account, record);
    }
    return record;
  }

  votes(nowMs: number): Votes {
    let bad = 0;
    let good = 0;
    let withdrawn = 0;
    for (const [account, record] of this.#records.entries()) {
      const verdict = record.vote(nowMs);
      if (verdict === "good") good += 1;
      if (verdict !== "bad") continue;
      if (this.#failedPlaces.several({ account, model: record.failedModel }, nowMs)) withdrawn += 1;
      else bad += 1;
    }
    return { bad, good, withdrawn };
  }

  /** Accounts to which the place is closed. */
  closed(): number {
    let count = 0;
    for (const [, record] of this.#records.entries()) if (record.closed) count += 1;
    return count;
  }

  /** The place has recovered. */
  reset(): void {
    for (const [, record] of this.#records.entries()) record.reset();
  }

  get size(): number {
    return this.#records.size();
  }
}
