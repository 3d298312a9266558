/** Numbers drawn from a seed that replays them. */
export interface SeededRandom {
  readonly seed: number;
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
}

/** Draws from the seed that the environment variable names, else from a new one; prints which. */
export function seededRandom(variable: string): SeededRandom {
  const given = process.env[variable];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
  process.stdout.write(`${variable}=${seed} replays this run\n`);
  let state = seed >>> 0;
  // Mulberry32: short, and even enough for choosing what to break.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return { seed, whole: (least, most) => least + (next() % (most - least + 1)) };
}
