import { createWorkerPool, joined, WorkerLost } from "../../base/async/worker-pool.ts";
import { parseExact, writeExact } from "../../base/json/exact-json.ts";
import { NotAnImage } from "../../conversation/media.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import type { ResponseSummary } from "../../protocols/protocol.ts";
import { OversizedResponse } from "../../protocols/streams/stream-frames.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { OnCall } from "../../protocols/translation.ts";
import { type KnownUpstreams, scrubbedOf } from "../../upstreams/scrub/scrubber.ts";
import type { PlainSummary, ResponseMessage, ResponseRead, ResponseReply } from "./response-worker.ts";
import type { ResponseReading, ResponseTerms } from "./whole-response.ts";

/** A response that is there whole, and what is needed to read it. */
export interface LongResponse {
  readonly chunks: readonly Buffer[];
  readonly upstream: ProtocolName;
  readonly terms: ResponseTerms;
  /** How many responses were joined to this one; 1 = it is one. */
  readonly copies: number;
  readonly onCall?: OnCall | undefined;
}

/** Reads and writes long answers beside the event loop, which they would hold up for everybody. */
export interface ResponseReader {
  /** Like `readWhole`. Rejects with NotAnImage, OversizedResponse, or a bug's error. */
  read(answer: LongResponse): Promise<ResponseReading>;
  /** The response without what is the operator's own. */
  scrub(body: readonly Uint8Array[], catalog: KnownUpstreams): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * From this size on a worker reads a response. Answers of words are smaller, and images are rare; made of the smallest values,
 * so much is read and written in some ten milliseconds.
 */
export const LONG_BYTES = 256 * 1024;

/** Vectors that pass as they came are not parsed, but counted over, fifty times as fast. */
const LONG_VECTORS_BYTES = 8 * 1024 * 1024;

/** Twice what a batch of 2,048 vectors has. To count more of them, or to parse what they enclose, takes up to seconds. */
const MAX_BRACKETS = 16 * 1024;

/** Each has a copy of a response, its text and its values beside the memory that answers are bounded by. */
const WORKERS = 1;

/** All that wait hold their memory, which is bounded for all together (`response-memory.ts`). */
const WAITING = Number.POSITIVE_INFINITY;

/** The tree of the largest answer, made of the smallest values, and its other forms. More ends that worker alone. */
const HEAP_MB = 2_048;

/** Counts, ids, the beginning of a text: more is no response, and would hold up the event loop. */
const MAX_SUMMARY_CHARACTERS = 1024 * 1024;

/** True if this response is left to a worker. */
export function isLong(chunks: readonly Buffer[], bytes: number, { form, client }: ResponseTerms): boolean {
  if (bytes <= LONG_BYTES) return false;
  const areVectors = PROTOCOLS[client].endpoint.makes === "embedding" && form.kind === "as-it-came";
  return !areVectors || bytes > LONG_VECTORS_BYTES || !areFlat(chunks);
}

/** Lists of numbers and little else: nothing that is read slowly. */
function areFlat(chunks: readonly Buffer[]): boolean {
  let brackets = 0;
  for (const chunk of chunks) {
    for (const bracket of SLOW_BYTES) {
      for (let at = chunk.indexOf(bracket); at !== -1; at = chunk.indexOf(bracket, at + 1)) {
        brackets += 1;
        if (brackets > MAX_BRACKETS) return false;
      }
    }
  }
  return true;
}

/** Brackets, and what escapes begin with. */
const SLOW_BYTES = ["[", "]", "{", "}", "\\"].map((letter) => letter.charCodeAt(0));

/** `maxBytes`: of a response as its caller reads it. */
export function createResponseReader(maxBytes: number): ResponseReader {
  const pool = createWorkerPool<ResponseReply>({
    entry: new URL("./response-worker.ts", import.meta.url),
    workers: WORKERS,
    waiting: WAITING,
    limits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const run = async (
    chunks: readonly Uint8Array[],
    rest: Rest<ResponseMessage>,
  ): Promise<Exclude<ResponseReply, { readonly thrown: unknown }>> => {
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const reply = await pool
      .run(async () => {
        const body = await joined(chunks, length);
        return { message: { ...rest, body } satisfies ResponseMessage, moved: [body.buffer] };
      })
      .catch((lost: Error) => {
        throw reasonOf(lost);
      });
    if ("thrown" in reply) throw thrownIn(reply.thrown);
    return reply;
  };

  return {
    async read({ chunks, upstream, copies, terms, onCall }) {
      const { sent, echo } = withoutEcho(terms);
      const reply = await run(chunks, {
        upstream,
        copies,
        terms: sent,
        echo,
        wantsCalls: onCall !== undefined,
      });
      if (!("read" in reply)) throw new Error("impossible: another job's reply");
      const { read } = reply;
      if (read.summary.length > MAX_SUMMARY_CHARACTERS)
        throw new OversizedResponse(`counts and ids of more than ${MAX_SUMMARY_CHARACTERS} letters`);
      if (onCall !== undefined) for (const call of read.calls) onCall(call);
      return readingOf(read, chunks, maxBytes);
    },
    async scrub(body, { allUpstreams }) {
      const reply = await run(body, { upstreams: allUpstreams.map(scrubbedOf) });
      if (!("scrubbed" in reply)) throw new Error("impossible: another job's reply");
      return reply.scrubbed;
    },
    close: () => pool.close(),
  };
}

type Rest<Message> = Message extends unknown ? Omit<Message, "body"> : never;

/** Threads hand each other numbers as doubles only, so what the caller's own fields say goes as JSON. */
function withoutEcho(terms: ResponseTerms): { readonly sent: ResponseTerms; readonly echo: string } {
  const { form } = terms;
  if (form.kind !== "written") return { sent: terms, echo: "{}" };
  const { echo } = form.conversion.frame;
  const conversion = { ...form.conversion, frame: { ...form.conversion.frame, echo: {} } };
  return { sent: { ...terms, form: { ...form, conversion } }, echo: writeExact(echo) };
}

function readingOf(
  { summary, finished, passed }: ResponseRead,
  chunks: readonly Buffer[],
  maxBytes: number,
): ResponseReading {
  const read = { summary: summaryOf(parseExact(summary) as PlainSummary), finished };
  if (passed === undefined) return read;
  if ("error" in passed) {
    if (passed.error.length > MAX_SUMMARY_CHARACTERS)
      throw new OversizedResponse(`an error of more than ${MAX_SUMMARY_CHARACTERS} letters`);
    return { ...read, passed: { error: parseExact(passed.error) as ErrorIn<ResponseReading> } };
  }
  const { body, losses } = passed;
  if (body !== undefined && body.byteLength > maxBytes)
    throw new OversizedResponse(`what makes more than ${maxBytes} bytes for its caller`);
  return { ...read, passed: { body: body === undefined ? chunks : [body], losses } };
}

type ErrorIn<Reading extends ResponseReading> = Extract<
  NonNullable<Reading["passed"]>,
  { readonly error: unknown }
>["error"];

function summaryOf({ text, parts, ...summary }: PlainSummary): ResponseSummary {
  return {
    ...summary,
    outputText: () => text,
    parts: parts?.map(summaryOf),
  };
}

function thrownIn({
  name,
  message,
  stack,
}: Extract<ResponseReply, { readonly thrown: unknown }>["thrown"]): Error {
  if (name === "NotAnImage") return new NotAnImage(message);
  // The written response may exceed the longest possible string.
  if (name === "OversizedResponse" || name === "RangeError") return new OversizedResponse(message);
  return Object.assign(new Error(message), { name, stack });
}

function reasonOf(lost: Error): Error {
  const { cause } = lost;
  const isFull = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
  return lost instanceof WorkerLost && isFull
    ? new OversizedResponse("what takes more memory to read than there is")
    : lost;
}
