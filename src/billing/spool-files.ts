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
import { crashPoint } from "../base/crash-point.ts";
import { unframe } from "./line.ts";

/** Where lines go. The simulation has one in memory. */
export interface SpoolMedium {
  /** Hands framed lines to the operating system in one write; throws where that fails. `last` = highest number in it. */
  append(lines: Buffer, last: number): void;
  /** Deletes segments in which every line has a lower number. */
  release(neededFrom: number): void;
  /** Lines before this number are in the oldest segment, if there are so many that long requests should be carried. */
  carryBefore(): number;
  /** Everything is posted: forget it all. */
  remove(): void;
  /** Keeps everything for whoever adopts it. */
  close(): void;
}

// Small enough that posted lines free space soon, large enough that a busy process makes one every few seconds.
const SEGMENT_BYTES = 8 * 1024 * 1024;
// Beyond this many, the begin lines of long requests move on, so that an hour-long stream does not keep an
// hour of lines.
const MOST_SEGMENTS = 8;

interface Segment {
  readonly path: string;
  last: number;
}

/** Segment files of one spool in `folder`, appended only, deleted when wholly posted. */
export function openSpoolFiles(folder: string): SpoolMedium {
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
    append(lines, last) {
      const target = descriptor === undefined || size >= SEGMENT_BYTES ? nextSegment() : descriptor;
      const segment = segments.at(-1);
      try {
        const written = writeSync(target, lines);
        if (written !== lines.length)
          throw new Error(`only ${written} of ${lines.length} bytes were written`);
      } catch (error) {
        // The file may end in half a line now, so nothing is ever written behind it.
        closeSegment();
        throw error;
      }
      size += lines.length;
      if (segment) segment.last = Math.max(segment.last, last);
    },
    release(neededFrom) {
      while (segments.length > 0) {
        const [oldest] = segments;
        const current = segments.length === 1 && descriptor !== undefined;
        if (!oldest || current || oldest.last >= neededFrom) return;
        crashPoint("spool.segment.before-delete");
        unlinkSync(oldest.path);
        segments.shift();
      }
    },
    carryBefore: () => (segments.length > MOST_SEGMENTS ? (segments[0]?.last ?? 0) + 1 : 0),
    remove() {
      closeSegment();
      segments.length = 0;
      crashPoint("spool.segment.before-delete");
      rmSync(folder, { recursive: true, force: true });
    },
    close: closeSegment,
  };
}

const SEGMENT_SUFFIX = ".lines";

export interface SpoolContents {
  /** Begin lines by number. */
  readonly begins: ReadonlyMap<number, string>;
  /** End lines by number, with the number of their begin line. */
  readonly ends: ReadonlyMap<number, { readonly begin: number; readonly json: string }>;
  /** Lines that are torn or changed. */
  readonly damaged: number;
}

/** What a spool whose process is gone holds. */
export function readSpoolFiles(folder: string): SpoolContents {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const segments = names.filter((name) => name.endsWith(SEGMENT_SUFFIX));
  return readLines(segments.map((name) => readFileSync(join(folder, name), "utf8")));
}

/** A line written twice (carried, or written again after a failure) counts once. */
export function readLines(segments: readonly string[]): SpoolContents {
  const begins = new Map<number, string>();
  const ends = new Map<number, { begin: number; json: string }>();
  let damaged = 0;
  for (const text of segments.flatMap((segment) => segment.split("\n"))) {
    if (text === "") continue;
    const line = unframe(text);
    if (!line) {
      damaged += 1;
      continue;
    }
    const { n, begin } = JSON.parse(line.json) as { n: number; begin?: number };
    if (line.kind === "begin") begins.set(n, line.json);
    else ends.set(n, { begin: begin ?? 0, json: line.json });
  }
  return { begins, ends, damaged };
}
