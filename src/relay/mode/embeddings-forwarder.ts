import type { Clock } from "../../base/clock.ts";
import { withChanges } from "../../base/json/change-fields.ts";
import { removeMembers, replaceModel, splice } from "../../base/json/json-splice.ts";
import type { EndUser } from "../../conversation/lower/end-user.ts";
import { GatewayError } from "../../errors.ts";
import { asArray, asObject, type JsonObject } from "../../protocols/json.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { NO_TERMS } from "../admit/conversation-state.ts";
import type { TextRequest } from "../text-request.ts";
import { Forwarder } from "./forward.ts";
import type { Framing } from "./framing.ts";
import { ownChanges, withOwnEdits } from "./own-fields.ts";
import type { WholeForm } from "./whole-response.ts";

/** Field of a native call beyond the embeddings protocol, sent only to that protocol's own vendor. */
const TASK_FIELD = "faregate_task_type";
/** Floats where it is absent. */
const FORMAT_FIELD = "encoding_format";

/**
 * The way of embeddings: forwarded, or in the native form to a vendor that has only that. Vectors come as the caller asked for
 * them, base64 of little-endian floats too, which the official client asks for unless told otherwise and few servers know.
 */
export class EmbeddingsForwarder extends Forwarder {
  override readonly pieces: readonly Uint8Array[];
  private readonly isNative: boolean;
  private readonly wantsBase64: boolean;
  private readonly model: string;

  constructor(request: TextRequest, candidate: Candidate, clock: Clock, endUser?: EndUser) {
    super(request, candidate, {}, clock, NO_TERMS);
    const { scan, body } = request;
    this.model = candidate.model;
    const kind = kindOf(candidate.upstream.kind);
    this.isNative = kind?.embeddingsForm === "native";
    this.wantsBase64 = scan.last(FORMAT_FIELD)?.value === "base64";
    if (this.isNative) {
      const native = withChanges(
        nativeRequest(body, candidate.model),
        candidate.upstream.options?.body ?? {},
      );
      this.pieces = [Buffer.from(JSON.stringify(native))];
    } else {
      const removed =
        this.wantsBase64 && kind?.embedsFloats === true ? [TASK_FIELD, FORMAT_FIELD] : [TASK_FIELD];
      const cuts = removeMembers(
        body,
        removed.flatMap((field) => scan.all(field)),
      );
      const edits = [...replaceModel(scan, candidate.model), ...cuts];
      this.pieces = splice(body, withOwnEdits(edits, ownChanges(request, candidate.upstream, endUser).edits));
    }
  }

  override wholeForm(framing: Framing): WholeForm {
    const { isNative, wantsBase64, model } = this;
    if (!isNative && !wantsBase64) return super.wholeForm(framing);
    return { kind: "vectors", isNative, wantsBase64, model };
  }
}

/** batchEmbedContents: https://ai.google.dev/api/embeddings; throws GatewayError where the input is no text. */
function nativeRequest(body: readonly Buffer[], model: string): JsonObject {
  const asked = asObject(JSON.parse(Buffer.concat(body).toString("utf8"))) ?? {};
  const input = asked["input"];
  const texts = typeof input === "string" ? [input] : asArray(input);
  if (texts.length === 0 || texts.some((text) => typeof text !== "string")) {
    const message = "`input` must be a text or a list of texts; this model's upstream doesn't accept tokens.";
    throw new GatewayError("invalid_request", message, { param: "input" });
  }
  const { dimensions, [TASK_FIELD]: taskType } = asked;
  return {
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      outputDimensionality: typeof dimensions === "number" ? dimensions : undefined,
      taskType: typeof taskType === "string" ? taskType : undefined,
    })),
  };
}
