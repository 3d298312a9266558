import { type ResourceLimits, type Transferable, Worker } from "node:worker_threads";
import { runInOwnTurn } from "./event-loop-batch.ts";

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
  /** Most of them that may be one owner's; absent = all. */
  readonly waitingOfOwner?: number | undefined;
  /** The longest time of a job; a worker that takes longer is ended. Absent = no limit. */
  readonly limitMs?: number | undefined;
  readonly limits: ResourceLimits;
}

/** The owner of a job, and the signal that ends it. */
export interface JobOptions {
  /** Those who wait take turns, however many jobs each has. */
  readonly owner?: unknown;
  /** Aborted: the job is rejected at once. One that runs already ends by itself, and its response is dropped. */
  readonly signal?: AbortSignal | undefined;
}

/** A job for a worker, made when one is free, so that what waits is not copied yet. */
export interface Job {
  readonly message: unknown;
  /** Buffers of the message that move to the worker and are not copied. */
  readonly moved: readonly Transferable[];
}

export interface WorkerPool<Response> {
  /**
   * Rejects with PoolFull when too many jobs wait, with WorkerLost when the worker ended over it or took too long, with the
   * signal's reason when that is aborted. Making a job may take several turns of the event loop.
   */
  run(makeJob: () => Job | Promise<Job>, options?: JobOptions): Promise<Response>;
  /** Ends all workers; what runs or waits is lost. */
  close(): Promise<void>;
}

/** More jobs wait than may. */
export class PoolFull extends Error {
  override readonly name = "PoolFull";
}

/** The worker threw, ran out of memory or time, was ended, or could not be given the job. */
export class WorkerLost extends Error {
  override readonly name = "WorkerLost";
}

interface Waiting<Response> {
  readonly makeJob: () => Job | Promise<Job>;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

interface Running<Response> extends Waiting<Response> {
  readonly tooLong: NodeJS.Timeout | undefined;
}

/** Threads for work that would hold up everybody else. An idle one keeps no process alive. */
export function createWorkerPool<Response>(options: WorkerPoolOptions): WorkerPool<Response> {
  const idle: Worker[] = [];
  const busy = new Map<Worker, Running<Response>>();
  const queue = new TurnQueue<Waiting<Response>>();
  let closed = false;

  return {
    run: (makeJob, { owner, signal } = {}) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new WorkerLost("the pool is closed"));
        if (signal?.aborted === true) return reject(signal.reason);
        const { waiting, waitingOfOwner = waiting } = options;
        if (queue.size >= waiting || queue.sizeOf(owner) >= waitingOfOwner)
          return reject(new PoolFull("too many jobs wait for a worker"));
        const job = { makeJob, resolve, reject };
        queue.add(owner, job);
        signal?.addEventListener("abort", () => {
          queue.remove(owner, job);
          reject(signal.reason);
        });
        next();
      }),
    async close() {
      closed = true;
      for (const { reject } of queue.clear()) reject(new WorkerLost("the pool was closed"));
      await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()));
    },
  };

  function next(): void {
    if (queue.size === 0 || closed) return;
    const worker = idle.pop() ?? (busy.size < options.workers ? start() : undefined);
    const job = worker === undefined ? undefined : queue.next();
    if (worker === undefined || job === undefined) return;
    const { limitMs } = options;
    const tooLong = limitMs === undefined ? undefined : setTimeout(() => void worker.terminate(), limitMs);
    busy.set(worker, { ...job, tooLong });
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
    clearTimeout(job?.tooLong);
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
      const job = busy.get(worker);
      clearTimeout(job?.tooLong);
      job?.reject(new WorkerLost("the worker has ended", { cause }));
      busy.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
      next();
    });
    return worker;
  }
}

/** The waiting items, one of each owner in turn. */
class TurnQueue<Item> {
  /** In the order of their turns. */
  readonly #owners = new Map<unknown, Set<Item>>();
  size = 0;

  sizeOf(owner: unknown): number {
    return this.#owners.get(owner)?.size ?? 0;
  }

  add(owner: unknown, item: Item): void {
    const items = this.#owners.get(owner) ?? new Set();
    this.#owners.set(owner, items.add(item));
    this.size += 1;
  }

  remove(owner: unknown, item: Item): void {
    const items = this.#owners.get(owner);
    if (items?.delete(item) !== true) return;
    this.size -= 1;
    if (items.size === 0) this.#owners.delete(owner);
  }

  next(): Item | undefined {
    for (const [owner, items] of this.#owners) {
      for (const item of items) {
        this.remove(owner, item);
        // An owner with more items goes behind the others.
        if (this.#owners.delete(owner)) this.#owners.set(owner, items);
        return item;
      }
    }
    return undefined;
  }

  clear(): Item[] {
    const items = [...this.#owners.values()].flatMap((each) => [...each]);
    this.#owners.clear();
    this.size = 0;
    return items;
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
        await new Promise<void>(runInOwnTurn);
        copied = 0;
      }
      whole.set(part, at);
      at += part.length;
      copied += part.length;
    }
  }
  return whole;
}
