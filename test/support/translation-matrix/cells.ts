import { isDeepStrictEqual } from "node:util";
import type { ChatProtocol } from "../../../src/conversation/protocol-name.ts";
import type { ChatRequest } from "../../../src/conversation/request.ts";
import type { EncodedRequest } from "../../../src/protocols/translation.ts";
import { codecOf } from "../codec-of.ts";
import { frame, plan, target } from "../conversation-arbitraries.ts";
import type { ResponseRow } from "./answer-rows.ts";
import type { RequestRow } from "./row.ts";
import { LEAST } from "./spoken.ts";

/** The fate of one thing on its way from one protocol to another. */
export type Cell =
  /** The caller's protocol has no words for it. */
  | "-"
  /** The upstream reads the same. */
  | "yes"
  /** The gateway itself does it: it asks several times, cuts at stops, undoes names. */
  | "gateway"
  /** In part, told as a loss. */
  | "weaker"
  /** Not at all, told as a loss. */
  | "dropped"
  /** Refused, naming the field. */
  | "400"
  /** Not the same and nobody told: a fault. */
  | "silent";

export function requestCell(row: RequestRow, client: ChatProtocol, upstream: ChatProtocol): Cell {
  const says = typeof row.says === "function" ? row.says(upstream) : row.says;
  const more = says[client];
  if (more === undefined) return "-";
  const asked = codecOf(client).decodeRequest({ ...LEAST[client], ...more });
  if ("refused" in asked) throw new Error(`${client}, ${row.title}: ${asked.refused.message}`);
  const encoded = codecOf(upstream).encodeRequest(
    asked.value,
    target(upstream, { maxOutputTokens: 100_000 }),
  );
  if ("refused" in encoded) return "400";
  return judged(row, asked.value, readBack(upstream, encoded.value), encoded.value);
}

function judged(row: RequestRow, asked: ChatRequest, read: ChatRequest, encoded: EncodedRequest): Cell {
  const { losses, plan } = encoded;
  if (losses.length > 0) return losses.every(({ reason }) => reason === "weakened") ? "weaker" : "dropped";
  if (isSame(row.read(read), row.read(asked))) return "yes";
  const undone =
    plan.copies > 1 || plan.stops.length > 0 || plan.tools.size > 0 || plan.responseTool !== undefined;
  return undone ? "gateway" : "silent";
}

/** The same for a response: the cell, or the words in which it is told. */
export function responseCell(row: ResponseRow, client: ChatProtocol, upstream: ChatProtocol): string {
  if (!row.from.includes(upstream)) return "-";
  const said = row.response(upstream);
  const { body, losses } = codecOf(client).encodeResponse(said, frame);
  const back = codecOf(client).decodeResponse(JSON.parse(JSON.stringify(body)), plan(client));
  if ("error" in back) throw new Error(`${client}, ${row.title}: ${back.error.message}`);
  const told = row.told?.[client];
  const kept = isSame(row.read(back.response), row.read(said));
  if (told !== undefined) return kept || client === upstream ? "silent" : `as ${told}`;
  if (losses.length > 0) return "dropped";
  return kept ? "yes" : "silent";
}

function readBack(upstream: ChatProtocol, { body }: EncodedRequest): ChatRequest {
  const read = codecOf(upstream).decodeRequest(JSON.parse(JSON.stringify(body)));
  if ("refused" in read) throw new Error(`${upstream}: ${read.refused.path} ${read.refused.message}`);
  return read.value;
}

/** A field that is undefined is one that is not there. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(withoutUndefined(one), withoutUndefined(other));
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const there = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(there.map(([key, inner]) => [key, withoutUndefined(inner)]));
}
