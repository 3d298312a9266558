import { GatewayError } from "../../errors.ts";
import { asObject, asObjects, asText, type JsonObject } from "../../protocols/json.ts";
import type { Adapter } from "./adapted-response.ts";

/** `:embedContent` (one) and `:batchEmbedContents` (several) by way of embeddings: https://ai.google.dev/api/embeddings */
export function nativeEmbeddings(isBatch: boolean, model: string): Adapter {
  return {
    request(body) {
      const requests = isBatch ? asObjects(body["requests"]) : [body];
      if (requests.length === 0) throw invalid("requests", "`requests` must be a list of contents to embed.");
      const sizes = new Set(
        requests.map((each) => settingOf(each, "outputDimensionality", "output_dimensionality")),
      );
      if (sizes.size > 1)
        throw invalid("outputDimensionality", "`outputDimensionality` must be the same in all requests.");
      const [dimensions] = sizes;
      const [taskType] = requests.map((each) => settingOf(each, "taskType", "task_type"));
      return {
        model,
        input: requests.map((each) => textOf(each["content"], isBatch ? "requests[].content" : "content")),
        encoding_format: "float",
        dimensions: typeof dimensions === "number" ? dimensions : undefined,
        // For upstreams of Google's own; others are not told.
        faregate_task_type: typeof taskType === "string" ? taskType : undefined,
      };
    },
    plain(response) {
      const embeddings = asObjects(response["data"]).map(({ embedding }) => ({ values: embedding }));
      const tokens = asObject(response["usage"])?.["prompt_tokens"];
      const usage = typeof tokens === "number" ? { usageMetadata: { promptTokenCount: tokens } } : {};
      return isBatch ? { embeddings, ...usage } : { embedding: embeddings[0] ?? { values: [] }, ...usage };
    },
  };
}

function settingOf(request: JsonObject, name: string, snake: string): unknown {
  const config = asObject(request["embedContentConfig"] ?? request["embed_content_config"]) ?? {};
  return request[name] ?? request[snake] ?? config[name] ?? config[snake] ?? undefined;
}

function textOf(content: unknown, param: string): string {
  const parts = asObjects(asObject(content)?.["parts"]);
  const text = parts.map((part) => asText(part["text"])).join("");
  if (text === "" || parts.some((part) => typeof part["text"] !== "string"))
    throw invalid(param, `\`${param}\` must have text parts; other content can't be embedded here.`);
  return text;
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param });
}
