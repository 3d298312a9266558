/** A place: an upstream and one of its credentials. */
export interface Place {
  readonly upstreamId: bigint;
  readonly credentialId: bigint;
}

/** A hash that all requests of one conversation share. */
export interface ConversationKey {
  /** 32 hexadecimal characters. */
  readonly id: string;
  /** The key as 32-bit numbers, for hashing. */
  readonly high: number;
  readonly low: number;
}

/** A key out of at least 32 hexadecimal characters that a keyed hash gave. */
export function conversationKey(hash: string): ConversationKey {
  const high = Number.parseInt(hash.slice(0, 8), 16);
  const low = Number.parseInt(hash.slice(8, 16), 16);
  return { id: hash.slice(0, 32), high, low };
}

/** A key for a request of no conversation: it goes anywhere, by weight. */
export function randomKey(random: () => number): ConversationKey {
  return { id: "", high: Math.floor(random() * TWO_32), low: Math.floor(random() * TWO_32) };
}

/** A place as conversations are dealt out to it, the same in every process. */
export interface Seed {
  readonly high: number;
  readonly low: number;
}

export function seedOf({ upstreamId, credentialId }: Place): Seed {
  const upstream = Number(BigInt.asUintN(32, upstreamId));
  const credential = Number(BigInt.asUintN(32, credentialId));
  return { high: mix(upstream ^ mix(credential)), low: mix(credential ^ mix(upstream + 1)) };
}

/**
 * Weighted rendezvous hashing: of several places the one with the least distance is a conversation's own, the next its
 * failover. Each is first for a part of all conversations that is its part of the weights, and where one goes away only
 * its own conversations go elsewhere. https://www.snia.org/sites/default/files/SDC15_presentations/dist_sys/Jason_Resch_New_Consistent_Hashings_Rev.pdf
 */
export function distance(key: ConversationKey, seed: Seed, weight: number): number {
  return -Math.log(fraction(key.high ^ seed.high, key.low ^ seed.low)) / weight;
}

/** Above 0 and below 1, the same for a conversation and a place whenever it is asked for; says nothing of their distance. */
export function drawnShare(key: ConversationKey, seed: Seed): number {
  return fraction(key.low ^ seed.high, key.high ^ seed.low);
}

const TWO_32 = 2 ** 32;
const TWO_53 = 2 ** 53;

function fraction(one: number, other: number): number {
  const high = mix(one ^ mix(other));
  const low = mix(other ^ high);
  return ((high >>> 0) * 2 ** 21 + (low >>> 11) + 0.5) / TWO_53;
}

/** The finaliser of MurmurHash3: each bit of the result depends on all bits. */
function mix(value: number): number {
  let bits = value ^ (value >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
