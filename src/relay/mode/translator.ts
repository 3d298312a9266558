import { createWorkerPool, joined, PoolFull, type WorkerLost } from "../../base/async/worker-pool.ts";
import { parseExact } from "../../base/json/exact-json.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import type { JsonObject } from "../../conversation/request.ts";
import { GatewayError } from "../../errors.ts";
import type { TextRequest } from "../text-request.ts";
import type { TranslateMessage, TranslateReply, TranslateResponse } from "./translate-worker.ts";

/** Translates large requests beside the event loop, which they would hold up for everybody. */
export interface Translator {
  /** Rejects with GatewayError where it cannot be done now, or at all. */
  translate(request: TextRequest, target: EncodeTarget, outputLimit?: number): Promise<TranslateReply>;
  close(): Promise<void>;
}

/** A body of this size takes 10 ms or more to parse and write again; smaller ones cost less than the way to a worker. */
export const LARGE_BODY_BYTES = 1024 * 1024;

/** Large bodies are rare: two threads keep up with some 20 of 16 MB a second, and leave the other cores alone. */
const WORKERS = 2;

/** About a second's work; whoever would wait longer is better told so. */
const WAITING = 32;

/** The tree of the largest body, made of the smallest values, and its other forms. More ends that worker alone. */
const HEAP_MB = 2_048;

export function createTranslator(): Translator {
  const pool = createWorkerPool<TranslateResponse>({
    entry: new URL("./translate-worker.ts", import.meta.url),
    workers: WORKERS,
    waiting: WAITING,
    limits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return {
    translate: (request, target, outputLimit) =>
      pool
        .run(async () => {
          // The caller's bytes are needed for an estimate and for other candidates.
          const body = await joined(request.body, request.scan.length);
          const { model, streamed, protocol } = request;
          const received = { protocol: protocol.name, model, streamed, body, outputLimit };
          return {
            message: { request: received, target } satisfies TranslateMessage,
            moved: [body.buffer],
          };
        })
        .then(replyOf, (error: PoolFull | WorkerLost) => {
          throw refusalOf(error);
        }),
    close: () => pool.close(),
  };
}

function replyOf(response: TranslateResponse): TranslateReply {
  if (!("value" in response)) return response;
  return { value: { ...response.value, echo: parseExact(response.value.echo) as JsonObject } };
}

function refusalOf(cause: PoolFull | WorkerLost): GatewayError {
  if (cause instanceof PoolFull) {
    const message = "The gateway is busy with other large requests. Try again shortly.";
    return new GatewayError("service_unavailable", message, { cause, retryAfterSeconds: 1 });
  }
  const message = "The request is too large to translate. Send less at once.";
  return new GatewayError("invalid_request", message, { cause });
}
