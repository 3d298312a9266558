import { parentPort } from "node:worker_threads";
import { writeExact } from "../../base/json/exact-json.ts";
import { mediaToInline } from "../../conversation/lower/inline.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import {
  decodeRequest,
  encodeRequest,
  type ReceivedRequest,
  type Translated,
  translationOf,
  type WrittenRequest,
} from "./translate-request.ts";

/** The message to a worker. */
export interface TranslateMessage {
  readonly request: ReceivedRequest;
  readonly target: EncodeTarget;
}

/** `linksMedia`: files must be fetched first, which is not for a worker to do. */
export type TranslateReply = Translated<WrittenRequest> | { readonly linksMedia: true };

/** The worker's reply. `echo` is JSON text, because structured cloning turns exact numbers into doubles. */
export type TranslateResponse =
  | Exclude<TranslateReply, { readonly value: WrittenRequest }>
  | { readonly value: Omit<WrittenRequest, "echo"> & { readonly echo: string } };

parentPort?.on("message", (message: TranslateMessage) => {
  const reply = translate(message);
  // A small body lies in memory that others share, which cannot be moved.
  const buffer = "value" in reply ? reply.value.body.buffer : undefined;
  const isOwn = "value" in reply && buffer?.byteLength === reply.value.body.byteLength;
  const response: TranslateResponse =
    "value" in reply ? { value: { ...reply.value, echo: writeExact(reply.value.echo) } } : reply;
  parentPort?.postMessage(response, isOwn && buffer !== undefined ? [buffer] : []);
});

function translate({ request, target }: TranslateMessage): TranslateReply {
  const decoded = decodeRequest(request);
  if ("refused" in decoded) return decoded;
  const { capabilities } = translationOf(PROTOCOLS[target.origin.protocol]);
  if (mediaToInline(decoded.value, capabilities, target.quirks).length > 0) return { linksMedia: true };
  return encodeRequest(decoded.value, target);
}
