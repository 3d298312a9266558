import { createHash } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../json.ts";

/** Images sent in a request would fill the journal: what they were is enough to recognise them. */
const MAX_TEXT = 2_000;

/** A submitted body as the journal keeps it: long texts cut, bytes of images replaced by their digest. */
export function journaledBody(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, brief(value)]));
}

function brief(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => brief(item) ?? null);
  if (isObject(value)) return journaledBody(value);
  if (typeof value !== "string" || value.length <= MAX_TEXT) return value;
  if (!value.startsWith("data:")) return `${value.slice(0, MAX_TEXT)}...`;
  const digest = createHash("sha256").update(value).digest("hex");
  return `${value.slice(0, value.indexOf(",") + 1)}[${value.length} characters, sha256 ${digest}]`;
}
