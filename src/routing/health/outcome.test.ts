import { describe, expect, it } from "vitest";
import { AttemptCounter } from "./outcome.ts";

describe("the tally of attempts", () => {
  it("counts what an attempt taught, and forgets it after ten minutes", () => {
    const tally = new AttemptCounter();
    tally.count(1n, { kind: "answering" }, 0);
    tally.count(1n, { kind: "ok" }, 0);
    tally.count(1n, { kind: "failed" }, 1_000);
    tally.count(1n, { kind: "rate-limited" }, 599_000);
    tally.count(1n, { kind: "neutral" }, 599_000);
    tally.count(2n, { kind: "refused-account" }, 599_000);
    expect(tally.of(1n, 599_000)).toEqual({ ok: 1, failed: 1, rateLimited: 1, refused: 0 });
    expect(tally.of(1n, 611_000)).toEqual({ ok: 0, failed: 0, rateLimited: 1, refused: 0 });
    expect(tally.of(2n, 599_000)).toEqual({ ok: 0, failed: 0, rateLimited: 0, refused: 1 });
    expect(tally.of(3n, 0)).toEqual({ ok: 0, failed: 0, rateLimited: 0, refused: 0 });
  });
});
