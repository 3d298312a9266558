import {
  asArray,
  asObject,
  asObjects,
  type JsonObject,
  parseLoosely,
  withPlainLetters,
} from "../../protocols/json.ts";
import type { EmbeddingsFormName } from "../../upstreams/kinds.ts";
import { type TokenUsage, totalInput } from "../../usage/usage.ts";
import { EMBEDDINGS_FORMS } from "./embeddings-forms.ts";

/** Converts embeddings to the form that the caller requested. */
export interface VectorForm {
  /** The vendor's own; undefined = this protocol's. */
  readonly form: EmbeddingsFormName | undefined;
  readonly wantsBase64: boolean;
  /** The model's name in the response. */
  readonly model: string;
  /** The usage to tell instead of what the vendor states; absent = as stated. */
  readonly charged?: TokenUsage | undefined;
}

/** A response of vectors as its caller asked for them; the very pieces where they came so. */
export function writeVectors(
  { form, wantsBase64, model, charged }: VectorForm,
  chunks: readonly Buffer[],
  stated: TokenUsage = {},
): readonly Buffer[] {
  const isFloat = wantsBase64 && FLOATS.test(withPlainLetters(headOf(chunks)));
  if (form === undefined && !isFloat) return chunks;
  const response = asObject(parseLoosely(Buffer.concat(chunks).toString("utf8"))) ?? {};
  const whole = form === undefined ? response : openaiResponse(form, response, model, charged ?? stated);
  return [Buffer.from(JSON.stringify(wantsBase64 ? packed(whole) : whole))];
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

function openaiResponse(
  form: EmbeddingsFormName,
  response: JsonObject,
  model: string,
  used: TokenUsage,
): JsonObject {
  const { vectors } = EMBEDDINGS_FORMS[form];
  const tokens = totalInput(used);
  return {
    object: "list",
    data: vectors(response).map((values, index) => ({
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
