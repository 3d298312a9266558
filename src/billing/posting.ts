import { ByteSheet } from "../base/byte-sheet.ts";
import { type Line, writeLine } from "./line.ts";

/** What is known of an ended request beside its lines: needed where the text cannot be read. */
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
 * Ended requests that one tick posts, in the order of their end lines: lists of equal length, and the lines
 * themselves as the bytes that the database is sent.
 */
export class Posting {
  readonly numbers: number[] = [];
  readonly balances: string[] = [];
  readonly holdNanos: bigint[] = [];
  private readonly begins = new ByteSheet();
  private readonly ends = new ByteSheet();

  get size(): number {
    return this.numbers.length;
  }

  /** The highest number; 0 where there is none. */
  get last(): number {
    return this.numbers.at(-1) ?? 0;
  }

  add(hold: EndedHold, begin: Line, end: Line): void {
    this.numbers.push(hold.number);
    this.balances.push(hold.balance);
    this.holdNanos.push(hold.holdNanos);
    writeLine(this.begins, begin);
    writeLine(this.ends, end);
  }

  /** Forgets everything and keeps the room. */
  clear(): void {
    for (const list of [this.numbers, this.balances, this.holdNanos]) list.length = 0;
    this.begins.clear();
    this.ends.clear();
  }

  /** JSON texts in UTF-8 with a newline between them; no bytes where there are no lines. */
  beginLines(): Buffer {
    return withoutLastNewline(this.begins);
  }

  endLines(): Buffer {
    return withoutLastNewline(this.ends);
  }

  /** Each request's lines, in order. */
  pairs(): RequestLines[] {
    const ends = this.endLines().toString().split("\n");
    const begins = this.beginLines().toString().split("\n");
    return this.numbers.map((_, index) => ({ beginLine: begins[index] ?? "", endLine: ends[index] }));
  }
}

function withoutLastNewline(sheet: ByteSheet): Buffer {
  return sheet.view(0, Math.max(0, sheet.length - 1));
}
