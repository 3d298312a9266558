import { parentPort } from "node:worker_threads";
import { mediaToInline } from "../conversation/inline.ts";
import type { EncodeTarget } from "../conversation/plan.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import {
  decodeRequest,
  encodeRequest,
  type ReceivedRequest,
  type Translated,
  translationOf,
  type WrittenRequest,
} from "./translate-request.ts";

/** What a worker is sent. */
export interface TranslateMessage {
  readonly request: ReceivedRequest;
  readonly target: EncodeTarget;
}

/** What it answers. `linksMedia`: files must be fetched first, which is not for a worker to do. */
export type TranslateReply = Translated<WrittenRequest> | { readonly linksMedia: true };

parentPort?.on("message", (message: TranslateMessage) => {
  const reply = translate(message);
  // A small body lies in memory that others share, which cannot be moved.
  const buffer = "value" in reply ? reply.value.body.buffer : undefined;
  const isOwn = "value" in reply && buffer?.byteLength === reply.value.body.byteLength;
  parentPort?.postMessage(reply, isOwn && buffer !== undefined ? [buffer] : []);
});

function translate({ request, target }: TranslateMessage): TranslateReply {
  const decoded = decodeRequest(request);
  if ("refused" in decoded) return decoded;
  const { traits } = translationOf(PROTOCOLS[target.origin.protocol]);
  if (mediaToInline(decoded.value, traits, target.quirks).length > 0) return { linksMedia: true };
  return encodeRequest(decoded.value, target);
}
