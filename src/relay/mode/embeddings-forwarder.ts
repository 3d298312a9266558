import type { Clock } from "../../base/clock.ts";
import { removeField, replaceModel, splice } from "../../base/json/json-splice.ts";
import { GatewayError } from "../../errors.ts";
import { asArray, asObject, asObjects, type JsonObject, parseLoosely } from "../../protocols/json.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { NO_TERMS } from "../admit/conversation-state.ts";
import type { TextRequest } from "../text-request.ts";
import { Forwarder } from "./forward.ts";
import type { BodyRewrite, Framing } from "./relay-mode.ts";

/** What a native call says beyond the embeddings protocol, for upstreams of that protocol's vendor alone. */
const TASK_FIELD = "faregate_task_type";

/**
 * The way of embeddings: forwarded, or in the native form to a vendor that has only that. Vectors come as the caller asked for
 * them, base64 of little-endian floats too, which the official client asks for unless told otherwise and few servers know.
 */
export class EmbeddingsForwarder extends Forwarder {
  override readonly pieces: readonly Uint8Array[];
  private readonly isNative: boolean;
  private readonly wantsBase64: boolean;
  private readonly model: string;

  constructor(request: TextRequest, candidate: Candidate, clock: Clock) {
    super(request, candidate, {}, clock, NO_TERMS);
    const { scan, body } = request;
    this.model = candidate.model;
    this.isNative = kindOf(candidate.upstream.kind)?.embeddingsForm === "native";
    this.wantsBase64 = scan.last("encoding_format")?.value === "base64";
    if (this.isNative) this.pieces = [Buffer.from(JSON.stringify(nativeRequest(body, candidate.model)))];
    else {
      const edits = [...replaceModel(scan, candidate.model), ...removeField(scan, TASK_FIELD)];
      this.pieces = splice(body, edits);
    }
  }

  override whole(chunks: readonly Buffer[], framing: Framing): BodyRewrite {
    const isFloat = this.wantsBase64 && FLOATS.test(headOf(chunks));
    if (!this.isNative && !isFloat) return super.whole(chunks, framing);
    const response = asObject(parseLoosely(Buffer.concat(chunks).toString("utf8"))) ?? {};
    const whole = this.isNative ? openaiResponse(response, this.model) : response;
    const body = this.wantsBase64 ? packed(whole) : whole;
    return { body: [Buffer.from(JSON.stringify(body))], losses: [] };
  }
}

/** The first vector stands near the beginning, as an array or as a text. */
const HEAD_BYTES = 2_048;
const FLOATS = /"embedding"\s*:\s*\[/;

function headOf(chunks: readonly Buffer[]): string {
  let head = "";
  for (const chunk of chunks) {
    head += chunk.toString("latin1", 0, HEAD_BYTES);
    if (head.length >= HEAD_BYTES) break;
  }
  return head;
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
      ...(typeof dimensions === "number" ? { outputDimensionality: dimensions } : {}),
      ...(typeof taskType === "string" ? { taskType } : {}),
    })),
  };
}

/** The vendor counts no tokens for most models; what is charged then is the gateway's own count, which the receipt has. */
function openaiResponse(response: JsonObject, model: string): JsonObject {
  const tokens = asObject(response["usageMetadata"])?.["promptTokenCount"] ?? 0;
  return {
    object: "list",
    data: asObjects(response["embeddings"]).map(({ values }, index) => ({
      object: "embedding",
      index,
      embedding: asArray(values),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function packed(response: JsonObject): JsonObject {
  const data = asObjects(response["data"]).map((each) => {
    const { embedding } = each;
    if (!Array.isArray(embedding)) return each;
    const bytes = Buffer.alloc(4 * embedding.length);
    for (const [index, value] of embedding.entries()) bytes.writeFloatLE(Number(value), 4 * index);
    return { ...each, embedding: bytes.toString("base64") };
  });
  return { ...response, data };
}
