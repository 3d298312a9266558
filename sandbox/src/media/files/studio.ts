import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { FileSpec, MadeFile } from "./file-spec.ts";
import type { FileDelivery, FileOrder } from "./worker.ts";

/** Makes files when they are first asked for, and keeps the last ones. */
export interface Studio {
  /** Rejects where the file cannot be made, or when the studio closes meanwhile. */
  make(spec: FileSpec): Promise<MadeFile>;
  /** The number of files that were truly made. */
  made(): number;
  close(): Promise<void>;
}

/** The largest file is about 2 MB: the last few dozen stay, whatever is asked for. */
const CACHE_BYTES = 64 * 1_048_576;

interface Waiting {
  resolve(file: MadeFile): void;
  reject(error: Error): void;
}

export function createStudio(cacheBytes = CACHE_BYTES): Studio {
  const kept = createFileCache(cacheBytes);
  const running = new Map<string, Promise<MadeFile>>();
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let orders = 0;
  let made = 0;

  const failAll = (error: Error): void => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const order = async (spec: FileSpec): Promise<MadeFile> => {
    worker ??= startWorker(waiting, failAll);
    const thread = worker;
    orders += 1;
    const number = orders;
    const file = await new Promise<MadeFile>((resolve, reject) => {
      waiting.set(number, { resolve, reject });
      thread.postMessage({ number, spec } satisfies FileOrder);
    });
    made += 1;
    return file;
  };

  return {
    make(spec) {
      const key = JSON.stringify(spec);
      const known = kept.get(key);
      if (known !== undefined) return Promise.resolve(known);
      const already = running.get(key);
      if (already !== undefined) return already;
      const making = order(spec)
        .then((file) => {
          kept.set(key, file);
          return file;
        })
        .finally(() => running.delete(key));
      running.set(key, making);
      return making;
    },
    made: () => made,
    async close() {
      const thread = worker;
      failAll(new Error("the sandbox is closing"));
      await thread?.terminate();
    },
  };
}

function startWorker(waiting: Map<number, Waiting>, failAll: (error: Error) => void): Worker {
  const worker = import.meta.url.endsWith(".ts")
    ? workerFromSource()
    : new Worker(new URL("./worker.js", import.meta.url));
  worker.unref();
  worker.on("message", (delivery: FileDelivery) => {
    const asked = waiting.get(delivery.number);
    waiting.delete(delivery.number);
    if ("failure" in delivery) asked?.reject(new Error(`a file could not be made: ${delivery.failure}`));
    else asked?.resolve(finished(Buffer.from(delivery.bytes.buffer)));
  });
  let reason = new Error("the thread that makes files has ended");
  worker.on("error", (error: Error) => {
    reason = error;
  });
  worker.on("exit", () => failAll(reason));
  return worker;
}

/** Under test this file is run as it was written, and so must the thread's be: it brings its own loader. */
function workerFromSource(): Worker {
  const loader = import.meta.resolve("tsx/esm/api");
  const entry = new URL("./worker.ts", import.meta.url).href;
  const script = `import(${JSON.stringify(loader)}).then(({ register }) => (register(), import(${JSON.stringify(entry)})))`;
  return new Worker(script, { eval: true });
}

function finished(bytes: Buffer): MadeFile {
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"` };
}

/** Forgets what was used longest ago once the bytes are too many. */
function createFileCache(capacityBytes: number) {
  const files = new Map<string, MadeFile>();
  let bytes = 0;
  return {
    get(key: string): MadeFile | undefined {
      const file = files.get(key);
      if (file === undefined) return undefined;
      files.delete(key);
      files.set(key, file);
      return file;
    },
    set(key: string, file: MadeFile): void {
      files.set(key, file);
      bytes += file.bytes.length;
      for (const [oldest, { bytes: gone }] of files) {
        if (bytes <= capacityBytes || oldest === key) break;
        files.delete(oldest);
        bytes -= gone.length;
      }
    },
  };
}
