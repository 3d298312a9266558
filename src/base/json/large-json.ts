import { createWorkerPool, type Job, joined } from "../async/worker-pool.ts";
import type { JsonMessage, JsonResponse } from "./large-json-worker.ts";

/** Reads and writes JSON of any size; what is large beside the event loop, which it would hold up for everybody. */
export interface LargeJson {
  /** The value of sound JSON: a text, or chunks of UTF-8. */
  parse(json: string | readonly Uint8Array[]): Promise<unknown>;
  /** The JSON of a value that is nothing but data, in UTF-8. */
  write(value: object): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Less is read or written within some milliseconds, sooner than a thread has it. */
const LARGE = 1024 * 1024;

/** Requests with images in them are rare, and each takes a thread for a fifth of a second. */
const WORKERS = 1;
const WAITING = 32;

/** The largest body, 64 MB, as bytes, as text and as values, where each character takes two bytes. */
const HEAP_MB = 1_024;

export function createLargeJson(): LargeJson {
  const pool = createWorkerPool<JsonResponse>({
    entry: new URL("./large-json-worker.ts", import.meta.url),
    workers: WORKERS,
    waiting: WAITING,
    limits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // If a thread cannot do it, for whatever reason, it is done here.
  const aside = async (makeJob: () => Job | Promise<Job>): Promise<JsonResponse | undefined> => {
    try {
      return await pool.run(makeJob);
    } catch {
      return undefined;
    }
  };
  return {
    async parse(json) {
      if (lengthOf(json) < LARGE) return parseHere(json);
      const response = await aside(() => (typeof json === "string" ? textJob(json) : bytesJob(json)));
      return response !== undefined && "value" in response ? response.value : parseHere(json);
    },
    async write(value) {
      if (charactersIn(value) < LARGE) return writeHere(value);
      const response = await aside(() => ({ message: { value } satisfies JsonMessage, moved: [] }));
      return response !== undefined && "json" in response ? response.json : writeHere(value);
    },
    close: () => pool.close(),
  };
}

function textJob(json: string): Job {
  return { message: { json } satisfies JsonMessage, moved: [] };
}

/** The chunks stay the caller's, so a copy moves. */
async function bytesJob(chunks: readonly Uint8Array[]): Promise<Job> {
  const json = await joined(chunks, lengthOf(chunks));
  return { message: { json } satisfies JsonMessage, moved: [json.buffer] };
}

function parseHere(json: string | readonly Uint8Array[]): unknown {
  return JSON.parse(typeof json === "string" ? json : Buffer.concat(json).toString());
}

function writeHere(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function lengthOf(json: string | readonly Uint8Array[]): number {
  return typeof json === "string" ? json.length : json.reduce((sum, chunk) => sum + chunk.length, 0);
}

/** Characters of all texts in it: what of a value can be large. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + charactersIn(each), 0);
}
