import { GatewayError } from "../../errors.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../../protocols/json.ts";
import type { EmbeddingsFormName } from "../../upstreams/kinds.ts";

/** An order of vectors, as every form states it. */
export interface VectorOrder {
  readonly texts: readonly string[];
  readonly model: string;
  readonly dimensions: number | undefined;
  /** What the vectors are for, in the vendor's word. */
  readonly taskType: string | undefined;
}

interface EmbeddingsForm {
  /** Absent = no limit of its own. */
  readonly mostTexts?: number;
  request(order: VectorOrder): JsonObject;
  /** The vectors in the order of the texts. */
  vectors(response: JsonObject): readonly unknown[];
}

/** How vendors that have a form of their own are asked for vectors. */
export const EMBEDDINGS_FORMS: Readonly<Record<EmbeddingsFormName, EmbeddingsForm>> = {
  // https://ai.google.dev/api/embeddings
  batchEmbedContents: {
    request: (order) => ({
      requests: order.texts.map((text) => ({ model: `models/${order.model}`, ...contentOf(text, order) })),
    }),
    vectors: (response) => asObjects(response["embeddings"]).map(({ values }) => values),
  },
  // https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.publishers.models/embedContent
  embedContent: {
    mostTexts: 1,
    request: (order) => ({ ...contentOf(order.texts[0] ?? "", order), autoTruncate: false }),
    vectors: (response) => [asObject(response["embedding"])?.["values"]],
  },
  // https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
  predict: {
    request: ({ texts, dimensions, taskType }) => ({
      instances: texts.map((content) => ({ content, task_type: taskType })),
      // Else a text that is too long would be cut without a word.
      parameters: { autoTruncate: false, outputDimensionality: dimensions },
    }),
    vectors: (response) =>
      asObjects(response["predictions"]).map(({ embeddings }) => asObject(embeddings)?.["values"]),
  },
};

function contentOf(text: string, { dimensions, taskType }: VectorOrder): JsonObject {
  return { content: { parts: [{ text }] }, outputDimensionality: dimensions, taskType };
}

/** The request in a vendor's own form. Throws GatewayError where the input is no text, or more texts than it takes at once. */
export function formedRequest(
  name: EmbeddingsFormName,
  order: Omit<VectorOrder, "texts">,
  input: unknown,
): JsonObject {
  const texts = typeof input === "string" ? [input] : asArray(input);
  if (!texts.every((text): text is string => typeof text === "string") || texts.length === 0)
    throw wrongInput(
      "`input` must be a text or a list of texts; this model's upstream doesn't accept tokens.",
    );
  const { mostTexts = texts.length, request } = EMBEDDINGS_FORMS[name];
  if (texts.length > mostTexts)
    throw wrongInput("`input` must be one text; this model's upstream doesn't accept several at once.");
  return request({ ...order, texts });
}

function wrongInput(message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param: "input" });
}
