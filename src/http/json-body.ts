import type { IncomingMessage } from "node:http";
import { JsonFault } from "../base/json-fault.ts";
import { createBodyScan } from "../base/json-scan.ts";
import { compileWatch } from "../base/json-watch.ts";
import { GatewayError } from "../errors.ts";
import { readBody } from "./body.ts";

/** A repeated `model` is refused, since another reader might take the other one. */
const WATCH = compileWatch(["model"], ["model"]);

/** A request has a few hundred values; parsing millions of them would stand in everyone's way, and fill the memory. */
const MAX_VALUES = 100_000;

export type JsonBody = Readonly<Record<string, unknown>>;

/** Reads a bounded body that must be a JSON object: valid UTF-8, at most 64 deep. Else 400 or 413. */
export async function readJsonBody(request: IncomingMessage, limitBytes: number): Promise<JsonBody> {
  const chunks = await readJsonChunks(request, limitBytes);
  return JSON.parse(Buffer.concat(chunks).toString()) as JsonBody;
}

/** As `readJsonBody`, and gives the bytes of that object; `onChunk` sees each as it comes. */
export async function readJsonChunks(
  request: IncomingMessage,
  limitBytes: number,
  onChunk: (chunk: Buffer) => void = () => undefined,
): Promise<Buffer[]> {
  const scanner = createBodyScan(WATCH);
  const chunks = await readBody(request, limitBytes, {
    write(chunk) {
      refusing(() => scanner.write(chunk));
      onChunk(chunk);
    },
  });
  const { values } = refusing(() => scanner.end());
  if (values > MAX_VALUES) {
    throw new GatewayError(
      "invalid_request",
      `The body has ${values} values; at most ${MAX_VALUES} are read.`,
    );
  }
  return chunks;
}

/** A fault of the body is the caller's: 400 with the scanner's own words. */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new GatewayError("invalid_request", error.message, { param: error.param, cause: error });
  }
}
