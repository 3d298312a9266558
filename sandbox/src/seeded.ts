import { createHash } from "node:crypto";

/** A stream of numbers fixed by its seed: the same prompt always gets the same response. */
export interface Seeded {
  /** An integer in [0, below). */
  below(below: number): number;
  /** One of a list that must not be empty. */
  pick<T>(from: readonly T[]): T;
}

/** mulberry32: tiny and fast, and this needs variety, not secrecy. */
export function createSeeded(seed: number): Seeded {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  const pick = <T>(from: readonly T[]): T => {
    const chosen = from[below(from.length)];
    if (chosen === undefined) throw new Error("nothing to pick from");
    return chosen;
  };
  return { below, pick };
}

/** A 32-bit seed out of any text. */
export function seedOf(text: string): number {
  return createHash("sha1").update(text).digest().readUInt32LE(0);
}
