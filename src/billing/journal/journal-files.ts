import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { failpoint } from "../../base/failpoint.ts";
import { unframe } from "./journal-record.ts";

/** The storage of a journal's records. The simulation has one in memory. */
export interface JournalMedium {
  /** Hands framed records to the operating system in one write; throws where that fails. `last` = highest number in it. */
  append(records: Buffer, last: number): void;
  /** Deletes segments in which every record has a lower number. */
  release(retainFrom: number): void;
  /** Records before this number are in the oldest segment, if there are so many that long requests should be carried. */
  carryBefore(): number;
  /** Everything is posted: forget it all. */
  remove(): void;
  /** Keeps everything for whoever recovers it. */
  close(): void;
}

// Small enough that posted records free space soon, large enough that a busy process makes one every few seconds.
const SEGMENT_BYTES = 8 * 1024 * 1024;
// Beyond this many, the begin records of long requests move on, so that an hour-long stream does not keep an
// hour of records.
const MAX_SEGMENTS = 8;

interface Segment {
  readonly path: string;
  last: number;
}

/** Segment files of one journal in `folder`, appended only, deleted when wholly posted. */
export function openJournalFiles(folder: string): JournalMedium {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const segments: Segment[] = [];
  let made = 0;
  let descriptor: number | undefined;
  let size = 0;

  const closeSegment = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };

  const nextSegment = (): number => {
    closeSegment();
    made += 1;
    const path = join(folder, `${String(made).padStart(8, "0")}${SEGMENT_SUFFIX}`);
    const opened = openSync(path, "ax", 0o600);
    segments.push({ path, last: 0 });
    descriptor = opened;
    size = 0;
    return opened;
  };

  return {
    append(records, last) {
      const target = descriptor === undefined || size >= SEGMENT_BYTES ? nextSegment() : descriptor;
      const segment = segments.at(-1);
      try {
        const written = writeSync(target, records);
        if (written !== records.length)
          throw new Error(`only ${written} of ${records.length} bytes were written`);
      } catch (error) {
        // The file may end in half a record now, so nothing is ever written behind it.
        closeSegment();
        throw error;
      }
      size += records.length;
      if (segment) segment.last = Math.max(segment.last, last);
    },
    release(retainFrom) {
      while (segments.length > 0) {
        const [oldest] = segments;
        const current = segments.length === 1 && descriptor !== undefined;
        if (!oldest || current || oldest.last >= retainFrom) return;
        failpoint("journal.segment.before-delete");
        unlinkSync(oldest.path);
        segments.shift();
      }
    },
    carryBefore: () => (segments.length > MAX_SEGMENTS ? (segments[0]?.last ?? 0) + 1 : 0),
    remove() {
      closeSegment();
      segments.length = 0;
      failpoint("journal.segment.before-delete");
      rmSync(folder, { recursive: true, force: true });
    },
    close: closeSegment,
  };
}

const SEGMENT_SUFFIX = ".lines";

export interface JournalContents {
  /** Begin records by number. */
  readonly begins: ReadonlyMap<number, string>;
  /** End records by number, with the number of their begin record. */
  readonly ends: ReadonlyMap<number, { readonly begin: number; readonly json: string }>;
  /** Records that are torn or changed. */
  readonly damaged: number;
}

/** The contents of the journal of a process that has ended. */
export function readJournalFiles(folder: string): JournalContents {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const segments = names.filter((name) => name.endsWith(SEGMENT_SUFFIX));
  return readRecords(segments.map((name) => readFileSync(join(folder, name), "utf8")));
}

/** A record written twice (carried, or written again after a failure) counts once. */
export function readRecords(segments: readonly string[]): JournalContents {
  const begins = new Map<number, string>();
  const ends = new Map<number, { begin: number; json: string }>();
  let damaged = 0;
  for (const text of segments.flatMap((segment) => segment.split("\n"))) {
    if (text === "") continue;
    const record = unframe(text);
    if (!record) {
      damaged += 1;
      continue;
    }
    const { n, begin } = JSON.parse(record.json) as { n: number; begin?: number };
    if (record.kind === "begin") begins.set(n, record.json);
    else ends.set(n, { begin: begin ?? 0, json: record.json });
  }
  return { begins, ends, damaged };
}
