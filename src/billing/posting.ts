import { ByteSheet } from "../base/byte-sheet.ts";
import type { Line } from "./line.ts";
import type { Purse } from "./purse.ts";
import { linesOfRow, type Row } from "./usage-row.ts";

/** What is known of an ended request beside its row: needed where the text cannot be read. */
export interface EndedHold {
  /** Of the end line. */
  readonly number: number;
  /** Id of the balance, and what was held of it. */
  readonly balance: string;
  readonly holdNanos: bigint;
}

/** The two lines of one request, as JSON; a running one has no end line. */
export interface RequestLines {
  readonly beginLine: string;
  readonly endLine: string | undefined;
}

/**
 * Ended requests that one tick posts, in the order of their end lines: lists of equal length, and the rows
 * themselves as the bytes that the database is sent. A row is that of `usage-row.ts`, or the two lines with a tab between.
 */
export class Posting {
  readonly numbers: number[] = [];
  readonly balances: string[] = [];
  readonly holdNanos: bigint[] = [];
  /** What they charge to each purse, as their holds are forgotten. */
  readonly charges = new Map<Purse, bigint>();
  /** No line that is still needed for these stands in the spool before this number. */
  neededFrom = Number.POSITIVE_INFINITY;
  private readonly sheet = new ByteSheet();

  get size(): number {
    return this.numbers.length;
  }

  /** The highest number; 0 where there is none. */
  get last(): number {
    return this.numbers.at(-1) ?? 0;
  }

  add(hold: EndedHold, row: Row): void {
    this.numbers.push(hold.number);
    this.balances.push(hold.balance);
    this.holdNanos.push(hold.holdNanos);
    row(this.sheet);
    this.sheet.byte(NEWLINE);
  }

  /** Keeps of the hold that was just added what must be known until it is posted: its charge, and where its lines begin. */
  release(purses: readonly Purse[], chargeNanos: bigint, neededFrom: number): void {
    for (const purse of purses) this.charges.set(purse, (this.charges.get(purse) ?? 0n) + chargeNanos);
    this.neededFrom = Math.min(this.neededFrom, neededFrom);
  }

  /** Forgets everything and keeps the room. */
  clear(): void {
    for (const list of [this.numbers, this.balances, this.holdNanos]) list.length = 0;
    this.charges.clear();
    this.neededFrom = Number.POSITIVE_INFINITY;
    this.sheet.clear();
  }

  /** In UTF-8 with a newline between them; no bytes where there are none. */
  rows(): Buffer {
    return this.sheet.view(0, Math.max(0, this.sheet.length - 1));
  }

  /** The lines of the request of this id, if it is here: anybody may ask for an id, so few rows are read. */
  find(requestId: string): RequestLines | undefined {
    const mark = JSON.stringify(requestId);
    // Without its quotes it stands in rows of both kinds.
    if (!this.rows().includes(mark.slice(1, -1))) return undefined;
    return this.pairs().find(({ beginLine }) => beginLine.includes(mark));
  }

  /** Each request's lines, in order. */
  pairs(): RequestLines[] {
    return this.size === 0 ? [] : this.rows().toString().split("\n").map(pairOf);
  }
}

/** The row that can hold whatever its lines do. */
export function rowOfLines(beginLine: Line, endLine: Line): Row {
  return (sheet) => {
    beginLine(sheet);
    sheet.byte(TAB);
    endLine(sheet);
  };
}

function pairOf(row: string): RequestLines {
  if (!row.startsWith("{")) return linesOfRow(row);
  const [beginLine = "", endLine = ""] = row.split("\t");
  return { beginLine, endLine };
}

const TAB = 0x09;
const NEWLINE = 0x0a;
