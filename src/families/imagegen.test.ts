import { describe, expect, it } from "vitest";
import { IMAGE_SIZES } from "../../test/support/image-sizes.ts";
import { GatewayError } from "../errors.ts";
import type { ImageOrder, Submission } from "./family.ts";
import { imagegen } from "./imagegen.ts";

const MODEL = { id: "imagegen-2", variant: null };
const read = (body: Record<string, unknown>): Submission =>
  imagegen.read(MODEL, { prompt: "a cat", ...body });
const orderOf = (body: Record<string, unknown>): ImageOrder => read(body).order as ImageOrder;
const refusal = (body: Record<string, unknown>): unknown => {
  try {
    return imagegen.read(MODEL, body).violation ?? "accepted";
  } catch (error) {
    return error instanceof GatewayError ? [error.status, error.code, error.param] : error;
  }
};

describe("imagegen", () => {
  it("draws every ratio in every tier at the specification's pixels, billed by the tier", () => {
    expect(IMAGE_SIZES).toHaveLength(45);
    for (const { size, tier, pixels } of IMAGE_SIZES) {
      const { order, units, violation } = read({ size, resolution: tier.toUpperCase() });
      const { widthPx, heightPx, ratio } = order as ImageOrder;
      expect(`${widthPx}x${heightPx}`).toBe(pixels);
      expect([ratio, units, violation]).toEqual([size, { images: { [tier]: 1 } }, null]);
    }
  });

  it("fills in 1:1 at 1k", () => {
    expect(orderOf({})).toEqual({
      medium: "image",
      family: "imagegen",
      prompt: "a cat",
      widthPx: 1248,
      heightPx: 1248,
      ratio: "1:1",
      tier: "1k",
      quality: null,
      images: [],
    });
  });

  it("bills exact pixels by their number, whatever the resolution says", () => {
    const tiers = {
      "1680x944": "1k",
      "944x1680": "1k",
      "1680x945": "2k",
      "16x16": "1k",
      "2560x2048": "2k",
      "2560x2049": "4k",
      "3840x1280": "2k",
      "3840x2160": "4k",
    };
    for (const [size, tier] of Object.entries(tiers)) {
      for (const resolution of [undefined, "4k", "1k", "8k", 5]) {
        const { order, units } = read({ size, resolution });
        expect([size, units]).toEqual([size, { images: { [tier]: 1 } }]);
        expect(order).toMatchObject({ ratio: null, tier });
        expect(`${(order as ImageOrder).widthPx}x${(order as ImageOrder).heightPx}`).toBe(size);
      }
    }
  });

  it("refuses what the specification refuses, naming the field", () => {
    const because = (param: string) => [400, "invalid_request", param];
    expect(refusal({})).toEqual(because("prompt"));
    for (const prompt of [null, "", [], 5, {}, ["a"]]) expect(refusal({ prompt })).toEqual(because("prompt"));
    for (const size of ["7:5", "1024", "1024X768", "0x100", "1e3x100", "100x", "-1x5", "1024x768x2", 5, {}])
      expect(refusal({ prompt: "x", size })).toEqual(because("size"));
    for (const resolution of ["8k", "1080p", 1, true])
      expect(refusal({ prompt: "x", resolution })).toEqual(because("resolution"));
    for (const url of [
      "ftp://x/y",
      "x.png",
      "data:text/plain;base64,AA",
      "data:image/png,AA",
      "asset://a",
      5,
      null,
    ])
      expect(refusal({ prompt: "x", image_urls: [url] })).toEqual(because("image_urls"));
    expect(refusal({ prompt: "x", image_urls: "https://x.example/a.png" })).toEqual(because("image_urls"));
  });

  it("refuses what would make another image than is meant, or more of them, naming the field", () => {
    const because = (param: string) => [400, "invalid_request", param];
    for (const n of [2, 10, 0, -1, 1.5, "1", "2", true, {}, [1]])
      expect(refusal({ prompt: "x", n }), `n ${n}`).toEqual(because("n"));
    for (const name of ["mask", "image"])
      for (const value of [
        "https://x.example/a.png",
        "data:image/png;base64,AAAA",
        ["a"],
        { url: "a" },
        0,
        false,
      ])
        expect(refusal({ prompt: "x", [name]: value })).toEqual(because(name));
    for (const absent of [undefined, null, "", []])
      expect(read({ n: absent, mask: absent, image: absent })).toEqual(read({}));
    expect(read({ n: 1 })).toEqual(read({}));
  });

  it("fails the task for more images than anyone looks at, and refuses an endless address", () => {
    const url = "https://x.example/a.png";
    expect(read({ image_urls: Array(100).fill(url) }).violation).toBeNull();
    expect(read({ image_urls: Array(101).fill(url) }).violation).toMatch(/takes at most 100 items, not 101/);
    expect(refusal({ prompt: "x", image_urls: [`https://x.example/${"a".repeat(20_000)}`] })).toEqual([
      ...[400, "invalid_request", "image_urls"],
    ]);
  });

  it("keeps reference images in order and of both kinds; one above 20 MB fails the task", () => {
    const images = ["https://x.example/a.png", "data:image/jpeg;base64,AAAA", "HTTP://x.example/b"];
    expect(orderOf({ image_urls: images }).images).toEqual([...images.slice(0, 2), "http://x.example/b"]);
    expect(read({ image_urls: images }).action).toBe("generate");
    expect(read({}).action).toBe("textGenerate");
    for (const scheme of ["data", "DATA"]) {
      const large = `${scheme}:image/png;base64,${"A".repeat(28_000_000)}`;
      expect(read({ image_urls: [...images, large] }).violation).toBe(
        "`image_urls[3]` is larger than 20 MB.",
      );
    }
  });

  it("always draws flare and sunburst at high quality, the plain model as the vendor does", () => {
    const quality = (id: string, variant: string | null = null) =>
      (imagegen.read({ id, variant }, { prompt: "x", quality: "low" }).order as ImageOrder).quality;
    expect(quality("imagegen-2")).toBeNull();
    expect(quality("imagegen-2.5-flare")).toBe("high");
    expect(quality("imagegen-2.5-sunburst")).toBe("high");
    expect(quality("mine", "2.5-flare")).toBe("high");
  });
});
