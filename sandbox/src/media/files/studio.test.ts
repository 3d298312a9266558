import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { probeBoxes, probePicture, probeVideo } from "../../testing/probes.ts";
import type { FileSpec, PictureSpec, VideoSpec } from "./file-spec.ts";
import { createStudio, type Studio } from "./studio.ts";

const DRAWING = { text: "A red fox in snow <&> “雪”", caption: "a caption", seed: 7 };
const image = (width: number, height: number, format: PictureSpec["format"] = "png"): PictureSpec => ({
  kind: "image",
  width,
  height,
  format,
  ...DRAWING,
});
const video = (change: Partial<VideoSpec>): VideoSpec => ({
  kind: "video",
  width: 640,
  height: 480,
  seconds: 5,
  sound: true,
  ...DRAWING,
  ...change,
});

describe("the studio", () => {
  let studio: Studio;
  beforeAll(() => {
    studio = createStudio();
  });
  afterAll(() => studio.close());
  const make = async (spec: FileSpec): Promise<Buffer> => (await studio.make(spec)).bytes;

  it.each([
    image(1680, 944),
    image(16, 16),
    image(333, 1001),
    image(768, 1024, "jpeg"),
    image(1024, 768, "webp"),
    image(3840, 1280, "jpeg"),
  ])("draws exactly the pixels asked for: $width x $height $format", async (spec) => {
    const { width, height, format } = spec;
    expect(probePicture(await make(spec))).toEqual({ format, width, height });
  });

  it("draws the prompt: another text is another image, a blank one is plainer", async () => {
    const size = { width: 400, height: 300 };
    const drawn = await make({ ...image(400, 300), ...size });
    const other = await make({ ...image(400, 300), text: "A blue fox in snow" });
    const blank = await make({ ...image(400, 300), text: "" });
    expect(drawn.equals(other)).toBe(false);
    expect(blank.length).toBeLessThan(drawn.length);
  });

  it.each([
    [1, true],
    [5, true],
    [7, false],
    [30, true],
  ])("makes a video of exactly %i seconds, with sound: %s", async (seconds, sound) => {
    const bytes = await make(video({ seconds, sound }));
    const { movieSeconds, tracks } = probeBoxes(bytes);
    expect(movieSeconds).toBe(seconds);
    expect(tracks.map((track) => [track.codec, track.seconds])).toEqual([
      ["avc1", seconds],
      ...(sound ? [["mp4a", seconds]] : []),
    ]);
    expect(await probeVideo(bytes)).toMatchObject({
      videoCodec: "avc",
      audioCodec: sound ? "aac" : null,
      seconds,
      frames: seconds * 24,
      keyFrames: seconds * 2,
    });
  });

  it.each([
    [1280, 720],
    [854, 480],
    [1120, 480],
    [768, 1366],
    [1080, 1080],
  ])(
    "makes a video of exactly %i x %i pixels, also where they do not fill a block",
    async (width, height) => {
      const bytes = await make(video({ width, height, seconds: 1 }));
      expect(await probeVideo(bytes)).toMatchObject({
        width,
        height,
        codecString: expect.stringMatching(/^avc1\./),
      });
      expect(probeBoxes(bytes).tracks[0]).toMatchObject({ width, height });
    },
  );

  it("draws the last frame of a video as an image of the same pixels", async () => {
    const { width, height, seconds, text, caption, seed } = video({ seconds: 4 });
    const bytes = await make({ kind: "last-frame", width, height, seconds, text, caption, seed });
    expect(probePicture(bytes)).toEqual({ format: "png", width, height });
  });

  it("makes a sound file of the seconds asked for", async () => {
    const bytes = await make({ kind: "sound", seconds: 3 });
    expect(bytes.toString("latin1", 0, 4)).toBe("RIFF");
    expect(bytes.readUInt32LE(40) / bytes.readUInt32LE(28)).toBe(3);
  });

  it("makes a file once, however often and at once it is asked for, and again when it was forgotten", async () => {
    const small = createStudio(40_000);
    try {
      const spec = image(200, 200);
      const [one, two] = await Promise.all([small.make(spec), small.make(spec)]);
      expect(one).toBe(two);
      expect(await small.make(spec)).toBe(one);
      expect(small.made()).toBe(1);
      for (let index = 0; index < 8; index += 1) await small.make({ ...spec, seed: index });
      const again = await small.make({ ...spec });
      expect(again.etag).toBe(one.etag);
      expect(small.made()).toBeGreaterThan(2);
      expect(one.etag).toBe(`"${createHash("sha256").update(again.bytes).digest("hex").slice(0, 32)}"`);
    } finally {
      await small.close();
    }
  });

  it("fails the file that cannot be made and goes on with the next", async () => {
    await expect(studio.make(video({ width: 0 }))).rejects.toThrow(/could not be made/);
    expect(probePicture(await make(image(20, 20))).width).toBe(20);
  });
});
