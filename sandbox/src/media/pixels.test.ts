import { describe, expect, it } from "vitest";
import { nearestRatio, pictureSize, VIDEO_RATIOS, videoSize } from "./pixels.ts";

const VIDEO_SIZES = ["480p", "720p", "768p", "1080p"].flatMap((resolution) =>
  VIDEO_RATIOS.map((ratio) => [resolution, ratio] as const),
);
const RATIOS = "1:1 3:2 2:3 4:3 3:4 5:4 4:5 16:9 9:16 2:1 1:2 21:9 9:21 3:1 1:3".split(" ");

describe("pixels", () => {
  it.each(VIDEO_SIZES)(
    "of a video of %s and %s: its short side, an even other one, its ratio",
    (resolution, ratio) => {
      const { width, height } = videoSize(resolution, ratio);
      const [across = 0, down = 0] = ratio.split(":").map(Number);
      expect(Math.min(width, height)).toBe(Number.parseInt(resolution, 10));
      expect([width % 2, height % 2]).toEqual([0, 0]);
      // An even number is at most one pixel away from the exact one.
      const exact = (Math.min(width, height) * Math.max(across, down)) / Math.min(across, down);
      expect(Math.abs(Math.max(width, height) - exact)).toBeLessThanOrEqual(1);
      expect(width > height).toBe(across > down);
      expect(nearestRatio({ width, height })).toBe(ratio);
    },
  );

  it.each(RATIOS)("of an image of ratio %s are listed for each tier, near that ratio and rising", (ratio) => {
    const [across = 0, down = 0] = ratio.split(":").map(Number);
    const areas = ["1k", "2k", "4k"].map((tier) => {
      const { width, height } = pictureSize(ratio, tier) ?? { width: 0, height: 0 };
      // The specification lists 1440x1088 for 5:4, six percent off; everything else is nearer.
      expect(Math.abs(width / height / (across / down) - 1)).toBeLessThan(0.06);
      return width * height;
    });
    expect(areas).toEqual(areas.toSorted((left, right) => left - right));
  });

  it("of an image may be given, within what can be drawn", () => {
    expect(pictureSize("640x361", "1k")).toEqual({ width: 640, height: 361 });
    for (const wrong of ["15x100", "100x8193", "100", "x100", "1.5x2", "7:5", "-16x16"])
      expect(pictureSize(wrong, "1k")).toBeUndefined();
  });
});
