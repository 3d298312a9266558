import { expect } from "vitest";
import { verifyLedger } from "../../src/billing/ledger/verify.ts";
import type { TestDatabase } from "./database.ts";
import { runSql } from "./embedded.ts";
import type { TestGateway } from "./gateway.ts";
import type { JournalLine } from "./sandbox.ts";
import { waitFor } from "./wait.ts";

/** USD per 1,000,000 tokens by bucket, as the catalog file has them. */
export interface TextPrice {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cache_write_1h: number;
}

/** No two buckets alike, and none a round number of nanos per token. */
export const ODD_PRICE: TextPrice = {
  input: 3.000017,
  output: 15.000259,
  reasoning: 17.000371,
  cache_read: 0.300043,
  cache_write: 3.750061,
  cache_write_1h: 6.000097,
};

/** A price in the words of the catalog file. */
export function priceYaml(price: TextPrice): string {
  return `{ ${Object.entries(price)
    .map(([bucket, usd]) => `${bucket}: ${usd}`)
    .join(", ")} }`;
}

/** The charge of a usage, computed here once more without the gateway's own code. */
export function nanosOf(usage: Readonly<Record<string, number>>, price: TextPrice): bigint {
  const rate = (usd: number): bigint => BigInt(Math.round(usd * 1e9));
  const tokens = (bucket: string): bigint => BigInt(usage[bucket] ?? 0);
  const micro =
    tokens("inputUncached") * rate(price.input) +
    tokens("cacheRead") * rate(price.cache_read) +
    tokens("cacheWrite5m") * rate(price.cache_write) +
    tokens("cacheWrite1h") * rate(price.cache_write_1h) +
    tokens("outputVisible") * rate(price.output) +
    tokens("outputReasoning") * rate(price.reasoning);
  return (micro + 500_000n) / 1_000_000n;
}

/** A row of the usage log. */
export interface UsageRow {
  readonly requestId: string;
  readonly endpoint: string;
  readonly streamed: boolean;
  readonly status: number;
  readonly reason: string;
  readonly estimated: boolean;
  readonly hostile: readonly string[];
  readonly holdNanos: bigint;
  readonly chargeNanos: bigint;
  /** Null where nobody ended the request. */
  readonly recordNumber: bigint | null;
  readonly lastedMs: number;
}

/** The whole usage log. */
export async function readUsageLog(databaseUrl: string): Promise<UsageRow[]> {
  return (await runSql(databaseUrl, `${USAGE_ROWS} order by posted_at, record_number`)).map(usageRowOf);
}

/** The row of a request, once it is posted. Many may wait at once: one statement looks for all of them. */
export function postedRow({ database }: Pick<TestGateway, "database">, requestId = ""): Promise<UsageRow> {
  if (database === undefined) throw new Error("no test holds the database of an embedded gateway");
  const awaited = awaitedRows.get(database) ?? new AwaitedRows(database);
  awaitedRows.set(database, awaited);
  return awaited.row(requestId);
}

const awaitedRows = new WeakMap<TestDatabase, AwaitedRows>();

class AwaitedRows {
  private readonly ids = new Set<string>();
  /** Running, or undefined while nobody waits. */
  private look: Promise<ReadonlyMap<string, UsageRow>> | undefined;
  private readonly test: TestDatabase;

  constructor(test: TestDatabase) {
    this.test = test;
  }

  async row(requestId: string): Promise<UsageRow> {
    this.ids.add(requestId);
    try {
      return await waitFor(`the usage log to hold ${requestId}`, async () => {
        this.look ??= this.lookOnce();
        return (await this.look).get(requestId);
      });
    } finally {
      this.ids.delete(requestId);
    }
  }

  private async lookOnce(): Promise<ReadonlyMap<string, UsageRow>> {
    try {
      const text = `${USAGE_ROWS} where request_id = any($1)`;
      const rows = await this.test.database.query<Record<string, unknown>>(text, [[...this.ids]]);
      return new Map(rows.map(usageRowOf).map((row) => [row.requestId, row]));
    } finally {
      this.look = undefined;
    }
  }
}

const USAGE_ROWS = `
  select request_id, endpoint, streamed, status, reason, estimated, hostile, hold_nanos, charge_nanos, record_number,
         extract(epoch from ended_at - accepted_at) * 1000 as lasted_ms
    from usage`;

function usageRowOf(row: Record<string, unknown>): UsageRow {
  return {
    requestId: String(row["request_id"]),
    endpoint: String(row["endpoint"]),
    streamed: row["streamed"] === true,
    status: Number(row["status"]),
    reason: String(row["reason"]),
    estimated: row["estimated"] === true,
    hostile: row["hostile"] as string[],
    holdNanos: BigInt(String(row["hold_nanos"])),
    chargeNanos: BigInt(String(row["charge_nanos"])),
    recordNumber: row["record_number"] === null ? null : BigInt(String(row["record_number"])),
    lastedMs: Number(row["lasted_ms"]),
  };
}

/** The output of `faregate ledger verify --json`; amounts beyond 2^53 come as text. */
export interface LedgerVerdict {
  readonly ok: boolean;
  readonly breaches: readonly object[];
  readonly quarantined_records: number;
  readonly revenue_nanos: number | string;
  readonly loss_nanos: number | string;
  readonly accounts: readonly { readonly name: string; readonly balance_nanos: number | string }[];
}

/** Asks the judge, and insists on clean books. The command is asked only where no test holds the database. */
export async function cleanLedger(gateway: TestGateway): Promise<LedgerVerdict> {
  const verdict =
    gateway.database === undefined
      ? await commandVerdict(gateway)
      : inWords(await verifyLedger(gateway.database.database, gateway.dataDir));
  expect(verdict).toMatchObject({ ok: true, breaches: [], quarantined_records: 0 });
  return verdict;
}

async function commandVerdict(gateway: TestGateway): Promise<LedgerVerdict> {
  const { code, stdout, stderr } = await gateway.run("ledger", "verify", "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as LedgerVerdict;
}

/** The report as `--json` prints it, amounts as text. */
function inWords(report: object): LedgerVerdict {
  const text = JSON.stringify(report, (_, value) => (typeof value === "bigint" ? value.toString() : value));
  return JSON.parse(text) as LedgerVerdict;
}

/** The balance of an account in nanos. */
export function balanceOf(verdict: LedgerVerdict, account = "acme"): bigint {
  const found = verdict.accounts.find(({ name }) => name === account);
  if (found === undefined) throw new Error(`no account ${account}`);
  return BigInt(found.balance_nanos);
}

/** The id that the gateway sent upstream with a request. */
export function requestIdOf(line: JournalLine): string {
  const headers = line["headers"] as Record<string, string>;
  return headers["x-request-id"] ?? "";
}

/** Nothing is leased, held or waiting any more: every process has posted and closed its journal. */
export async function expectNothingOpen(databaseUrl: string): Promise<void> {
  const [left] = await runSql(
    databaseUrl,
    `select (select count(*)::int from leases) as leases,
            (select count(*)::int from journals where not closed) as journals,
            (select count(*)::int from quarantined_records) as quarantined`,
  );
  expect(left).toEqual({ leases: 0, journals: 0, quarantined: 0 });
}
