import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { probeBoxes, probePicture, probeVideo } from "../../sandbox/src/testing/probes.ts";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";

const text = (words: string) => ({ type: "text", text: words });

/** From a submit to the file itself: what came back is looked at, not what was said of it. */
describe("a file", () => {
  let world: MediaWorld;
  beforeAll(async () => {
    world = await startMediaWorld();
  });
  afterAll(() => world.stop());

  const made = async (body: Readonly<Record<string, unknown>>) => {
    const { status, json } = await world.submit(body);
    expect(status).toBe(200);
    const record = await world.final(json.id);
    expect([record.fail_reason, record.status]).toEqual(["", "SUCCESS"]);
    return record;
  };
  const fetched = async (url: string): Promise<Buffer> => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  /** The first link that is there, as the specification tells clients to look. */
  // biome-ignore lint/suspicious/noExplicitAny: a wire form of three layouts
  const linkOf = ({ data }: any): string =>
    data.task?.outputs?.[0] ?? data.content?.video_url ?? data.result?.videos?.[0]?.url?.[0];

  it("of imagegen is a picture of the pixels asked for", async () => {
    const { data } = await made({ model: "imagegen-2", prompt: "a cat", size: "2:1", resolution: "2k" });
    expect(probePicture(await fetched(data[0].url))).toMatchObject({ width: 2688, height: 1344 });
  });

  const VIDEOS = [
    {
      body: { model: "videoa-2.0", content: [text("a cat")], duration: 4, ratio: "16:9" },
      seconds: 4,
      ratio: 16 / 9,
      short: 720,
      audio: true,
    },
    {
      body: {
        model: "videoa-2.5",
        content: [text("a cat")],
        duration: 5,
        ratio: "9:16",
        generate_audio: false,
      },
      seconds: 5,
      ratio: 9 / 16,
      short: 720,
      audio: false,
    },
    {
      body: { model: "videob-3.0-video", prompt: "a cat", duration: 2, resolution: "480P", size: "1:1" },
      seconds: 2,
      ratio: 1,
      short: 480,
      audio: true,
    },
    {
      body: {
        model: "videoc-H3-Comfy",
        prompt: "a cat",
        duration: 3,
        resolution: "480P",
        aspect_ratio: "16:9",
        image_urls: ["https://x.example/cat.png"],
      },
      seconds: 3,
      ratio: 16 / 9,
      short: 480,
      audio: true,
    },
  ];
  it.each(VIDEOS)("of $body.model is a video of the seconds, form and codecs asked for", async (asked) => {
    const bytes = await fetched(linkOf(await made(asked.body)));
    const { tracks, movieSeconds } = probeBoxes(bytes);
    expect(movieSeconds).toBeCloseTo(asked.seconds, 1);
    expect(tracks.map(({ codec }) => codec).sort()).toEqual(asked.audio ? ["avc1", "mp4a"] : ["avc1"]);
    const { width, height, seconds, videoCodec, audioCodec } = await probeVideo(bytes);
    expect(seconds).toBeCloseTo(asked.seconds, 1);
    expect([videoCodec, audioCodec]).toEqual(["avc", asked.audio ? "aac" : null]);
    expect(width / height).toBeCloseTo(asked.ratio, 1);
    expect(Math.abs(Math.min(width, height) - asked.short)).toBeLessThanOrEqual(16);
  });

  it("of a last frame is the first frame of the next video", async () => {
    const first = await made({
      model: "videoa-2.0",
      content: [text("a cat")],
      duration: 4,
      return_last_frame: true,
    });
    const frame = first.data.task.last_frame_url;
    const { width, height } = await probeVideo(await fetched(linkOf(first)));
    expect(probePicture(await fetched(frame))).toMatchObject({ width, height });
    const next = await made({
      model: "videoa-2.5",
      content: [
        text("and on it goes"),
        { type: "image_url", image_url: { url: frame }, role: "first_frame" },
      ],
      duration: 4,
    });
    expect(next.action).toBe("generate");
    expect((await probeVideo(await fetched(linkOf(next)))).seconds).toBeCloseTo(4, 1);
  });

  it("can be fetched in parts", async () => {
    const url = linkOf(await made(VIDEOS[2]?.body ?? {}));
    const whole = await fetched(url);
    const part = await fetch(url, { headers: { range: "bytes=4-11" } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(4, 12));
    expect(whole.toString("latin1", 4, 8)).toBe("ftyp");
  });

  it("of duration -1 has the seconds that the model chose", async () => {
    const prompt = "[[sandbox: seconds=6]] a cat";
    const record = await made({ model: "videob-3.0-video", prompt, duration: -1, resolution: "480P" });
    expect((await probeVideo(await fetched(linkOf(record)))).seconds).toBeCloseTo(6, 1);
  });
});
