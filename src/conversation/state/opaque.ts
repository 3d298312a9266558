import { CHAT_PROTOCOLS, type ChatProtocol } from "../protocol-name.ts";

/**
 * State that only its issuer can read: signatures, encrypted reasoning, thought signatures. It goes back
 * to its issuer byte for byte and is never shown to another. `value` is whatever the issuing protocol's
 * codec needs to write it again (often the bare signature, else JSON text).
 */
export interface Opaque {
  readonly origin: Origin;
  readonly value: string;
  /**
   * It was taken off this call (its id), or off a text ("") or media (`OF_MEDIA`) beside it, for want of a slot
   * there; or thoughts ride on it (`OF_RIDERS`, see `attached-reasoning.ts`).
   */
  readonly of?: string | undefined;
  /** The same as another protocol writes it, where a vendor of both issued it. */
  readonly twin?: { readonly protocol: ChatProtocol; readonly value: string } | undefined;
}

/** The issuer. State that came in its own protocol's bare form (`upstream` absent) names no one. */
export interface Origin {
  readonly protocol: ChatProtocol;
  readonly upstream?: string | undefined;
  /** The upstream's name of the model. */
  readonly model?: string | undefined;
  /** Id of the credential under which it was made; state of earlier versions does not say. */
  readonly credential?: string | undefined;
}

/** The receiver of state. */
export interface Reader {
  readonly origin: Origin;
  /** Ids of the credentials whose state is valid there, which are those of one signer; undefined = by the upstream's name. */
  readonly signers?: readonly string[] | undefined;
  /** None: nobody's, or nobody's but what names its issuer. */
  readonly withoutState?: "all" | "bare" | undefined;
}

/** True if state of `issued` may be sent to a reader. Bare state is judged by its protocol alone, as when forwarding. */
function mayRead(issued: Origin, { origin, signers, withoutState }: Reader): boolean {
  if (issued.protocol !== origin.protocol || withoutState === "all") return false;
  if (issued.upstream === undefined) return withoutState === undefined;
  const isHere = issued.upstream === origin.upstream;
  if (issued.credential === undefined || signers === undefined)
    return isHere && issued.model === origin.model;
  // Another upstream of the signer may have another name for the same model.
  return signers.includes(issued.credential) && (!isHere || issued.model === origin.model);
}

/** State as a reader may be sent it; undefined where it may not be. */
export function stateFor(reader: Reader, opaque: Opaque): Opaque | undefined {
  if (mayRead(opaque.origin, reader)) return opaque;
  const { twin } = opaque;
  if (twin === undefined || twin.protocol !== reader.origin.protocol) return undefined;
  const other: Opaque = { origin: { protocol: twin.protocol }, value: twin.value };
  return mayRead(other.origin, reader) ? other : undefined;
}

/** The state as one word that fits the slot of any protocol. */
export function wrapOpaque({ origin, value, of }: Opaque): string {
  const fields = {
    p: origin.protocol,
    u: origin.upstream,
    m: origin.model,
    c: origin.credential,
    v: value,
    o: of,
  };
  return PREFIX + Buffer.from(JSON.stringify(fields)).toString("base64url");
}

/**
 * Reads what `wrapOpaque` wrote; undefined where the text is anything else, which is then the slot's own. What
 * a codec wrote behind a dot, which is no letter of base64, is the codec's.
 */
export function unwrapOpaque(text: string): Opaque | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const [word = ""] = text.slice(PREFIX.length).split(".", 1);
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(word, "base64url").toString());
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { p, u, m, c, v, o } = parsed as Readonly<Record<string, unknown>>;
  const protocol = CHAT_PROTOCOLS.find((name) => name === p);
  if (protocol === undefined || typeof v !== "string") return undefined;
  const origin = {
    protocol,
    upstream: typeof u === "string" ? u : undefined,
    model: typeof m === "string" ? m : undefined,
    credential: typeof c === "string" ? c : undefined,
  };
  return { origin, value: v, of: typeof o === "string" ? o : undefined };
}

/** State found in a protocol's own slot: ours, wrapped there earlier, or the slot's own. */
export function opaqueIn(slot: string, protocol: ChatProtocol): Opaque {
  return unwrapOpaque(slot) ?? { origin: { protocol }, value: slot };
}

/** State as it stands in the slot of `protocol`: its own bare, any other wrapped. */
export function opaqueFor(protocol: ChatProtocol, opaque: Opaque): string {
  return isBareIn(protocol, opaque) ? opaque.value : wrapOpaque(opaque);
}

/** True if it stands in the slot of `protocol` as its vendor wrote it; what was put elsewhere never does. */
export function isBareIn(protocol: ChatProtocol, { origin, of }: Opaque): boolean {
  return origin.protocol === protocol && origin.upstream === undefined && of === undefined;
}

/**
 * The same for slots that hold bytes in base64, which some SDKs decode before anyone sees them: a wrapped word is base64
 * once more, because the word itself is none.
 */
export function base64For(protocol: ChatProtocol, opaque: Opaque): string {
  const word = opaqueFor(protocol, opaque);
  return word === opaque.value ? word : Buffer.from(word).toString("base64");
}

/** Unwraps the result of `base64For`; undefined if the text is anything else, which is then the slot's own. */
export function unwrapBase64(slot: string): Opaque | undefined {
  return slot.startsWith(PREFIX_IN_BASE64) ? unwrapOpaque(Buffer.from(slot, "base64").toString()) : undefined;
}

/** No call has this id: a space is in none. */
export const OF_MEDIA = "the media";

/** Likewise. */
export const OF_REASONING = "the thoughts before";

const PREFIX = "gw1.";

/** The base64 of the prefix's first three letters, which is the same whatever follows. */
const PREFIX_IN_BASE64 = Buffer.from(PREFIX.slice(0, 3)).toString("base64");

/** The beginning of every wrapped word: the prefix, and `{"p":"` of the object in it. */
export const WRAPPED_START = `${PREFIX}eyJwIjoi`;
