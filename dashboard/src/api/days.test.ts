import { describe, expect, it } from "vitest";
import { momentOfDay } from "./days.ts";

describe("momentOfDay", () => {
  it("is the day's first moment in UTC, or that of a later day", () => {
    expect(momentOfDay("2026-11-24")).toBe("2026-11-24T00:00:00.000Z");
    expect(momentOfDay("2026-12-31", 1)).toBe("2027-01-01T00:00:00.000Z");
  });

  it.each([undefined, "", "today", "2026-13-01", "0202-10-01", "20266-01-01", "275760-09-13"])(
    "is nothing for %s",
    (text) => {
      expect(momentOfDay(text, 1)).toBeUndefined();
    },
  );
});
