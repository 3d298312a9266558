import { describe, expect, it } from "vitest";
import { formatAgo, formatDay } from "./moment.ts";

const now = new Date("2026-11-21T12:00:00Z");
const ago = (seconds: number) => formatAgo(new Date(now.getTime() - seconds * 1_000), now, "en");

describe("moments", () => {
  it("are told as a person tells them", () => {
    expect([ago(2), ago(42), ago(200), ago(7_300), ago(100_000), ago(-172_900)]).toEqual([
      "now",
      "42 seconds ago",
      "3 minutes ago",
      "2 hours ago",
      "yesterday",
      "in 2 days",
    ]);
  });

  it("name the UTC day, by which the gateway sums", () => {
    expect(formatDay(new Date("2026-11-20T23:59:00Z"), "en")).toBe("20 Nov");
    expect(formatDay(new Date("2026-11-20T23:59:00Z"), "en", true)).toBe("20 Nov 2026");
    expect(formatDay(new Date("2026-11-20T23:59:00Z"), "zh", true)).toBe("2026年11月20日");
  });
});
