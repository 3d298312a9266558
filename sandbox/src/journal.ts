import { createHash } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import type { JsonObject } from "./json.ts";
import type { ProtocolName } from "./prompt.ts";
import type { Usage } from "./usage.ts";

export type Outcome = "completed" | "aborted-by-client" | `refused:${number}` | `faulted:${string}`;

/** One request and what became of it, written when its response has ended. Credentials never appear. */
export interface JournalEntry {
  n: number;
  /** Unix milliseconds of arrival. */
  at: number;
  protocol: ProtocolName;
  path: string;
  model: string;
  /** First twelve hex digits of the credential's SHA-256; null without one. */
  credential: string | null;
  headers: Record<string, string>;
  stream: boolean;
  request: { sha256: string; bytes: number };
  /** The value of `tag` in a directive. */
  tag: string | null;
  /** Id of the response, as the vendor's client sees it. */
  responseId: string | null;
  produced: { textLength: number; tokens: number; chunks: number; bytes: number };
  /** The true usage, whatever was reported. */
  usage: Usage;
  /** Only of images, videos, assets and files. */
  media?: MediaNote;
  outcome: Outcome;
  /** The HTTP status sent; 0 where the socket went before the headers. */
  status: number;
  closedAtMs: number;
}

export interface MediaNote {
  /** Id of the task or asset. */
  id?: string;
  /** The task's state in the response. */
  told?: string;
  /** The body of a submit, without bytes of images. */
  body?: JsonObject;
  /** Name of the file, and the bytes of it that were asked for. */
  file?: string;
  range?: string;
}

/** The facts that the server knows at the end of a request; headers stay raw until somebody reads them. */
export interface JournalRecord extends Omit<JournalEntry, "n" | "headers"> {
  rawHeaders: readonly string[];
}

export interface Journal {
  add(record: JournalRecord): void;
  /** Entries with n > after, oldest first. */
  after(n: number): Generator<JournalEntry>;
  /** Number of the newest entry; 0 = none. */
  last(): number;
  clear(): void;
  close(): Promise<void>;
}

/** A long fault run makes some ten thousand requests; 200,000 hold ten of them in about 200 MB. */
const DEFAULT_CAPACITY = 200_000;
/** Ten thousand tasks are polled some ten times each while they run: these must not push out their submits. */
const FREQUENT: ReadonlySet<ProtocolName> = new Set<ProtocolName>([
  "image-poll",
  "video-poll",
  "asset-read",
  "file",
]);

const SECRET_HEADERS = new Set([
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
  "cookie",
  "proxy-authorization",
]);

/**
 * An append-only record in memory, the oldest forgotten first, and in a file where one is given. Polls and
 * files are forgotten by themselves: however many there are, every submit stays.
 */
export function createJournal(file: string | undefined, capacity = DEFAULT_CAPACITY): Journal {
  const asked = createRing(capacity);
  const frequent = createRing(Math.ceil(capacity / 2));
  const written = file === undefined ? undefined : createLineFile(file);
  let last = 0;
  return {
    add(record) {
      last += 1;
      const ring = FREQUENT.has(record.protocol) ? frequent : asked;
      ring.add({ n: last, record });
      written?.line(JSON.stringify(readable(last, record)));
    },
    *after(n) {
      for (const { n: at, record } of merged(asked.after(n), frequent.after(n))) yield readable(at, record);
    },
    last: () => last,
    clear() {
      // Numbers go on rising: a reader that asks for what is new never sees a number twice.
      asked.clear();
      frequent.clear();
    },
    close: async () => written?.close(),
  };
}

interface Numbered {
  n: number;
  record: JournalRecord;
}

interface Ring {
  add(entry: Numbered): void;
  /** Entries with n > after that were there when it was called, oldest first. */
  after(n: number): Generator<Numbered>;
  clear(): void;
}

function createRing(capacity: number): Ring {
  const slots: Numbered[] = [];
  let added = 0;
  return {
    add(entry) {
      slots[added % capacity] = entry;
      added += 1;
    },
    *after(n) {
      const end = added;
      for (let at = Math.max(0, end - capacity); at < end; at += 1) {
        const entry = slots[at % capacity];
        // A slot written anew while a slow reader was on its way holds a later entry: it is not ours.
        if (entry !== undefined && entry.n > n && added - at <= capacity) yield entry;
      }
    },
    clear() {
      slots.length = 0;
      added = 0;
    },
  };
}

/** Two rising sequences as one. */
function* merged(left: Generator<Numbered>, right: Generator<Numbered>): Generator<Numbered> {
  let [one, two] = [left.next(), right.next()];
  while (!one.done || !two.done) {
    if (!one.done && (two.done || one.value.n < two.value.n)) {
      yield one.value;
      one = left.next();
    } else if (!two.done) {
      yield two.value;
      two = right.next();
    }
  }
}

function readable(n: number, { rawHeaders, ...record }: JournalRecord): JournalEntry {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = SECRET_HEADERS.has(name) ? "[credential]" : (rawHeaders[index + 1] ?? "");
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { n, ...record, headers };
}

interface LineFile {
  line(text: string): void;
  close(): Promise<void>;
}

/** Lines of one event-loop turn go out in one write. */
function createLineFile(path: string): LineFile {
  const stream: WriteStream = createWriteStream(path, { flags: "a" });
  let waiting = "";
  const flush = (): void => {
    if (waiting === "") return;
    stream.write(waiting);
    waiting = "";
  };
  return {
    line(text) {
      if (waiting === "") setImmediate(flush);
      waiting += `${text}\n`;
    },
    close() {
      flush();
      return new Promise((resolve) => stream.end(resolve));
    },
  };
}

/** Names a credential without revealing it. */
export function fingerprint(credential: string): string {
  return createHash("sha256").update(credential).digest("hex").slice(0, 12);
}
