import type { MeteredUsage } from "../../usage/usage.ts";
import { asObject, type JsonObject } from "../json.ts";
import { mediaIn } from "./media-counts.ts";
import { inclusiveUsage, UsageCounter } from "./usage-counts.ts";

/**
 * Reads the usage of an image model as OpenAI's images endpoint and image tool report it: input text and images, and output
 * images, which are the whole output unless it says otherwise. https://developers.openai.com/api/reference/resources/images
 */
export function imageUsage(usage: JsonObject): MeteredUsage {
  const tally = new UsageCounter();
  const inputDetails = asObject(usage["input_tokens_details"]);
  const stated = asObject(usage["output_tokens_details"]);
  const output = tally.count(usage, "output_tokens");
  const isTold = mediaIn(tally, stated) !== undefined || tally.count(stated, "text_tokens") !== undefined;
  return inclusiveUsage(tally, usage, {
    input: tally.count(usage, "input_tokens"),
    inputDetails,
    cache: { cacheRead: tally.count(inputDetails, "cached_tokens") },
    output,
    outputDetails: isTold ? stated : { image_tokens: output },
    calls: undefined,
  });
}
