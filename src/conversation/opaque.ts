import { CHAT_PROTOCOLS, type ChatProtocol } from "./protocol-name.ts";

/**
 * State that only its minter can read: signatures, encrypted reasoning, thought signatures. It goes back
 * to its minter byte for byte and is never shown to another. `value` is whatever the minting protocol's
 * codec needs to write it again (often the bare signature, else JSON text).
 */
export interface Opaque {
  readonly origin: Origin;
  readonly value: string;
  /**
   * It was taken off this call (its id), or off the text ("") or the media (`OF_MEDIA`) before it, for want
   * of a slot there.
   */
  readonly of?: string;
}

/** Who minted it. State that came in its own protocol's bare form (`upstream` absent) names no one. */
export interface Origin {
  readonly protocol: ChatProtocol;
  readonly upstream?: string;
  /** The upstream's name of the model. */
  readonly model?: string;
}

/** Whether state of `minted` may be sent to `target`. Bare state is judged by its protocol alone, as when forwarding. */
export function isSameOrigin(minted: Origin, target: Origin): boolean {
  if (minted.protocol !== target.protocol) return false;
  if (minted.upstream === undefined) return true;
  return minted.upstream === target.upstream && minted.model === target.model;
}

/** The state as one word that fits the slot of any protocol. */
export function wrapOpaque({ origin, value, of }: Opaque): string {
  const told = { p: origin.protocol, u: origin.upstream, m: origin.model, v: value, o: of };
  return PREFIX + Buffer.from(JSON.stringify(told)).toString("base64url");
}

/**
 * Reads what `wrapOpaque` wrote; undefined where the text is anything else, which is then the slot's own. What
 * a codec wrote behind a dot, which is no letter of base64, is the codec's.
 */
export function unwrapOpaque(text: string): Opaque | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const [word = ""] = text.slice(PREFIX.length).split(".", 1);
  let told: unknown;
  try {
    told = JSON.parse(Buffer.from(word, "base64url").toString());
  } catch {
    return undefined;
  }
  if (typeof told !== "object" || told === null) return undefined;
  const { p, u, m, v, o } = told as Readonly<Record<string, unknown>>;
  const protocol = CHAT_PROTOCOLS.find((name) => name === p);
  if (protocol === undefined || typeof v !== "string") return undefined;
  const origin = {
    protocol,
    ...(typeof u === "string" ? { upstream: u } : {}),
    ...(typeof m === "string" ? { model: m } : {}),
  };
  return { origin, value: v, ...(typeof o === "string" ? { of: o } : {}) };
}

/** State found in a protocol's own slot: ours, wrapped there earlier, or the slot's own. */
export function opaqueIn(slot: string, protocol: ChatProtocol): Opaque {
  return unwrapOpaque(slot) ?? { origin: { protocol }, value: slot };
}

/** State as it stands in the slot of `protocol`: its own bare, any other wrapped. */
export function opaqueFor(protocol: ChatProtocol, opaque: Opaque): string {
  const own = opaque.origin.protocol === protocol && opaque.origin.upstream === undefined;
  return own ? opaque.value : wrapOpaque(opaque);
}

/** No call has this id: a space is in none. */
export const OF_MEDIA = "the media";

const PREFIX = "gw1.";

/** What every wrapped word begins with: the prefix, and `{"p":"` of the object in it. */
export const WRAPPED_START = `${PREFIX}eyJwIjoi`;
