import { jsonOutline } from "../../base/json/json-outline.ts";
import { asBuffer } from "../../base/sse.ts";
import type { MeteredUsage } from "../../usage/usage.ts";
import { statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../json.ts";
import type { UsageReader } from "../protocol.ts";
import { type MediaCounts, mediaIn, mediaInLists } from "../streams/media-counts.ts";
import { type MeteringRules, recordId, recordUsage, type StreamState } from "../streams/metering-rules.ts";
import { metered, UsageCounter } from "../streams/usage-counts.ts";
import { usageReader } from "../streams/usage-reader.ts";

const rules: MeteringRules = {
  callerFinishes: new Set(),
  declines: () => false,
  anyForm: true,
  readResponse: read,
  readEvent: read,
  // Vectors are no text: where usage is missing, only the input is estimated.
  responseText() {},
  eventText() {},
  openByteFilter: () => () => true,

  buckets(usage) {
    const tally = new UsageCounter();
    const billed = asObject(usage["billed_units"]);
    if (billed !== undefined) return billedUnits(tally, usage, billed);
    const input = tally.filled(usage, [
      "prompt_tokens",
      "input_tokens",
      "total_tokens",
      "promptTokenCount",
      "prompt_token_count",
    ]);
    const details = asObject(usage["prompt_tokens_details"]) ?? asObject(usage["input_tokens_details"]);
    return metered(tally, { inputUncached: input }, NO_OUTPUT, usage, {
      input:
        mediaIn(tally, details) ??
        mediaInLists(tally, usage["promptTokensDetails"] ?? usage["prompt_tokens_details"]) ??
        mediaOfPixels(tally, usage, input),
    });
  },
};

/** Known to be nothing, which is more than "not reported". */
const NO_OUTPUT = { outputVisible: 0 };

/** Tokens of texts and of images stand side by side; earlier models bill an image as such: https://docs.cohere.com/v2/reference/embed */
function billedUnits(tally: UsageCounter, usage: JsonObject, billed: JsonObject): MeteredUsage {
  const images = tally.count(billed, "image_tokens");
  const image = tally.count(billed, "images");
  const text = tally.filled(billed, ["input_tokens"]);
  const isByImage = (images ?? 0) === 0 && image !== undefined && image > 0;
  const whole = text === undefined && images === undefined ? undefined : (text ?? 0) + (images ?? 0);
  const told = metered(tally, { inputUncached: whole }, NO_OUTPUT, usage, {
    input: images === undefined || images === 0 ? undefined : { image: images },
  });
  return isByImage ? { ...told, units: { image } } : told;
}

/**
 * Tokens of the total that are not of text are those of pixels:
 * https://docs.voyageai.com/reference/multimodal-embeddings-api
 */
function mediaOfPixels(tally: UsageCounter, usage: JsonObject, whole = 0): MediaCounts | undefined {
  const text = tally.count(usage, "text_tokens");
  if (text === undefined || text >= whole) return undefined;
  return (tally.count(usage, "video_pixels") ?? 0) > 0 && (tally.count(usage, "image_pixels") ?? 0) === 0
    ? { video: whole - text }
    : { image: whole - text };
}

const reader = usageReader(rules);

/** Reads usage off embeddings. The vectors of a large batch are not parsed: they would hold up everyone for a second. */
export const embeddingsUsage: UsageReader = {
  ...reader,
  readBytes: (body) => reader.readBytes(body.length <= PARSED_BYTES ? body : jsonOutline(asBuffer(body))),
};

function read(body: JsonObject, state: StreamState): void {
  if (statesError(body)) state.error ??= decodeStatedError(body);
  else state.started = true;
  recordId(state, body["id"]);
  const { embeddings, embedding } = body;
  // Alone or in a list: https://github.com/ggml-org/llama.cpp/tree/master/tools/server#post-embedding-generate-embedding-of-a-given-text
  state.output ||= [body["data"], embeddings, embedding, body["predictions"]].some(
    (list) => asArray(list).length > 0,
  );
  // The vectors are grouped by the type of their numbers: https://docs.cohere.com/v2/reference/embed
  state.output ||= Object.values(asObject(embeddings) ?? {}).some((vectors) => asArray(vectors).length > 0);
  // One alone: https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.publishers.models/embedContent
  state.output ||= asArray(asObject(embedding)?.["values"]).length > 0;
  recordUsage(state, asObject(body["meta"]));
  recordUsage(state, countedByText(body["predictions"]));
  recordUsage(state, countedByTitan(body));
  recordUsage(
    state,
    asObject(body["usage"]) ?? asObject(body["usageMetadata"]) ?? asObject(body["usage_metadata"]),
  );
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
function countedByTitan({ inputTextTokenCount: count }: JsonObject): JsonObject | undefined {
  return typeof count === "number" ? { input_tokens: count } : undefined;
}

/** Counted text by text: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
function countedByText(predictions: unknown): JsonObject | undefined {
  const counts = asObjects(predictions).flatMap(({ embeddings }) => {
    const count = asObject(asObject(embeddings)?.["statistics"])?.["token_count"];
    return typeof count === "number" ? [count] : [];
  });
  return counts.length === 0 ? undefined : { input_tokens: counts.reduce((sum, count) => sum + count, 0) };
}

/** A megabyte is parsed in a few milliseconds. */
const PARSED_BYTES = 1024 * 1024;
