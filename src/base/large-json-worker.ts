import { parentPort } from "node:worker_threads";

/** What the thread is sent: JSON to read, or a value to write. */
export type JsonMessage = { readonly json: string | Uint8Array } | { readonly value: object };

/** What it answers: the other of the two. */
export type JsonAnswer = { readonly value: unknown } | { readonly json: Uint8Array };

parentPort?.on("message", (message: JsonMessage) => {
  if ("json" in message) {
    const { json } = message;
    const text =
      typeof json === "string" ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString();
    parentPort?.postMessage({ value: JSON.parse(text) } satisfies JsonAnswer);
  } else {
    const json = new TextEncoder().encode(JSON.stringify(message.value));
    parentPort?.postMessage({ json } satisfies JsonAnswer, [json.buffer]);
  }
});
