import { GatewayError } from "../../errors.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../../protocols/json.ts";
import type { EmbeddingsFormName } from "../../upstreams/kinds.ts";

/** An order of vectors, as every form states it. */
export interface VectorOrder {
  readonly texts: readonly string[];
  readonly model: string;
  readonly dimensions: number | undefined;
  /** The purpose of the embeddings, in the vendor's word. */
  readonly taskType: string | undefined;
}

interface EmbeddingsForm {
  /** Absent = no limit of its own. */
  readonly mostTexts?: number;
  request(order: VectorOrder): JsonObject;
  /** The vectors in the order of the texts. */
  vectors(response: JsonObject): readonly unknown[];
}

/** Requests for embeddings in the form of vendors that have one of their own. */
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
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
  titan: {
    mostTexts: 1,
    request: ({ texts: [inputText], dimensions }) => ({ inputText, dimensions }),
    vectors: ({ embedding }) => [embedding],
  },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html, model-parameters-embed-v3.html
  cohere: {
    mostTexts: 96,
    request: ({ texts, dimensions, taskType = "" }) => ({
      texts,
      input_type: COHERE_TASKS.get(taskType) ?? (OWN_TASK.test(taskType) ? taskType : "search_document"),
      embedding_types: ["float"],
      output_dimension: dimensions,
      truncate: "NONE",
    }),
    vectors: ({ embeddings }) => asArray(asObject(embeddings)?.["float"] ?? embeddings),
  },
};

/**
 * Purposes of embeddings in Google's words, which callers of its API use: https://ai.google.dev/api/embeddings#TaskType
 */
const COHERE_TASKS: ReadonlyMap<string, string> = new Map([
  ["RETRIEVAL_QUERY", "search_query"],
  ["QUESTION_ANSWERING", "search_query"],
  ["CODE_RETRIEVAL_QUERY", "search_query"],
  ["FACT_VERIFICATION", "search_query"],
  ["CLASSIFICATION", "classification"],
  ["CLUSTERING", "clustering"],
  ["SEMANTIC_SIMILARITY", "clustering"],
]);

const OWN_TASK = /^[a-z_]+$/;

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
  if (texts.length > mostTexts) {
    const most = mostTexts === 1 ? "one text" : `${mostTexts} texts`;
    throw wrongInput(
      `\`input\` may hold at most ${most}; this model's upstream doesn't accept more at once.`,
    );
  }
  return request({ ...order, texts });
}

function wrongInput(message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param: "input" });
}
