import type { LossList } from "../loss.ts";
import type { CacheMark, ChatRequest, Part } from "../request.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";
import type { Quirks } from "./quirks.ts";

/**
 * The request with the wish that all of it be cached, where the caller could not say so: its protocol has no marks, or
 * it made none, as vendors that cache by themselves need none. Only what is likely to come again is worth the price of
 * writing it: a conversation with tools or earlier turns. A key of the cache is no loss there: it says what belongs together,
 * and the gateway keeps that at one place. To be called before fields without a slot are dropped.
 */
export function withCacheAll(
  request: ChatRequest,
  capabilities: ProtocolCapabilities,
  quirks: Quirks,
  losses: LossList,
): ChatRequest {
  if (request.protocol === capabilities.protocol) return request;
  const { cacheAll, ...rest } = request;
  // Other vendors cache by themselves, but are not known to do so for as long.
  if (capabilities.cachesAsked !== true) {
    if (cacheAll !== undefined) losses.field("cache");
    return rest;
  }
  const { cacheKey: _, ...keyless } = rest;
  if (quirks.cache === "off" || !isMultiTurn(request) || isMarked(request)) return keyless;
  return { ...keyless, cacheAll: FIVE_MINUTES };
}

function isMultiTurn({ tools, messages }: ChatRequest): boolean {
  return tools.length > 0 || messages.some(({ role }) => role === "assistant");
}

/** The vendor takes four marks, this one among them, and refuses neighbours of different lifetimes. */
function isMarked({ system, messages, tools }: ChatRequest): boolean {
  return (
    system.some(({ cache }) => cache !== undefined) ||
    tools.some((tool) => tool.kind === "function" && tool.cache !== undefined) ||
    messages.some(({ parts }) => parts.some(isMarkedPart))
  );
}

function isMarkedPart(part: Part): boolean {
  if (part.kind === "reasoning" || part.kind === "foreign") return false;
  return part.cache !== undefined || (part.kind === "tool-result" && part.parts.some(isMarkedPart));
}

const FIVE_MINUTES: CacheMark = { ttl: "5m" };
