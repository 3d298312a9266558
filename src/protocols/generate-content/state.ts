import { base64For, type Opaque, unwrapBase64 } from "../../conversation/state/opaque.ts";

/** State in the slot of this protocol, `thoughtSignature`, which is bytes in base64. */
export function encodeState(opaque: Opaque): string {
  return base64For(PROTOCOL, opaque);
}

/** State that stands in a caller's slot: ours, wrapped there earlier, or the vendor's own. */
export function decodeState(slot: string): Opaque {
  return unwrapBase64(slot) ?? { origin: { protocol: PROTOCOL }, value: slot };
}

/**
 * True if its issuer hid the thought that the state is of, and wants it back as hidden: behind the wrapped words on
 * thoughts themselves, which conversations from before thoughts rode on what follows them still hold.
 */
export function isHidden(slot: string): boolean {
  return unwrapBase64(slot) !== undefined && Buffer.from(slot, "base64").toString().endsWith(HIDDEN);
}

const PROTOCOL = "generate-content";

/** Stands behind a wrapped word. */
const HIDDEN = ".hidden";
