import { arrayOr, isObject, type Json, type JsonObject, objectOr } from "../json.ts";
import type { VectorsForm } from "../protocols/embeddings.ts";
import { refuse } from "../refusal.ts";
import { BEDROCK_ERRORS } from "./bedrock-errors.ts";

/** A model of vectors by `invoke`: what it is asked as in OpenAI's form, and how it answers. */
interface Embedder {
  request(asked: JsonObject): JsonObject;
  readonly form: VectorsForm;
}

const COUNT_HEADER = "x-amzn-bedrock-input-token-count";

function only(asked: JsonObject, fields: readonly string[]): void {
  const extra = Object.keys(asked).find((name) => !fields.includes(name));
  if (extra !== undefined)
    refuse(
      `Malformed input request: #: extraneous key [${extra}] is not permitted, please reformat your input.`,
    );
}

/** The earlier version knows no dimensions: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
function titan(model: string): Embedder {
  const isLater = model.includes("-v2");
  return {
    request(asked) {
      only(asked, isLater ? ["inputText", "dimensions", "normalize", "embeddingTypes"] : ["inputText"]);
      const { inputText, dimensions = null } = asked;
      if (typeof inputText !== "string")
        refuse("Malformed input request: #: required key [inputText] not found");
      if (dimensions !== null && ![256, 512, 1024].includes(Number(dimensions)))
        refuse("Malformed input request: #/dimensions: is not a valid enum value");
      return { model, input: inputText ?? null, dimensions };
    },
    form: {
      ...BEDROCK_ERRORS,
      encode: ([embedding = []], tokens) => ({
        embedding,
        ...(isLater ? { embeddingsByType: { float: embedding } } : {}),
        inputTextTokenCount: tokens,
      }),
      headers: (tokens): Record<string, string> => (isLater ? { [COUNT_HEADER]: String(tokens) } : {}),
    },
  };
}

const TASKS = ["search_document", "search_query", "classification", "clustering"];

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html, model-parameters-embed-v3.html */
function cohere(model: string): Embedder {
  const isLater = model.includes("embed-v4");
  const fields = [
    "texts",
    "input_type",
    "truncate",
    "embedding_types",
    ...(isLater ? ["output_dimension"] : []),
  ];
  return {
    request(asked) {
      only(asked, fields);
      const { texts, input_type: task, output_dimension: dimensions = null } = asked;
      if (!TASKS.includes(String(task))) refuse("invalid input_type");
      if (arrayOr(texts).length < 1 || arrayOr(texts).length > 96) refuse("invalid number of texts");
      return { model, input: texts ?? null, dimensions };
    },
    form: {
      ...BEDROCK_ERRORS,
      encode: (vectors, _tokens, asked) => ({
        id: "vectors",
        texts: objectOr(asked)["input"] ?? [],
        ...(isLater
          ? { embeddings: { float: vectors }, response_type: "embeddings_by_type" }
          : { embeddings: vectors, response_type: "embeddings_floats" }),
      }),
      headers: (tokens) => ({ [COUNT_HEADER]: String(tokens) }),
    },
  };
}

/** undefined = the model makes no vectors. */
export function embedderOf(model: string): Embedder | undefined {
  if (/(^|\.)amazon\.titan-embed-/.test(model)) return titan(model);
  return /(^|\.)cohere\.embed-/.test(model) ? cohere(model) : undefined;
}

/** What a body asks for, in OpenAI's form. Throws Refusal. */
export function embedderBody(embedder: Embedder, asked: Json | undefined): Buffer {
  if (!isObject(asked)) return refuse("Malformed input request, please reformat your input and try again.");
  return Buffer.from(JSON.stringify(embedder.request(asked)));
}
