import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { probeBoxes, probeVideo } from "../../testing/probes.ts";
import { VIDEO_RATIOS, VIDEO_RESOLUTIONS, videoSize } from "../pixels.ts";
import { drawPicture, paintRow } from "./draw.ts";
import { makePicture } from "./image.ts";
import { makeLastFrame, makeVideo, type StoredGroup } from "./video.ts";

const drawings = fc.record({
  width: fc.integer({ min: 16, max: 300 }),
  height: fc.integer({ min: 16, max: 300 }),
  text: fc.string({ unit: "binary", maxLength: 80 }),
  caption: fc.string({ maxLength: 30 }),
  seed: fc.nat(),
});
type Drawn = Parameters<typeof drawPicture>[0];

/** The channels of a file's pixels, read by a decoder that shares no code with the sandbox. */
async function decoded(
  bytes: Buffer,
): Promise<{ data: Buffer; width: number; height: number; alpha: boolean }> {
  const image = sharp(bytes, { sequentialRead: true });
  const { hasAlpha } = await image.metadata();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, alpha: hasAlpha };
}

function painted(drawing: Drawn): Buffer {
  const { width, height, row } = drawPicture(drawing);
  const colors = new Uint32Array(width * height);
  for (let y = 0; y < height; y += 1) paintRow(row(y), width, colors, y * width);
  return Buffer.from([...colors].flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
}

/** Root of the mean of the squared differences, in steps of 0 to 255. */
function distance(one: Buffer, other: Buffer): number {
  const sum = one.reduce((total, value, index) => total + (value - (other[index] ?? 0)) ** 2, 0);
  return Math.sqrt(sum / one.length);
}

describe("an image's file", () => {
  it.each(["png", "webp"] as const)("is, as %s, exactly what was drawn, whatever that is", async (format) => {
    await fc.assert(
      fc.asyncProperty(drawings, async (drawing) => {
        const { width, height } = drawing;
        const file = await decoded(await makePicture({ kind: "image", format, ...drawing }));
        expect(file).toMatchObject({ width, height, alpha: false });
        expect(file.data.equals(painted(drawing))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("is, as jpeg, nearly what was drawn, whatever that is", async () => {
    await fc.assert(
      fc.asyncProperty(drawings, async (drawing) => {
        const { width, height } = drawing;
        const file = await decoded(await makePicture({ kind: "image", format: "jpeg", ...drawing }));
        expect(file).toMatchObject({ width, height, alpha: false });
        expect(distance(file.data, painted(drawing))).toBeLessThan(12);
      }),
      { numRuns: 60 },
    );
  });

  it.each(["png", "jpeg", "webp"] as const)("reaches the longest side as %s", async (format) => {
    const drawing = { width: 8_192, height: 17, text: "A long fox", caption: "", seed: 3 };
    const file = await decoded(await makePicture({ kind: "image", format, ...drawing }));
    expect(file).toMatchObject({ width: 8_192, height: 17 });
    expect(distance(file.data, painted(drawing))).toBeLessThan(12);
  });

  it("carries, as png, the whole text, which a small image has no room for", async () => {
    const drawing = {
      width: 16,
      height: 16,
      text: `“雪” ${"fox ".repeat(90)}`,
      caption: "imagegen-2",
      seed: 5,
    };
    const { comments } = await sharp(
      await makePicture({ kind: "image", format: "png", ...drawing }),
    ).metadata();
    expect(comments).toEqual([
      { keyword: "Title", text: drawing.text },
      { keyword: "Comment", text: "imagegen-2, seed 5" },
    ]);
  });
});

describe("a video's file", () => {
  const SIZES = VIDEO_RESOLUTIONS.flatMap((resolution) =>
    VIDEO_RATIOS.map((ratio) => videoSize(resolution, ratio)),
  );
  const about = { text: "A fox says “雪”", caption: "videoa-2.0", seed: 5 };

  it.each(SIZES)("is there in every size that can be ordered: $width x $height", async (size) => {
    const bytes = await makeVideo({ kind: "video", ...size, ...about, seconds: 2, sound: true });
    expect(await probeVideo(bytes)).toMatchObject({ ...size, seconds: 2, frames: 48, keyFrames: 4 });
    expect(probeBoxes(bytes).tracks[0]).toMatchObject(size);
  });

  it("carries the text and what told it from others, so that other orders are other files", async () => {
    const bytes = await makeVideo({
      kind: "video",
      width: 480,
      height: 480,
      ...about,
      seconds: 1,
      sound: false,
    });
    expect(await probeVideo(bytes)).toMatchObject({ title: about.text, comment: "videoa-2.0, seed 5" });
  });

  it("repeats the frames that are drawn today, and its last frame is one of them", async () => {
    const script = fileURLToPath(new URL("../../testing/write-video-groups.ts", import.meta.url));
    const loader = import.meta.resolve("tsx");
    const written = execFileSync(process.execPath, ["--import", loader, script, "480x480"], {
      encoding: "utf8",
    });
    const stored = readFileSync(new URL("../../../video-groups.json", import.meta.url), "utf8");
    const groupOf = (text: string) => (JSON.parse(text) as Record<string, StoredGroup>)["480x480"];
    expect(groupOf(written)).toEqual(groupOf(stored));
    const size = { width: 480, height: 480 };
    const last = await decoded(await makeLastFrame({ kind: "last-frame", ...size, ...about, seconds: 1 }));
    const drawn = painted({ ...size, text: "Faregate sandbox", caption: "480x480", seed: 480 * 480, bar: 1 });
    expect(last.data.equals(drawn)).toBe(true);
  });
});
