import { type Opaque, opaqueFor, opaqueIn, wrapOpaque } from "../../conversation/state/opaque.ts";
import type { JsonObject } from "../json.ts";

/**
 * The signature of a thought for a caller. A thought that nobody signed is marked as such in the form of
 * wrapped state: callers send it back, and no vendor of this protocol would accept it.
 */
export function encodeSignature(opaque: Opaque | undefined): string {
  return opaque === undefined ? UNSIGNED : opaqueFor("messages", opaque);
}

/** Reads the signature of a caller's reasoning; undefined if nobody signed it. */
export function decodeSignature(signature: string): Opaque | undefined {
  return isSigned(signature) ? opaqueIn(signature, "messages") : undefined;
}

/** True if anybody signed; upstreams may be gateways of this kind. */
export function isSigned(signature: string): boolean {
  return signature !== "" && signature !== UNSIGNED;
}

/**
 * The block of a thought without words. Clients drop thoughts that are empty and keep hidden ones, so that is what
 * other vendors' state is here; this vendor's own stays as the vendor wrote it.
 */
export function encodeWordless(opaque: Opaque, redacted: boolean): JsonObject {
  const signature = encodeSignature(opaque);
  return redacted || opaque.origin.protocol !== "messages"
    ? { type: "redacted_thinking", data: signature }
    : { type: "thinking", thinking: "", signature };
}

/** True if its issuer hid the thought: only this vendor does. */
export function isHidden(data: string): boolean {
  return opaqueIn(data, "messages").origin.protocol === "messages";
}

const UNSIGNED = wrapOpaque({ origin: { protocol: "messages" }, value: "" });
