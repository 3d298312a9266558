import type { Database, Queryable } from "../../storage/database.ts";
import type { FlushRequest, FlushResult, JournalStore, LeaseState } from "./flush.ts";
import type { LedgerNotification } from "./journal-billing.ts";

/** The store of flushes on PostgreSQL; each statement is a function under migrations/functions/journal. */
export function createJournalStore(database: Database): JournalStore {
  return {
    async open(journal, label) {
      await database.execute("insert into journals (id, label) values ($1, $2) on conflict (id) do nothing", [
        journal,
        label,
      ]);
    },
    async flush(request) {
      return responseOf(await database.query<JournalRow>(FLUSH, valuesOf(request)));
    },
    async read(journal) {
      return responseOf(await database.query<JournalRow>("select * from read_journal($1)", [journal]));
    },
    async listOpen() {
      const rows = await database.query<{ id: string; flush_number: bigint }>(
        "select id, flush_number from journals where not closed",
      );
      return rows.map((row) => ({ journal: row.id, flush: Number(row.flush_number) }));
    },
    async close(journal, flush) {
      const { closed } = await database.one<{ closed: boolean }>("select close_journal($1, $2) as closed", [
        journal,
        flush,
      ]);
      return closed;
    },
  };
}

/** Calls back with each reclaim ("others need it") and each return ("there may be room") of a ledger. */
export function listenForMoney(
  database: Database,
  onNews: (news: LedgerNotification) => void,
): Promise<() => Promise<void>> {
  return database.listen({
    channel: "money",
    onMessage: (payload) => {
      const [kind, ledger, byJournal = ""] = payload.split(" ");
      if ((kind === "reclaim" || kind === "room") && ledger) onNews({ kind, ledger, byJournal });
    },
  });
}

/** The journals on this machine that the database doesn't know or hasn't finished, for `ledger verify`. */
export async function readPostedMarks(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; posted: bigint }>(
    "select id, flushed_through as posted from journals",
  );
  return new Map(rows.map(({ id, posted }) => [id, Number(posted)]));
}

// The driver escapes an array's elements one by one, which at a thousand records costs more than all else in a
// flush. No row holds a line end, so the rows travel as one text, in bytes as they are kept, and are split there.
const FLUSH = `select * from flush_journal($1, $2, $3,
  string_to_array($4, ',')::int8[], string_to_array($5, ','), string_to_array($6, ',')::int8[],
  string_to_array($7, E'\\n'), $8, $9)`;

function valuesOf(request: FlushRequest): unknown[] {
  const { batch: records } = request;
  return [
    request.journal,
    request.flushNumber,
    request.flushedThrough,
    records.numbers.join(","),
    records.balances.join(","),
    records.holdNanos.join(","),
    records.rows(),
    request.interrupted,
    JSON.stringify(
      request.deltas.map((delta) => ({
        ledger: delta.ledger,
        account: String(delta.accountId),
        allowance: delta.allowanceNanos === null ? undefined : String(delta.allowanceNanos),
        release: String(delta.releaseNanos),
        answers_reclaim: delta.answersReclaim,
        grow: String(delta.growNanos),
        demands: delta.demands.map(String),
        prefetch: String(delta.prefetchNanos),
      })),
    ),
  ];
}

/** The first row is the journal's, the others are leases. */
interface JournalRow {
  readonly flush_number: bigint | null;
  readonly flushed_through: bigint;
  readonly closed: boolean;
  readonly applied: boolean;
  readonly ledger: string;
  readonly lease: bigint;
  readonly reclaimed: boolean;
  readonly wallet: bigint;
  readonly leased: bigint;
}

function responseOf(rows: readonly JournalRow[]): FlushResult | undefined {
  let journal: JournalRow | undefined;
  const leases: LeaseState[] = [];
  for (const row of rows) {
    if (row.flush_number !== null) journal = row;
    else {
      const { ledger, lease, reclaimed, wallet, leased } = row;
      leases.push({ ledger, leaseNanos: lease, reclaimed, totalNanos: wallet + leased });
    }
  }
  if (!journal) return undefined;
  const { flush_number: flush, flushed_through: posted, closed, applied } = journal;
  return { flushNumber: Number(flush), posted: Number(posted), closed, applied, leases };
}
