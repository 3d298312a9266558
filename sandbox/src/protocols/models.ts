import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../json.ts";

/** Listed for the looks of it: every name is accepted. */
const NAMES = ["text-large", "text-small", "embed-small", "rerank-1"];
const CREATED_SECONDS = 1_754_000_000;
const CREATED_AT = "2025-08-01T00:00:00Z";

/** GET /v1/models, in the messages form for clients that send its version header. */
export function listModels(request: IncomingMessage): JsonObject {
  const { headers } = request;
  const messagesForm = headers["anthropic-version"] ?? headers["vendorx-version"];
  if (messagesForm === undefined) {
    const data = NAMES.map((id) => ({ id, object: "model", created: CREATED_SECONDS, owned_by: "sandbox" }));
    return { object: "list", data };
  }
  const data = NAMES.map((id) => ({ type: "model", id, display_name: id, created_at: CREATED_AT }));
  return { data, has_more: false, first_id: NAMES[0], last_id: NAMES.at(-1) };
}

/** GET /v1beta/models. */
export function listNativeModels(): JsonObject {
  return { models: NAMES.map((id) => ({ name: `models/${id}`, displayName: id })) };
}
