import { ByteWriter } from "../../base/byte-writer.ts";
import type { Lease } from "../leases/lease.ts";
import { type Row, recordsOfRow } from "../usage-log/usage-row.ts";
import type { JournalRecord } from "./journal-record.ts";

/** The fields of an ended request that are needed if its row can't be parsed. */
export interface EndedHold {
  /** Number of the end record. */
  readonly number: number;
  /** Id of the balance, and what was held of it. */
  readonly balance: string;
  readonly holdNanos: bigint;
}

/** The two records of one request, as JSON; a running one has no end record. */
export interface RequestRecords {
  readonly beginRecord: string;
  readonly endRecord: string | undefined;
}

/**
 * Ended requests that one flush posts, in the order of their end records: lists of equal length, and the rows
 * themselves as the bytes that the database is sent. A row is that of `usage-row.ts`, or the two records with a tab between.
 */
export class FlushBatch {
  readonly numbers: number[] = [];
  readonly balances: string[] = [];
  readonly holdNanos: bigint[] = [];
  /** The total charge per lease, since the holds themselves are dropped. */
  readonly charges = new Map<Lease, bigint>();
  /** No record that is still needed for these stands in the journal before this number. */
  retainFrom = Number.POSITIVE_INFINITY;
  private readonly writer = new ByteWriter();

  get size(): number {
    return this.numbers.length;
  }

  /** The highest number; 0 where there is none. */
  get last(): number {
    return this.numbers.at(-1) ?? 0;
  }

  /** Throws and adds nothing where the row can't be written. */
  add(hold: EndedHold, row: Row): void {
    const { length } = this.writer;
    try {
      row(this.writer);
    } catch (error) {
      this.writer.truncate(length);
      throw error;
    }
    this.writer.byte(NEWLINE);
    this.numbers.push(hold.number);
    this.balances.push(hold.balance);
    this.holdNanos.push(hold.holdNanos);
  }

  /** Keeps of the hold that was just added what must be known until it is posted: its charge, and where its records begin. */
  release(leases: readonly Lease[], chargeNanos: bigint, retainFrom: number): void {
    for (const lease of leases) this.charges.set(lease, (this.charges.get(lease) ?? 0n) + chargeNanos);
    this.retainFrom = Math.min(this.retainFrom, retainFrom);
  }

  /** Forgets everything and keeps the room. */
  clear(): void {
    for (const list of [this.numbers, this.balances, this.holdNanos]) list.length = 0;
    this.charges.clear();
    this.retainFrom = Number.POSITIVE_INFINITY;
    this.writer.clear();
  }

  /** In UTF-8 with a newline between them; no bytes where there are none. */
  rows(): Buffer {
    return this.writer.view(0, Math.max(0, this.writer.length - 1));
  }

  /** The records of the request of this id, if it is here: anybody may ask for an id, so few rows are read. */
  find(requestId: string): RequestRecords | undefined {
    const mark = JSON.stringify(requestId);
    // Without its quotes it stands in rows of both kinds.
    if (!this.rows().includes(mark.slice(1, -1))) return undefined;
    return this.pairs().find(({ beginRecord }) => beginRecord.includes(mark));
  }

  /** Each request's records, in order. */
  pairs(): RequestRecords[] {
    return this.size === 0 ? [] : this.rows().toString().split("\n").map(pairOf);
  }
}

/** The row that can hold whatever its records do. */
export function rowOfRecords(beginRecord: JournalRecord, endRecord: JournalRecord): Row {
  return (writer) => {
    beginRecord(writer);
    writer.byte(TAB);
    endRecord(writer);
  };
}

function pairOf(row: string): RequestRecords {
  if (!row.startsWith("{")) return recordsOfRow(row);
  const [beginRecord = "", endRecord = ""] = row.split("\t");
  return { beginRecord, endRecord };
}

const TAB = 0x09;
const NEWLINE = 0x0a;
