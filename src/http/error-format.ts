import { PROTOCOLS } from "../protocols/table.ts";
import { ERROR_FORMAT_B, type ErrorShape } from "./error-format-b.ts";

/** The error shape that a path's callers read, known before any route is. */
export function shapeOf(path: string): ErrorShape {
  if (path.startsWith("/v1beta/") || NATIVE_ACTION.test(path)) return PROTOCOLS["generate-content"];
  if (path.startsWith("/v1/messages")) return PROTOCOLS.messages;
  if (path.startsWith("/v1/responses")) return PROTOCOLS.responses;
  if (path.startsWith("/v1/images/") || path.startsWith("/v2/")) return ERROR_FORMAT_B;
  return PROTOCOLS["chat-completions"];
}

/** An action on a model, as the native protocol's clients ask for it under `/v1` too. */
const NATIVE_ACTION = /^\/v1\/models\/[^?]+:[a-zA-Z]+(Contents?|Tokens)(\?|$)/;
