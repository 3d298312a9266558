import { GatewayError } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { type FoundKey, findKeys } from "./caller-store.ts";
import type { KeyHasher } from "./key-hasher.ts";

/** Asks the database for a key; undefined = no such key. */
export type KeyLookup = (credential: string) => Promise<FoundKey | undefined>;

/**
 * Looks keys up in batches, one statement at a time: a flood of unknown keys costs a few statements, not
 * one each, and leaves the other connections to those who have a key. Rejects with
 * service_unavailable where the database does not answer; that is never the caller's fault.
 */
export function createKeyLookup(
  database: Database,
  hasher: KeyHasher,
  limitMs = database.timeoutMs * LATE_FACTOR,
): KeyLookup {
  const waiting = new Map<string, Waiter>();
  let running = false;

  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = [...waiting.values()].slice(0, BATCH);
      for (const { credential } of batch) waiting.delete(credential);
      try {
        const hashes = batch.map(({ credential }) => hasher.hash(credential));
        const found = await within(limitMs, findKeys(database, hashes));
        batch.forEach((waiter, index) => {
          waiter.resolve(found.get(hashes[index]?.toString("hex") ?? ""));
        });
      } catch (cause) {
        for (const waiter of batch) waiter.reject(unavailable(cause));
      }
    }
    running = false;
  };

  return (credential) => {
    const already = waiting.get(credential);
    if (already) return already.response;
    if (waiting.size >= MAX_WAITING)
      return Promise.reject(unavailable(new Error("too many keys are being looked up")));
    const { promise: response, resolve, reject } = withResolvers<FoundKey | undefined>();
    waiting.set(credential, { credential, response, resolve, reject });
    if (!running) {
      running = true;
      // After this turn of the event loop, so that what it brings together is asked together.
      setImmediate(() => void run());
    }
    return response;
  };
}

// One index probe each: well under 10 ms of the database's time.
const BATCH = 500;
// 2 MB of the longest keys; whoever comes after that many comes during an attack or an outage.
const MAX_WAITING = 10_000;
// A lookup may also wait for a connection that others use: by default 900 ms in all, since callers are promised an
// answer within a second during an outage.
const LATE_FACTOR = 1.5;

interface Waiter {
  readonly credential: string;
  readonly response: Promise<FoundKey | undefined>;
  resolve(found: FoundKey | undefined): void;
  reject(error: Error): void;
}

function unavailable(cause: unknown): GatewayError {
  return new GatewayError(
    "service_unavailable",
    "The API key can't be checked right now. Try again shortly.",
    {
      retryAfterSeconds: 1,
      cause,
    },
  );
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = withResolvers<never>();
  // One more turn of the event loop, because after a pause of the process the timer is seen before the
  // answer that has long arrived.
  const timer = setTimeout(() => {
    setImmediate(() => reject(new Error(`no response from the database within ${limitMs} ms`)));
  }, limitMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Promise.withResolvers, which Node 20 lacks. */
function withResolvers<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
