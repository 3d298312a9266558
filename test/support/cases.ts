/** Enough to meet a bug that one case in a few hundred shows. */
const SHARE = 1 / 5;

/**
 * The number of drawn cases that a law tries: all of them in `npm run test:long`, which sets TEST_CASES=all, and a
 * fifth in `npm test`, where every run draws others.
 */
export function casesOf(all: number): number {
  return process.env["TEST_CASES"] === "all" ? all : Math.ceil(all * SHARE);
}
