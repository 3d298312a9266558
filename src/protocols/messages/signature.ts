import { type Opaque, opaqueFor, opaqueIn, wrapOpaque } from "../../conversation/opaque.ts";

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

const UNSIGNED = wrapOpaque({ origin: { protocol: "messages" }, value: "" });
