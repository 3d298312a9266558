import type { IncomingMessage } from "node:http";
import { JsonFault } from "../../base/json/json-fault.ts";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import { GatewayError } from "../../errors.ts";
import { type BodyTerms, readBody } from "./body.ts";

/** A repeated `model` is refused, because another parser might read the other one. */
const WATCH = compileWatch(["model"], { unique: ["model"] });

/** A request has a few hundred values. Parsing millions of them would block the event loop and fill the memory. */
const MAX_VALUES = 100_000;

/** Limits of a JSON body. */
export interface JsonBodyTerms extends Omit<BodyTerms, "weight"> {
  /** Maximum number of values at any depth, if it is less than for most bodies. */
  readonly maxValues?: number;
}

export type JsonBody = Readonly<Record<string, unknown>>;

/** Such a body is in memory as bytes, as text, as values and as the object that is made of them. */
const JSON_WEIGHT = 4;

/**
 * Reads a bounded body that must be a JSON object: valid UTF-8 and at most 64 levels deep. Throws 400 or 413 otherwise.
 * Releases `grant`.
 */
export async function readJsonBody(request: IncomingMessage, terms: JsonBodyTerms): Promise<JsonBody> {
  try {
    const chunks = await readJsonChunks(request, terms);
    return JSON.parse(Buffer.concat(chunks).toString()) as JsonBody;
  } finally {
    terms.grant.release();
  }
}

/**
 * The same, but also returns the object's bytes, whose memory is still held; `onChunk` gets each chunk as it arrives.
 */
export async function readJsonChunks(
  request: IncomingMessage,
  terms: JsonBodyTerms,
  onChunk: (chunk: Buffer) => void = () => undefined,
): Promise<Buffer[]> {
  const scanner = createBodyScan(WATCH);
  const { maxValues = MAX_VALUES } = terms;
  const weighty = Object.assign({ weight: JSON_WEIGHT }, terms);
  const chunks = await readBody(request, weighty, {
    write(chunk) {
      refusing(() => scanner.write(chunk));
      // Values beyond the limit are neither scanned nor stored.
      refuseManyValues(scanner.values, maxValues);
      onChunk(chunk);
    },
  });
  refuseManyValues(refusing(() => scanner.end()).values, maxValues);
  return chunks;
}

function refuseManyValues(values: number, most: number): void {
  if (values <= most) return;
  throw new GatewayError("invalid_request", `The body has more than ${most} values, which is the limit.`);
}

/** Turns a fault of the body into a 400 with the scanner's message. */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new GatewayError("invalid_request", error.message, { param: error.param, cause: error });
  }
}
