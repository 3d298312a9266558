import type { IncomingMessage } from "node:http";
import { JsonFault } from "../../base/json/json-fault.ts";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import { GatewayError } from "../../errors.ts";
import { type BodyTerms, readBody } from "./body.ts";

/** A repeated `model` is refused, since another reader might take the other one. */
const WATCH = compileWatch(["model"], { unique: ["model"] });

/** A request has a few hundred values; parsing millions of them would stand in everyone's way, and fill the memory. */
const MAX_VALUES = 100_000;

/** How a JSON body is read, and what it may take. */
export interface JsonBodyTerms extends Omit<BodyTerms, "weight"> {
  /** Values that it may have at any depth, if fewer than most bodies. */
  readonly maxValues?: number;
}

export type JsonBody = Readonly<Record<string, unknown>>;

/** As bytes, as text, as values, and as what is made of them. */
const JSON_WEIGHT = 4;

/** Reads a bounded body that must be a JSON object: valid UTF-8, at most 64 deep. Else 400 or 413. `grant` is released. */
export async function readJsonBody(request: IncomingMessage, terms: JsonBodyTerms): Promise<JsonBody> {
  try {
    const chunks = await readJsonChunks(request, terms);
    return JSON.parse(Buffer.concat(chunks).toString()) as JsonBody;
  } finally {
    terms.grant.release();
  }
}

/** As `readJsonBody`, and gives the bytes of that object, whose memory is still held; `onChunk` sees each as it comes. */
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
      // What comes behind that many values is neither scanned nor kept.
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

/** A fault of the body is the caller's: 400 with the scanner's own words. */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new GatewayError("invalid_request", error.message, { param: error.param, cause: error });
  }
}
