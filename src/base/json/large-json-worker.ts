import { parentPort } from "node:worker_threads";

/** The message to the thread: JSON to read, or a value to write. */
export type JsonMessage = { readonly json: string | Uint8Array } | { readonly value: object };

/** The thread's response: the other of the two. */
export type JsonResponse = { readonly value: unknown } | { readonly json: Uint8Array };

parentPort?.on("message", (message: JsonMessage) => {
  if ("json" in message) {
    const { json } = message;
    const text =
      typeof json === "string" ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString();
    parentPort?.postMessage({ value: JSON.parse(text) } satisfies JsonResponse);
  } else {
    const json = new TextEncoder().encode(JSON.stringify(message.value));
    parentPort?.postMessage({ json } satisfies JsonResponse, [json.buffer]);
  }
});
