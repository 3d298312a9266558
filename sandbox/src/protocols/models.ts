import type { IncomingMessage, ServerResponse } from "node:http";
import type { TextProtocol } from "../exchange.ts";
import type { JsonObject } from "../json.ts";
import { sendJson } from "../reply.ts";
import { chatCompletions } from "./chat-completions/protocol.ts";
import { generateContent } from "./generate-content/protocol.ts";
import { messages } from "./messages/protocol.ts";

/** Listed for the looks of it: every name is accepted. */
const NAMES = ["text-large", "text-small", "embed-small", "rerank-1"];
const CREATED_SECONDS = 1_754_000_000;
const CREATED_AT = "2025-08-01T00:00:00Z";

interface ModelList {
  readonly form: TextProtocol;
  readonly body: JsonObject;
}

const OPENAI_LIST: ModelList = {
  form: chatCompletions,
  body: {
    object: "list",
    data: NAMES.map((id) => ({ id, object: "model", created: CREATED_SECONDS, owned_by: "sandbox" })),
  },
};

const MESSAGES_LIST: ModelList = {
  form: messages,
  body: {
    data: NAMES.map((id) => ({ type: "model", id, display_name: id, created_at: CREATED_AT })),
    has_more: false,
    first_id: NAMES[0],
    last_id: NAMES.at(-1),
  },
};

const NATIVE_LIST: ModelList = {
  form: generateContent,
  body: { models: NAMES.map((id) => ({ name: `models/${id}`, displayName: id })) },
};

/** The list of models at a path, in the messages form for clients that send its version header; undefined = none there. */
export function modelList(path: string, { headers }: IncomingMessage): ModelList | undefined {
  if (path === "/v1beta/models") return NATIVE_LIST;
  if (path !== "/v1/models") return undefined;
  const version = headers["anthropic-version"] ?? headers["vendorx-version"];
  return version === undefined ? OPENAI_LIST : MESSAGES_LIST;
}

/** Vendors list their models for any key they know, also for one without credit. */
export function sendModels(
  response: ServerResponse,
  { form, body }: ModelList,
  credential: string | undefined,
): void {
  const isKnown = !credential?.startsWith("bad-");
  if (isKnown) sendJson(response, 200, body);
  else sendJson(response, form.badKey.status, form.encodeError(form.badKey, form.newRequestId()));
}
