import type { Database, Queryable } from "../storage/database.ts";
import type { MoneyNews } from "./spool-billing.ts";
import type { PurseState, SpoolStore, TickAnswer, TickRequest } from "./tick.ts";

/** The store of ticks on PostgreSQL; what each statement does is written in migrations 000004, 000015 and 000016. */
export function createSpoolStore(database: Database): SpoolStore {
  return {
    async open(spool, label) {
      await database.execute("insert into spools (id, label) values ($1, $2) on conflict (id) do nothing", [
        spool,
        label,
      ]);
    },
    async tick(request) {
      return answerOf(await database.query<SpoolRow>(TICK, valuesOf(request)));
    },
    async read(spool) {
      return answerOf(await database.query<SpoolRow>("select * from read_spool($1)", [spool]));
    },
    async listOpen() {
      const rows = await database.query<{ id: string; tick: bigint }>(
        "select id, tick from spools where not closed",
      );
      return rows.map(({ id, tick }) => ({ spool: id, tick: Number(tick) }));
    },
    async close(spool, tick) {
      const { closed } = await database.one<{ closed: boolean }>("select close_spool($1, $2) as closed", [
        spool,
        tick,
      ]);
      return closed;
    },
  };
}

/** Calls back with each recall ("others need it") and each return ("there may be room") of a ledger. */
export function listenForMoney(
  database: Database,
  onNews: (news: MoneyNews) => void,
): Promise<() => Promise<void>> {
  return database.listen({
    channel: "money",
    onMessage: (payload) => {
      const [kind, ledger, bySpool = ""] = payload.split(" ");
      if ((kind === "recall" || kind === "room") && ledger) onNews({ kind, ledger, bySpool });
    },
  });
}

/** What of the spools on this machine the database has not heard of or not finished, for `ledger verify`. */
export async function readPostedMarks(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; posted: bigint }>("select id, posted from spools");
  return new Map(rows.map(({ id, posted }) => [id, Number(posted)]));
}

// The driver escapes an array's elements one by one, which at a thousand lines costs more than all else in a
// tick. No row holds a line end, so the rows travel as one text, in bytes as they are kept, and are split there.
const TICK = `select * from tick_spool($1, $2, $3,
  string_to_array($4, ',')::int8[], string_to_array($5, ','), string_to_array($6, ',')::int8[],
  string_to_array($7, E'\\n'), $8, $9)`;

function valuesOf(request: TickRequest): unknown[] {
  const { lines } = request;
  return [
    request.spool,
    request.tick,
    request.upto,
    lines.numbers.join(","),
    lines.balances.join(","),
    lines.holdNanos.join(","),
    lines.rows(),
    request.interrupted,
    JSON.stringify(
      request.asks.map((ask) => ({
        ledger: ask.ledger,
        account: String(ask.accountId),
        ...(ask.allowanceNanos === null ? {} : { allowance: String(ask.allowanceNanos) }),
        give: String(ask.giveNanos),
        recall_seen: ask.recallSeen,
        grow: String(ask.growNanos),
        wants: ask.wants.map(String),
        ahead: String(ask.aheadNanos),
      })),
    ),
  ];
}

/** The first row is the spool's, the others are purses. */
interface SpoolRow {
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

function answerOf(rows: readonly SpoolRow[]): TickAnswer | undefined {
  let spool: SpoolRow | undefined;
  const purses: PurseState[] = [];
  for (const row of rows) {
    if (row.tick !== null) spool = row;
    else {
      const { ledger, lease, recalled, wallet, leased } = row;
      purses.push({ ledger, leaseNanos: lease, recalled, totalNanos: wallet + leased });
    }
  }
  if (!spool) return undefined;
  const { tick, posted, closed, applied } = spool;
  return { tick: Number(tick), posted: Number(posted), closed, applied, purses };
}
