import { describe, expect, it } from "vitest";
import { GatewayError } from "../errors.ts";
import type { Submission, VideoOrder } from "./family.ts";
import { videob } from "./videob.ts";

type Fields = Record<string, unknown>;
const URLS = (count: number, name = "a"): string[] =>
  Array.from({ length: count }, (_, index) => `https://x.example/${name}${index + 1}`);
const read = (body: Fields, id = "videob-3.0-video"): Submission =>
  videob.read({ id, variant: null }, { prompt: "a cat", duration: 5, ...body });
const orderOf = (body: Fields): VideoOrder => read(body).order as VideoOrder;
const outcome = (body: Fields): unknown => {
  try {
    return read(body).violation ?? "accepted";
  } catch (error) {
    return error instanceof GatewayError ? [error.status, error.code, error.param] : error;
  }
};
const roles = (body: Fields): string[] => orderOf(body).references.map(({ kind, role }) => `${kind} ${role}`);
const role = (name: unknown) => ({ url: "https://x.example/r", role: name });
const MIXED = [400, "invalid_request", "image_urls"];

describe("videob", () => {
  it("fills in every default, alike for prime", () => {
    const expected = {
      order: {
        medium: "video",
        family: "videob",
        prompt: "a cat",
        durationSeconds: 5,
        resolution: "1080p",
        ratio: "adaptive",
        audio: true,
        seed: null,
        watermark: false,
        references: [],
        returnLastFrame: false,
        tools: [],
        promptExtend: null,
        fileUrl: null,
        linkUrl: null,
      },
      units: { videoSeconds: { "1080p": 5 } },
      action: "textGenerate",
      violation: null,
    };
    expect(read({})).toEqual(expected);
    expect(read({}, "videob-3.0-video-prime")).toEqual(expected);
  });

  it("refuses a missing prompt, a missing duration and one outside 2 to 30", () => {
    for (const prompt of [null, "", [], 5])
      expect(outcome({ prompt })).toEqual([400, "invalid_request", "prompt"]);
    for (const duration of [null, "", 0, 1, 31, -2, 2.5, "5", true, {}])
      expect([duration, outcome({ duration })]).toEqual([duration, [400, "invalid_request", "duration"]]);
    for (const duration of [2, 30, -1]) expect(outcome({ duration })).toBe("accepted");
    expect(read({ duration: -1 }).units).toEqual({ videoSeconds: { "1080p": 30 } });
  });

  it("cuts the prompt at 20,000 characters, none of them in half", () => {
    expect(orderOf({ prompt: "x".repeat(20_001) }).prompt).toHaveLength(20_000);
    const cut = orderOf({ prompt: "😀".repeat(20_001) }).prompt;
    expect([...cut]).toHaveLength(20_000);
    expect(cut.endsWith("😀")).toBe(true);
    const whole = "😀".repeat(20_000);
    expect(orderOf({ prompt: whole }).prompt).toBe(whole);
  });

  it("takes the resolution in any case and `size` before its alias `aspect_ratio`", () => {
    expect(orderOf({ resolution: "480p" }).resolution).toBe("480p");
    expect(read({ resolution: "720P" }).units).toEqual({ videoSeconds: { "720p": 5 } });
    expect(orderOf({ aspect_ratio: "9:16" }).ratio).toBe("9:16");
    expect(orderOf({ size: "1:1", aspect_ratio: "9:16" }).ratio).toBe("1:1");
    expect(orderOf({ size: "", aspect_ratio: "9:16" }).ratio).toBe("9:16");
  });

  it("decides the purpose of image_urls: as said, beside references, else frames", () => {
    const two = { image_urls: URLS(2) };
    expect(roles({ image_urls: URLS(1) })).toEqual(["image first_frame"]);
    expect(roles(two)).toEqual(["image first_frame", "image last_frame"]);
    expect(roles({ ...two, generation_type: "frame" })).toEqual(["image first_frame", "image last_frame"]);
    expect(roles({ ...two, generation_type: "reference" })).toEqual(["image reference", "image reference"]);
    const beside: Fields[] = [
      { video_urls: URLS(1) },
      { audio_urls: URLS(1) },
      { audio_url: "https://x.example/a" },
      { file_url: "https://x.example/f.pdf" },
      { link_url: "https://x.example/page" },
    ];
    for (const more of beside) {
      expect(roles({ ...two, ...more }).slice(0, 2)).toEqual(["image reference", "image reference"]);
      expect(outcome({ ...two, ...more })).toBe("accepted");
      expect(outcome({ ...two, ...more, generation_type: "frame" })).toEqual(MIXED);
      expect(outcome({ image_with_roles: [role("first_frame")], ...more })).toEqual(MIXED);
    }
  });

  it("refuses frames mixed with references, even where a part is wrong by itself", () => {
    const mixed: Fields[] = [
      { image_urls: URLS(1), image_with_roles: [role("reference_image")] },
      { image_with_roles: [role("first_frame"), role("reference_image")] },
      { image_with_roles: [role("last_frame")], image_urls: URLS(1), generation_type: "reference" },
      { image_with_roles: [role("first_frame")], video_urls: ["ftp://x"] },
      { image_with_roles: [{ role: "first_frame", url: 5 }], file_url: "nonsense" },
    ];
    for (const body of mixed) expect(outcome(body)).toEqual(MIXED);
  });

  it("keeps images in order: image_urls, then those with roles", () => {
    const body = { image_with_roles: [role("first_frame"), role("last_frame")] };
    expect(roles(body)).toEqual(["image first_frame", "image last_frame"]);
    expect(
      roles({
        image_with_roles: [role("reference_image")],
        image_urls: URLS(1),
        generation_type: "reference",
      }),
    ).toEqual(["image reference", "image reference"]);
  });

  it("appends audio_url to audio_urls", () => {
    const { references } = orderOf({
      image_urls: URLS(1),
      audio_urls: URLS(2, "s"),
      audio_url: "https://x.example/last",
    });
    expect(references.map(({ url }) => url.split("/").at(-1))).toEqual(["a1", "s1", "s2", "last"]);
  });

  it("turns prompt_extend on beside a document or a page, and fails where it is forbidden", () => {
    for (const name of ["file_url", "link_url"]) {
      const source = { [name]: "https://x.example/d" };
      expect(orderOf(source).promptExtend).toBe(true);
      expect(orderOf({ ...source, prompt_extend: true }).promptExtend).toBe(true);
      expect(outcome({ ...source, prompt_extend: false })).toMatch(/^`prompt_extend` must be true/);
      expect(read(source).action).toBe("generate");
    }
    expect(orderOf({ prompt_extend: false }).promptExtend).toBe(false);
  });

  it("fails the task for everything else that is wrong", () => {
    const wrong: [Fields, RegExp][] = [
      [{ resolution: "4K" }, /^`resolution` must be one of 480P, 720P, 1080P/],
      [{ size: "2:1" }, /^`size`/],
      [{ audio: "yes" }, /^`audio`/],
      [{ seed: -1 }, /^`seed`/],
      [{ seed: 2_147_483_648 }, /^`seed`/],
      [{ watermark: 0 }, /^`watermark`/],
      [{ generation_type: "both" }, /^`generation_type`/],
      [{ image_urls: "https://x.example/a" }, /^`image_urls` must be an array/],
      [{ image_urls: ["data:image/png;base64,AAAA"] }, /^`image_urls\[0\]` must be a public/],
      [{ image_urls: ["asset://asset-1"] }, /^`image_urls\[0\]` must be a public/],
      [{ image_urls: URLS(3) }, /one first frame and one last frame, not 3 frames/],
      [{ image_urls: URLS(11), generation_type: "reference" }, /^`image_urls` takes at most 10/],
      [{ image_with_roles: [role("last_frame")] }, /last frame requires a first/],
      [{ image_with_roles: [role("cover")] }, /^`image_with_roles\[0\]\.role`/],
      [{ image_with_roles: [{ role: "first_frame" }] }, /^`image_with_roles\[0\]\.url`/],
      [{ video_urls: URLS(6) }, /^`video_urls` takes at most 5/],
      [
        { audio_urls: URLS(5), audio_url: "https://x.example/6", video_urls: URLS(1) },
        /At most 5 reference audio files/,
      ],
      [{ audio_urls: URLS(1) }, /requires a reference image or video/],
      [{ audio_url: "https://x.example/s", file_url: "https://x.example/f" }, /requires a reference image/],
      [{ file_url: "https://x.example/f", link_url: "https://x.example/l" }, /can't be combined/],
      [{ duration: 30, video_urls: URLS(1) }, /together exceed 30 seconds/],
    ];
    for (const [body, reason] of wrong) expect(outcome(body)).toMatch(reason);
  });
});
