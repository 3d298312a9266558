import { type ResourceLimits, type Transferable, Worker } from "node:worker_threads";
import { inTurnOfItsOwn } from "./event-loop-batch.ts";

export interface WorkerPoolOptions {
  /**
   * The module that workers run, by its source's name (`.ts`). It answers each message with one message;
   * what it throws ends its worker.
   */
  readonly entry: URL;
  /** Most workers; each is started when there is work for it and none is idle. */
  readonly workers: number;
  /** Most jobs that wait for a worker. */
  readonly waiting: number;
  readonly limits: ResourceLimits;
}

/** A job for a worker, made when one is free, so that what waits is not copied yet. */
export interface Job {
  readonly message: unknown;
  /** Buffers of the message that move to the worker and are not copied. */
  readonly moved: readonly Transferable[];
}

export interface WorkerPool<Response> {
  /**
   * Rejects with PoolFull when too many jobs wait, with WorkerLost when the worker ended over it. Making a job may take
   * several turns of the event loop.
   */
  run(makeJob: () => Job | Promise<Job>): Promise<Response>;
  /** Ends all workers; what runs or waits is lost. */
  close(): Promise<void>;
}

/** More jobs wait than may. */
export class PoolFull extends Error {
  override readonly name = "PoolFull";
}

/** The worker threw, ran out of memory, was ended, or could not be given the job. */
export class WorkerLost extends Error {
  override readonly name = "WorkerLost";
}

interface Waiting<Response> {
  readonly makeJob: () => Job | Promise<Job>;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

/** Threads for work that would hold up everybody else. An idle one keeps no process alive. */
export function createWorkerPool<Response>(options: WorkerPoolOptions): WorkerPool<Response> {
  const idle: Worker[] = [];
  const busy = new Map<Worker, Waiting<Response>>();
  const queue: Waiting<Response>[] = [];
  let closed = false;

  return {
    run: (makeJob) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new WorkerLost("the pool is closed"));
        if (queue.length >= options.waiting) return reject(new PoolFull("too many jobs wait for a worker"));
        queue.push({ makeJob, resolve, reject });
        next();
      }),
    async close() {
      closed = true;
      for (const { reject } of queue.splice(0)) reject(new WorkerLost("the pool was closed"));
      await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()));
    },
  };

  function next(): void {
    if (queue.length === 0 || closed) return;
    const worker = idle.pop() ?? (busy.size < options.workers ? start() : undefined);
    const job = worker === undefined ? undefined : queue.shift();
    if (worker === undefined || job === undefined) return;
    busy.set(worker, job);
    worker.ref();
    void give(worker, job);
  }

  async function give(worker: Worker, { makeJob }: Waiting<Response>): Promise<void> {
    try {
      const made = makeJob();
      const { message, moved } = made instanceof Promise ? await made : made;
      worker.postMessage(message, moved);
    } catch (cause) {
      // No memory for the copy of a large body, say. It is that job's fault alone.
      if (busy.has(worker))
        free(worker)?.reject(new WorkerLost("the worker could not be given its job", { cause }));
      next();
    }
  }

  /** Its job, which is over. */
  function free(worker: Worker): Waiting<Response> | undefined {
    const job = busy.get(worker);
    busy.delete(worker);
    worker.unref();
    idle.push(worker);
    return job;
  }

  function start(): Worker {
    const worker = new Worker(...runnable(options));
    let cause: unknown;
    worker.on("message", (response: Response) => {
      free(worker)?.resolve(response);
      next();
    });
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", () => {
      busy.get(worker)?.reject(new WorkerLost("the worker has ended", { cause }));
      busy.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
      next();
    });
    return worker;
  }
}

/** In a build the module is JavaScript; from sources (tests, `npm run dev`) a worker must learn TypeScript first. */
function runnable({ entry, limits }: WorkerPoolOptions): ConstructorParameters<typeof Worker> {
  if (!import.meta.url.endsWith(".ts")) {
    return [new URL(entry.href.replace(/\.ts$/, ".js")), { resourceLimits: limits }];
  }
  const code = `import("tsx/esm/api").then((tsx) => (tsx.register(), import(${JSON.stringify(entry.href)})))`;
  return [code, { eval: true, resourceLimits: limits }];
}

/** Bytes are copied so fast that this many take a millisecond, the system's pages for them included. */
const COPIED_BYTES = 2 * 1024 * 1024;

/**
 * All chunks in one, in memory of its own, which can be moved to another thread. Large ones are copied over several turns
 * of the event loop, in which others are served.
 */
export async function joined(
  chunks: readonly Uint8Array[],
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(length);
  let at = 0;
  let copied = 0;
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += COPIED_BYTES) {
      const part = chunk.subarray(from, from + COPIED_BYTES);
      if (copied > 0 && copied + part.length > COPIED_BYTES) {
        await new Promise<void>(inTurnOfItsOwn);
        copied = 0;
      }
      whole.set(part, at);
      at += part.length;
      copied += part.length;
    }
  }
  return whole;
}
