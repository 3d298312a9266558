import { type Opaque, opaqueFor, opaqueIn, unwrapOpaque, wrapOpaque } from "../../conversation/opaque.ts";
import type { JsonObject } from "../json.ts";

/**
 * The signature of a thought for a caller. A thought that nobody signed is marked as such in the form of
 * wrapped state: callers send it back, and no vendor of this protocol would accept it.
 */
export function encodeSignature(opaque: Opaque | undefined): string {
  return opaque === undefined ? UNSIGNED : opaqueFor("messages", opaque);
}

/** What a caller's thought is signed with; undefined where nobody signed it. */
export function decodeSignature(signature: string): Opaque | undefined {
  return isSigned(signature) ? opaqueIn(signature, "messages") : undefined;
}

/** Whether anybody signed; upstreams may be gateways of this kind. */
export function isSigned(signature: string): boolean {
  return signature !== "" && signature !== UNSIGNED;
}

/**
 * The block of a thought without words: hidden ones stand in one of their own, and so does here what is nothing but
 * state, since clients drop thoughts that are empty.
 */
export function encodeWordless(opaque: Opaque, redacted: boolean): JsonObject {
  const data = encodeSignature(opaque);
  if (redacted) return { type: "redacted_thinking", data };
  // Of the vendor's own, only what the vendor hid.
  if (data === opaque.value) return { type: "thinking", thinking: "", signature: data };
  return { type: "redacted_thinking", data: `${data}${NOT_HIDDEN}` };
}

/** Whether its minter calls the thought hidden. */
export function isHidden(data: string): boolean {
  return unwrapOpaque(data) === undefined || !data.endsWith(NOT_HIDDEN);
}

/** Stands behind a wrapped word. */
const NOT_HIDDEN = ".empty";

const UNSIGNED = wrapOpaque({ origin: { protocol: "messages" }, value: "" });
