import { isNoLimit } from "../../billing/pricing/requested-output-limit.ts";
import type { Model } from "../../catalog/catalog.ts";
import { isGenerating } from "../../conversation/protocol-name.ts";
import type { TokenEstimate } from "../../limits/token-reserve.ts";
import { type BodyRange, readFeatures } from "../../protocols/body-features.ts";
import type { TextRequest } from "../text-request.ts";
import { promptBytes } from "./prompt-bytes.ts";
import { IMAGE_TOKENS } from "./tokenizer.ts";

/** English has 5 bytes of text per token, code 3.8, others 2.5 to 8, each with its JSON around it. */
const BYTES_PER_TOKEN = 4;

/**
 * Estimates the tokens of a request from its bytes; nothing is tokenized before it is sent. Unlike a hold it is no bound: the
 * end of the request corrects it.
 */
export function tokenEstimate(request: TextRequest, model: Model): TokenEstimate {
  const { protocol, body } = request;
  const images = imagesOf(request);
  return {
    model: model.id,
    bytes: promptBytes(body, images),
    imageTokens: images.length * IMAGE_TOKENS,
    inputLimit: model.contextTokens ?? undefined,
    outputLimit: isGenerating(protocol.name) ? outputLimit(request, model) : 0,
    responses: request.responses,
  };
}

/** Tokens of the body by its length. */
export function promptTokens(request: Pick<TextRequest, "protocol" | "scan">): number {
  const images = imagesOf(request);
  const imageBytes = images.reduce((sum, { start, end }) => sum + end - start, 0);
  return Math.ceil((request.scan.length - imageBytes) / BYTES_PER_TOKEN) + images.length * IMAGE_TOKENS;
}

/** Tokens of the images in a request. */
export function imageTokens(request: Pick<TextRequest, "protocol" | "scan">): number {
  return imagesOf(request).length * IMAGE_TOKENS;
}

function imagesOf({ protocol, scan }: Pick<TextRequest, "protocol" | "scan">): readonly BodyRange[] {
  return readFeatures(protocol.forward.hold, scan).images;
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
