import { expect, it } from "vitest";
import { limitsOf } from "./upstream-limits.ts";

const USUAL = 10_000;

it.each([
  [USUAL, {}, true, undefined],
  [1, {}, true, "takes at most 1 request at once in each process"],
  [USUAL, { tokensPerMinute: 5 }, true, "takes at most 5 tokens per minute in all processes together"],
  [
    200,
    { requestsPerMinute: 1, tokensPerMinute: 2_000 },
    false,
    "takes at most 200 requests at once in each process; 1 request per minute, 2000 tokens per minute in each process (in all together with REDIS_URL)",
  ],
])(
  "doctor says what an upstream may be asked: %i, %j, shared %s",
  (maxConcurrency, rates, isShared, words) => {
    expect(limitsOf({ maxConcurrency, options: { rates } }, isShared)).toBe(words);
  },
);
