import { isNoLimit } from "../../billing/pricing/stated-limit.ts";
import type { Model } from "../../catalog/catalog.ts";
import { isGenerating } from "../../conversation/protocol-name.ts";
import type { TokenEstimate } from "../../limits/token-reserve.ts";
import { readFeatures } from "../../protocols/body-features.ts";
import type { TextRequest } from "../text-request.ts";

/** English has 5 bytes of text per token, code 3.8, others 2.5 to 8, each with its JSON around it. */
const BYTES_PER_TOKEN = 4;

/** An image of a megapixel at the vendors' usual detail. */
const IMAGE_TOKENS = 1_500;

/**
 * Tokens that a request will probably take, read off what the scan has found anyhow: nothing is counted before it is sent. No
 * bound, as holds are; what it turns out to be is corrected at its end.
 */
export function tokenEstimate(request: TextRequest, model: Model): TokenEstimate {
  const { protocol } = request;
  const input = promptTokens(request);
  return {
    model: model.id,
    input: Math.min(input, model.contextTokens ?? input),
    outputLimit: isGenerating(protocol.name) ? outputLimit(request, model) : 0,
    responses: request.responses,
  };
}

/** Tokens of the body by its bytes, without reading it. */
export function promptTokens({ protocol, scan }: Pick<TextRequest, "protocol" | "scan">): number {
  const { images } = readFeatures(protocol.forward.hold, scan);
  const imageBytes = images.reduce((sum, { start, end }) => sum + end - start, 0);
  return Math.ceil((scan.length - imageBytes) / BYTES_PER_TOKEN) + images.length * IMAGE_TOKENS;
}

/** The largest limit that is stated in any spelling, within what the model can write. */
function outputLimit({ protocol, scan }: TextRequest, { maxOutputTokens }: Model): number | undefined {
  let stated: number | undefined;
  for (const path of protocol.forward.outputLimits) {
    const found = scan.last(path);
    if (typeof found?.value !== "number" || isNoLimit(protocol.forward, found)) continue;
    stated = Math.max(stated ?? 0, found.value);
  }
  if (maxOutputTokens === null) return stated;
  return Math.min(stated ?? maxOutputTokens, maxOutputTokens);
}
