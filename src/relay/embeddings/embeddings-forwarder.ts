import type { Clock } from "../../base/clock.ts";
import { withChanges } from "../../base/json/change-fields.ts";
import { removeMembers, replaceModel, splice } from "../../base/json/json-splice.ts";
import type { EndUser } from "../../conversation/lower/end-user.ts";
import { asObject } from "../../protocols/json.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { type EmbeddingsFormName, kindOf } from "../../upstreams/kinds.ts";
import { NO_TERMS } from "../admit/conversation-state.ts";
import { Forwarder } from "../mode/forward.ts";
import type { Framing } from "../mode/framing.ts";
import { ownChanges, withOwnEdits } from "../mode/own-fields.ts";
import type { WholeForm } from "../mode/whole-response.ts";
import type { TextRequest } from "../text-request.ts";
import { formedRequest } from "./embeddings-forms.ts";

/** Field of a native call beyond the embeddings protocol, sent only to that protocol's own vendor. */
const TASK_FIELD = "faregate_task_type";
/** Floats where it is absent. */
const FORMAT_FIELD = "encoding_format";

/**
 * The way of embeddings: forwarded, or in the vendor's own form where it has only that. Vectors come as the caller asked for
 * them, base64 of little-endian floats too, which the official client asks for unless told otherwise and few servers know.
 */
export class EmbeddingsForwarder extends Forwarder {
  override readonly pieces: readonly Uint8Array[];
  private readonly form: EmbeddingsFormName | undefined;
  private readonly wantsBase64: boolean;
  private readonly model: string;

  constructor(request: TextRequest, candidate: Candidate, clock: Clock, endUser?: EndUser) {
    super(request, candidate, {}, clock, NO_TERMS);
    const { scan, body } = request;
    this.model = candidate.model;
    const kind = kindOf(candidate.upstream.kind);
    this.form = kind?.embeddingsForms?.find(({ names }) => names.test(candidate.model))?.form;
    this.wantsBase64 = scan.last(FORMAT_FIELD)?.value === "base64";
    if (this.form !== undefined) {
      const asked = asObject(JSON.parse(Buffer.concat(body).toString("utf8"))) ?? {};
      const { input, dimensions, [TASK_FIELD]: taskType } = asked;
      const order = {
        model: candidate.model,
        dimensions: typeof dimensions === "number" ? dimensions : undefined,
        taskType: typeof taskType === "string" ? taskType : undefined,
      };
      const native = withChanges(
        formedRequest(this.form, order, input),
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
    const { form, wantsBase64, model } = this;
    if (form === undefined && !wantsBase64) return super.wholeForm(framing);
    return { kind: "vectors", form, wantsBase64, model };
  }
}
