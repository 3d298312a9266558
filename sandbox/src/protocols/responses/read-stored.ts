import type { ServerResponse } from "node:http";
import { arrayOr, type JsonObject } from "../../json.ts";
import type { VendorError } from "../../refusal.ts";
import { sendJson } from "../../reply.ts";
import { encodeOpenaiError, OPENAI_BAD_KEY } from "../openai-errors.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";

/** The kinds of request for a stored response: to read it, to read its input, to delete it. */
interface StoredRoute {
  readonly id: string;
  readonly what: "response" | "input" | "deletion";
}

/** undefined = there is nothing like it at the path. */
export function storedRoute(method: string, path: string): StoredRoute | undefined {
  const [, id, below] = STORED_PATH.exec(path) ?? [];
  if (id === undefined) return undefined;
  if (method === "GET") return { id, what: below === undefined ? "response" : "input" };
  return method === "DELETE" && below === undefined ? { id, what: "deletion" } : undefined;
}

const STORED_PATH = /^\/v1\/responses\/([^/]+)(\/input_items)?$/;

export function sendStored(
  response: ServerResponse,
  { id, what }: StoredRoute,
  query: URLSearchParams,
  store: ResponseStore,
  credential: string | undefined,
): void {
  const stored = store.get(id);
  const missing = { status: 404, message: `Response with id '${id}' not found.` };
  if (credential?.startsWith("bad-")) sendError(response, OPENAI_BAD_KEY);
  else if (stored === undefined) sendError(response, missing);
  else if (what === "response") sendJson(response, 200, stored.response);
  else if (what === "input") sendJson(response, 200, inputPage(id, stored, query));
  else sendJson(response, 200, { id, object: "response", deleted: store.delete(id) });
}

function sendError(response: ServerResponse, error: VendorError): void {
  sendJson(response, error.status, encodeOpenaiError(error));
}

/** The newest first unless `order` says otherwise; `limit` of them behind `after`. */
function inputPage(id: string, { input }: StoredResponse, query: URLSearchParams): JsonObject {
  const items = input.map((item, index) => inputItem(item, id, index));
  if (query.get("order") !== "asc") items.reverse();
  const from = items.findIndex((item) => item["id"] === query.get("after")) + 1;
  const limit = Math.min(Math.max(Number(query.get("limit")) || DEFAULT_LIMIT, 1), MAX_LIMIT);
  const data = items.slice(from, from + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: from + limit < items.length,
  };
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The vendor's form of an item that came in a shorter form. */
function inputItem(item: JsonObject, responseId: string, index: number): JsonObject {
  const id =
    item["id"] ?? `msg_${responseId.replace(/^resp_/, "").slice(0, 40)}${String(index).padStart(10, "0")}`;
  if (item["role"] === undefined) return { ...item, id };
  const { content } = item;
  const parts = typeof content === "string" ? [{ type: "input_text", text: content }] : arrayOr(content);
  return { ...item, id, type: "message", status: "completed", content: parts };
}
