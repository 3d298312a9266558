import type { Finish, FinishKind } from "../../conversation/response.ts";
import { asObject, asText, type JsonObject } from "../json.ts";

/** Why a response ended: the reason of its incompleteness, else its status. */
export function decodeFinish(response: JsonObject): Finish {
  const reason = asText(asObject(response["incomplete_details"])?.["reason"]);
  const status = asText(response["status"]);
  const raw = reason !== "" ? reason : status;
  const unified = KINDS.get(raw) ?? (status === "incomplete" ? "length" : "other");
  return { unified, protocol: "responses", raw: raw === "" ? undefined : raw };
}

/** The end that a response states. */
export interface StatedEnd {
  readonly status: "completed" | "incomplete";
  readonly incomplete_details: { readonly reason: string } | null;
}

export function encodeFinish(finish: Finish): StatedEnd {
  const reason = REASONS[finish.unified];
  if (reason === undefined) return { status: "completed", incomplete_details: null };
  const own = finish.protocol === "responses" && finish.raw !== undefined && finish.raw !== "incomplete";
  return { status: "incomplete", incomplete_details: { reason: own ? (finish.raw ?? reason) : reason } };
}

const KINDS = new Map<string, FinishKind>([
  ["completed", "stop"],
  ["max_output_tokens", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content-filter"],
]);

/** A paused turn has no word here: what is there so far is the response. */
const REASONS: Readonly<Record<FinishKind, string | undefined>> = {
  stop: undefined,
  "tool-calls": undefined,
  pause: undefined,
  other: undefined,
  length: "max_output_tokens",
  "content-filter": "content_filter",
};
