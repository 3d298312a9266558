import { createWorkerPool, type Job, joined, PoolFull, WorkerLost } from "../../base/async/worker-pool.ts";
import { parseExact } from "../../base/json/exact-json.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import type { JsonObject } from "../../conversation/request.ts";
import { GatewayError } from "../../errors.ts";
import type { TextRequest } from "../text-request.ts";
import type { TranslateMessage, TranslateReply, TranslateResponse } from "./translate-worker.ts";

/** Translates large requests beside the event loop, which they would hold up for everybody. */
export interface Translator {
  /** Rejects with GatewayError where it cannot be done now, or at all; with the signal's reason when that is aborted. */
  translate(
    request: TextRequest,
    target: EncodeTarget,
    options?: { readonly outputLimit?: number | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<TranslateReply>;
  close(): Promise<void>;
}

/** A body of this size takes 10 ms or more to parse and write again; smaller ones cost less than the way to a worker. */
const LARGE_BODY_BYTES = 1024 * 1024;

/** This many values take as long as a large body, however small they are. Agents' conversations with their tools have fewer. */
const LARGE_BODY_VALUES = 5_000;

/** Some seconds' work. A context of a million tokens, all of it turns of a few words, has fewer. */
const MOST_VALUES = 400_000;

/** Limit for requests with linked media to fetch or with several prompts, which the event loop translates. */
const MOST_VALUES_ON_LOOP = 20_000;

/** Large bodies are rare: two threads keep up with some 20 of 16 MB a second, and leave the other cores alone. */
const WORKERS = 2;

/** Some seconds' work; whoever would wait longer is better told so. Their bodies are held within the memory of bodies. */
const WAITING = 512;
const WAITING_OF_ACCOUNT = 128;

/** Far above the time of the largest body on a busy machine. */
const LIMIT_MS = 30_000;

/** The tree of the largest body, made of the smallest values, and its other forms. More ends that worker alone. */
const HEAP_MB = 2_048;

export function createTranslator(): Translator {
  const pool = createWorkerPool<TranslateResponse>({
    entry: new URL("./translate-worker.ts", import.meta.url),
    workers: WORKERS,
    waiting: WAITING,
    waitingOfOwner: WAITING_OF_ACCOUNT,
    limitMs: LIMIT_MS,
    limits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return {
    async translate(request, target, { outputLimit, signal } = {}) {
      refuseTooManyValues(request, MOST_VALUES);
      const makeJob = async (): Promise<Job> => {
        // The caller's bytes are needed for an estimate and for other candidates.
        const body = await joined(request.body, request.scan.length);
        const { model, streamed, protocol } = request;
        const received = { protocol: protocol.name, model, streamed, body, outputLimit };
        return {
          message: { request: received, target } satisfies TranslateMessage,
          moved: [body.buffer],
        };
      };
      try {
        return replyOf(await pool.run(makeJob, { owner: request.caller.accountId, signal }));
      } catch (error) {
        throw refusalOf(error);
      }
    },
    close: () => pool.close(),
  };
}

function replyOf(response: TranslateResponse): TranslateReply {
  if (!("value" in response)) return response;
  return { value: { ...response.value, echo: parseExact(response.value.echo) as JsonObject } };
}

/** True if a body is left to a worker. */
export function isLargeBody({ scan }: Pick<TextRequest, "scan">): boolean {
  return scan.length > LARGE_BODY_BYTES || scan.values > LARGE_BODY_VALUES;
}

/** Throws GatewayError where a body has more values than can be translated, or than the event loop may translate. */
export function refuseTooManyValues({ scan }: TextRequest, most = MOST_VALUES_ON_LOOP): void {
  if (scan.values <= most) return;
  const message = `The request has too many JSON values (fields and list items) to be translated: at most ${most} are. Send less at once.`;
  throw new GatewayError("invalid_request", message);
}

function refusalOf(cause: unknown): unknown {
  if (!(cause instanceof PoolFull || cause instanceof WorkerLost)) return cause;
  if (cause instanceof PoolFull) {
    const message = "The gateway is busy with other large requests. Try again shortly.";
    return new GatewayError("service_unavailable", message, { cause, retryAfterSeconds: 1 });
  }
  const message = "The request is too large to translate. Send less at once.";
  return new GatewayError("invalid_request", message, { cause });
}
