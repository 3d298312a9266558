import { describe, expect, it } from "vitest";
import type { Submission, VideoOrder } from "./family.ts";
import { videoc } from "./videoc.ts";

type Fields = Record<string, unknown>;
const URLS = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `https://x.example/${index + 1}`);
const read = (body: Fields): Submission =>
  videoc.read(
    { id: "videoc-H3-Comfy", variant: null },
    { prompt: "a cat", duration: 5, image_urls: URLS(1), ...body },
  );
const orderOf = (body: Fields): VideoOrder => read(body).order as VideoOrder;

describe("videoc", () => {
  it("fills in every default and always says generate", () => {
    expect(read({})).toEqual({
      order: {
        medium: "video",
        family: "videoc",
        prompt: "a cat",
        durationSeconds: 5,
        resolution: "768p",
        ratio: "9:16",
        audio: null,
        seed: null,
        watermark: null,
        references: [{ kind: "image", role: "reference", url: "https://x.example/1" }],
        returnLastFrame: false,
        tools: [],
        promptExtend: null,
        fileUrl: null,
        linkUrl: null,
      },
      units: { videoSeconds: { "768p": 5 } },
      action: "generate",
      violation: null,
    });
  });

  it("refuses nothing: whatever is wrong fails the accepted task", () => {
    const wrong: [Fields, RegExp][] = [
      [{ prompt: null }, /^`prompt` is required/],
      [{ prompt: "" }, /^`prompt` is required/],
      [{ prompt: 5 }, /^`prompt` must be a string/],
      [{ prompt: "x".repeat(7_001) }, /longer than 7000/],
      [{ duration: null }, /^`duration` is required/],
      [{ duration: 0 }, /^`duration`/],
      [{ duration: 16 }, /^`duration`/],
      [{ duration: -1 }, /^`duration`/],
      [{ duration: 2.5 }, /^`duration`/],
      [{ duration: "5" }, /^`duration`/],
      [{ resolution: "2K" }, /^`resolution` must be one of 480P, 768P, not "2K"/],
      [{ image_urls: [] }, /^`image_urls` is required/],
      [{ image_urls: null }, /^`image_urls` is required/],
      [{ image_urls: ["data:image/png;base64,AAAA"] }, /^`image_urls\[0\]` must be a public/],
      [{ audio_urls: ["asset://a"] }, /^`audio_urls\[0\]`/],
      [{ seed: 1.5 }, /^`seed`/],
    ];
    for (const [body, reason] of wrong) expect(read(body).violation).toMatch(reason);
  });

  it("holds the seconds within its bounds", () => {
    const held = (duration: unknown) => read({ duration }).units.videoSeconds?.["768p"];
    expect([1, 15, 16, 1e300, 0, -1, null, "x"].map(held)).toEqual([1, 15, 15, 15, 1, 1, 1, 1]);
    expect(read({ resolution: "480p" }).units).toEqual({ videoSeconds: { "480p": 5 } });
  });

  it("makes a portrait of any form that it does not know", () => {
    for (const ratio of ["16:9", "9:16", "1:1"]) expect(orderOf({ aspect_ratio: ratio }).ratio).toBe(ratio);
    for (const ratio of ["4:3", "adaptive", 5, {}, null]) {
      expect(orderOf({ aspect_ratio: ratio }).ratio).toBe("9:16");
      expect(read({ aspect_ratio: ratio }).violation).toBeNull();
    }
  });

  it("ignores images beyond 9, sounds beyond 3 and the fields of other families", () => {
    const { references } = orderOf({
      image_urls: [...URLS(9), "nonsense", 5],
      audio_urls: [...URLS(3), "nonsense"],
    });
    expect(references.filter(({ kind }) => kind === "image")).toHaveLength(9);
    expect(references.filter(({ kind }) => kind === "audio")).toHaveLength(3);
    const foreign = {
      first_frame_image: "x",
      last_frame_image: 5,
      image_with_roles: [{ role: "last_frame" }],
      video_urls: ["nonsense"],
      size: "1:1",
    };
    expect(read(foreign)).toEqual(read({}));
  });
});
