import { type Opaque, opaqueFor, unwrapOpaque } from "../../conversation/opaque.ts";

/**
 * The slot of this protocol for opaque state, `thoughtSignature`, is bytes in base64, and some of its
 * SDKs decode it before anyone sees it: wrapped state of others is base64 once more, because the word
 * itself is none.
 */
export function encodeState(opaque: Opaque, hidden: boolean): string {
  const word = opaqueFor(PROTOCOL, opaque);
  if (word === opaque.value) return word;
  return Buffer.from(hidden ? `${word}${HIDDEN}` : word).toString("base64");
}

/** State that stands in a caller's slot: ours, wrapped there earlier, or the vendor's own. */
export function decodeState(slot: string): Opaque {
  const bare: Opaque = { origin: { protocol: PROTOCOL }, value: slot };
  if (!slot.startsWith(WRAPPED)) return bare;
  return unwrapOpaque(Buffer.from(slot, "base64").toString()) ?? bare;
}

/** Whether its minter hid the thought that the state is of, and wants it back as hidden. */
export function isHidden(slot: string): boolean {
  return slot.startsWith(WRAPPED) && Buffer.from(slot, "base64").toString().endsWith(HIDDEN);
}

const PROTOCOL = "generate-content";

/** Stands behind a wrapped word. */
const HIDDEN = ".hidden";

/** How base64 of the wrapper's first three letters (`gw1`) begins. */
const WRAPPED = Buffer.from("gw1").toString("base64");
