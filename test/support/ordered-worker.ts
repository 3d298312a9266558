import { parentPort } from "node:worker_threads";

/** A worker that does as it is told, for the tests of the pool. */
export interface Order {
  readonly end?: "throw" | "exit" | "memory";
  readonly forMs?: number;
  /** Is answered with, and moved back. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

export interface Obeyed {
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}

parentPort?.on("message", ({ end, forMs = 0, bytes }: Order) => {
  if (end === "throw") throw new Error("as told");
  if (end === "exit") process.exit(1);
  if (end === "memory") fillMemory();
  setTimeout(
    () => parentPort?.postMessage({ bytes } satisfies Obeyed, bytes === undefined ? [] : [bytes.buffer]),
    forMs,
  );
});

function fillMemory(): never {
  const held: object[] = [];
  for (;;) held.push(new Array(100_000).fill({}));
}
