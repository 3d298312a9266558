import type { Database } from "../../storage/database.ts";
import { journalsOnDisk, openJournalDisk } from "../journal/journal-disk.ts";
import { readPostedMarks } from "../journal/journal-store.ts";
import {
  findBreaches,
  LEDGER_RULES,
  limitStatements,
  readAccountBalances,
  readTotals,
} from "./verify-store.ts";

/** The output of `faregate ledger verify --json`; amounts in nanos. */
export interface LedgerReport {
  readonly ok: boolean;
  readonly breaches: readonly LedgerBreach[];
  readonly revenue_nanos: bigint;
  readonly loss_nanos: bigint;
  readonly funding_nanos: bigint;
  /** Records the database refused; the platform paid for them, and an operator should look. */
  readonly quarantined_records: number;
  /** Finished requests that stand only in journals of this data dir; null where none was given. No breach. */
  readonly unposted_records: number | null;
  readonly accounts: readonly {
    readonly name: string;
    readonly balance_nanos: bigint;
    readonly available_nanos: bigint;
  }[];
}

export interface LedgerBreach {
  readonly rule: string;
  /** The rule in words. */
  readonly says: string;
  readonly subject: string;
  readonly found: string;
  readonly expected: string;
}

/** The check reads every transfer ever made; it holds no locks that anybody waits for. */
const STATEMENT_LIMIT_MS = 600_000;

/**
 * Recomputes every balance and checks every rule of the books in one snapshot; changes nothing. Each rule may take
 * `limitMs`.
 */
export async function verifyLedger(
  database: Database,
  dataDir?: string,
  limitMs = STATEMENT_LIMIT_MS,
): Promise<LedgerReport> {
  return database.transaction(
    async (tx) => {
      await limitStatements(tx, limitMs);
      const breaches: LedgerBreach[] = [];
      for (const { rule, says, finds } of LEDGER_RULES) {
        for (const finding of await findBreaches(tx, finds)) breaches.push({ rule, says, ...finding });
      }
      const totals = await readTotals(tx);
      const accounts = await readAccountBalances(tx);
      return {
        ok: breaches.length === 0,
        breaches,
        revenue_nanos: totals.revenueNanos,
        loss_nanos: totals.absorbedLossNanos,
        funding_nanos: totals.fundingNanos,
        quarantined_records: Number(totals.quarantinedRecords),
        unposted_records: dataDir === undefined ? null : countUnposted(dataDir, await readPostedMarks(tx)),
        accounts: accounts.map(({ name, balanceNanos, availableNanos }) => ({
          name,
          balance_nanos: balanceNanos,
          available_nanos: availableNanos,
        })),
      };
    },
    { isolation: "repeatable read", readOnly: true },
  );
}

function countUnposted(dataDir: string, posted: ReadonlyMap<string, number>): number {
  const disk = openJournalDisk(dataDir);
  let count = 0;
  for (const journal of journalsOnDisk(dataDir)) {
    const { ends } = disk.read(journal);
    const mark = posted.get(journal) ?? 0;
    for (const number of ends.keys()) if (number > mark) count += 1;
  }
  return count;
}
