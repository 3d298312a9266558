import { replaceModel, splice } from "../../base/json/json-splice.ts";
import type { Model } from "../../catalog/catalog.ts";
import { mediaToInline } from "../../conversation/lower/inline.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { bodyChangesAt } from "../../upstreams/body-form.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { quirksOf } from "../../upstreams/upstream-quirks.ts";
import { NO_TERMS } from "../admit/conversation-state.ts";
import { ownChanges, withOwnEdits } from "../mode/own-fields.ts";
import { targetOf } from "../mode/translate.ts";
import { decodeRequest, encodeRequest, translationOf } from "../mode/translate-request.ts";
import { isLargeBody } from "../mode/translator.ts";
import type { TextRequest } from "../text-request.ts";

type Counted = Pick<TextRequest, "id" | "protocol" | "model" | "body" | "scan" | "headers">;

/**
 * A request as an upstream is given it to count. undefined = it has no such form there, or would have to be fetched for or
 * translated by a worker; it is then counted here.
 */
export function countedBody(request: Counted, candidate: Candidate, model: Model): Uint8Array | undefined {
  const { protocol, body, scan } = request;
  if (protocol.name === candidate.protocol) {
    const edits = protocol.forward.modelInBody ? replaceModel(scan, candidate.model) : [];
    const own = ownChanges(request, candidate.upstream, undefined, true);
    return Buffer.concat(splice(body, withOwnEdits(edits, own.edits)));
  }
  if (isLargeBody(request)) return undefined;
  const received = {
    protocol: protocol.name,
    model: request.model,
    streamed: false,
    body: Buffer.concat(body),
  };
  const decoded = decodeRequest(received);
  if ("refused" in decoded) return undefined;
  const quirks = quirksOf(candidate, model.quirks);
  const { capabilities } = translationOf(PROTOCOLS[candidate.protocol]);
  if (mediaToInline(decoded.value, capabilities, quirks).length > 0) return undefined;
  const target = targetOf(request, candidate, model, quirks, [], NO_TERMS, undefined);
  const encoded = encodeRequest(decoded.value, { ...target, changes: bodyChangesAt(candidate, true) });
  return "refused" in encoded ? undefined : encoded.value.body;
}
