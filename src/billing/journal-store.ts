import type { Database, Queryable } from "../storage/database.ts";
import type { FlushRequest, FlushResult, JournalStore, LeaseState } from "./flush.ts";
import type { MoneyNews } from "./journal-billing.ts";

/** The store of flushes on PostgreSQL; what each statement does is written in migrations 000004, 000015 and 000016. */
export function createJournalStore(database: Database): JournalStore {
  return {
    async open(journal, label) {
      await database.execute("insert into spools (id, label) values ($1, $2) on conflict (id) do nothing", [
        journal,
        label,
      ]);
    },
    async flush(request) {
      return responseOf(await database.query<JournalRow>(FLUSH, valuesOf(request)));
    },
    async read(journal) {
      return responseOf(await database.query<JournalRow>("select * from read_spool($1)", [journal]));
    },
    async listOpen() {
      const rows = await database.query<{ id: string; tick: bigint }>(
        "select id, tick from spools where not closed",
      );
      return rows.map(({ id, tick: flush }) => ({ journal: id, flush: Number(flush) }));
    },
    async close(journal, flush) {
      const { closed } = await database.one<{ closed: boolean }>("select close_spool($1, $2) as closed", [
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
  onNews: (news: MoneyNews) => void,
): Promise<() => Promise<void>> {
  return database.listen({
    channel: "money",
    onMessage: (payload) => {
      const [kind, ledger, byJournal = ""] = payload.split(" ");
      if ((kind === "recall" || kind === "room") && ledger) onNews({ kind, ledger, byJournal });
    },
  });
}

/** What of the journals on this machine the database has not heard of or not finished, for `ledger verify`. */
export async function readPostedMarks(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; posted: bigint }>("select id, posted from spools");
  return new Map(rows.map(({ id, posted }) => [id, Number(posted)]));
}

// The driver escapes an array's elements one by one, which at a thousand records costs more than all else in a
// flush. No row holds a line end, so the rows travel as one text, in bytes as they are kept, and are split there.
const FLUSH = `select * from tick_spool($1, $2, $3,
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
      request.deltas.map((ask) => ({
        ledger: ask.ledger,
        account: String(ask.accountId),
        ...(ask.allowanceNanos === null ? {} : { allowance: String(ask.allowanceNanos) }),
        give: String(ask.releaseNanos),
        recall_seen: ask.answersReclaim,
        grow: String(ask.growNanos),
        wants: ask.demands.map(String),
        ahead: String(ask.prefetchNanos),
      })),
    ),
  ];
}

/** The first row is the journal's, the others are leases. */
interface JournalRow {
  readonly tick: bigint | null;
  readonly posted: bigint;
  readonly closed: boolean;
  readonly applied: boolean;
  readonly ledger: string;
  readonly lease: bigint;
  readonly recalled: boolean;
  readonly wallet: bigint;
  readonly leased: bigint;
}

function responseOf(rows: readonly JournalRow[]): FlushResult | undefined {
  let journal: JournalRow | undefined;
  const leases: LeaseState[] = [];
  for (const row of rows) {
    if (row.tick !== null) journal = row;
    else {
      const { ledger, lease, recalled: reclaimed, wallet, leased } = row;
      leases.push({ ledger, leaseNanos: lease, reclaimed, totalNanos: wallet + leased });
    }
  }
  if (!journal) return undefined;
  const { tick: flush, posted, closed, applied } = journal;
  return { flushNumber: Number(flush), posted: Number(posted), closed, applied, leases };
}
