import { describe, expect, it } from "vitest";
import { imageOrder, videoOrder } from "../../../test/support/task-api-contract.ts";
import { inlineImages, type ReadFile } from "./inline-images.ts";

/** In no hurry, and a clock that stands. */
const TIME = { withinMs: 900_000, clock: { nowMs: () => 0, monotonicMs: () => 0 } };

const PNG = Buffer.from("89504e470d0a1a0a00", "hex");

describe("an order for a vendor that wants files", () => {
  it("has its links fetched in order, what is inline already left alone", async () => {
    const asked: string[] = [];
    const read: ReadFile = async (url) => {
      asked.push(url);
      return {
        bytes: url.endsWith("1") ? PNG : Buffer.from("<svg/>"),
        headers: { "content-type": "image/svg+xml; x" },
      };
    };
    const images = ["https://a.example/1", "data:image/png;base64,AAAA", "HTTP://a.example/2"];
    expect(await inlineImages(imageOrder({ images }), read, TIME)).toEqual({
      type: "inlined",
      order: imageOrder({
        images: [
          `data:image/png;base64,${PNG.toString("base64")}`,
          "data:image/png;base64,AAAA",
          `data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}`,
        ],
      }),
    });
    expect(asked).toEqual(["https://a.example/1", "HTTP://a.example/2"]);
  });

  it.each([
    ["89504e470d0a1a0a", "image/png"],
    ["ffd8ffe000104a46", "image/jpeg"],
    ["474946383961", "image/gif"],
    ["524946460a0d2028574542505650", "image/webp"],
  ])("knows an image by its first bytes, whatever its server calls it: %s", async (hex, type) => {
    const read: ReadFile = async () => ({
      bytes: Buffer.from(hex, "hex"),
      headers: { "content-type": "application/octet-stream" },
    });
    expect(await inlineImages(imageOrder({ images: ["https://a.example/1"] }), read, TIME)).toMatchObject({
      order: { images: [expect.stringMatching(new RegExp(`^data:${type};base64,`))] },
    });
  });

  it("is refused where a link cannot be fetched or is no image, saying which", async () => {
    const order = imageOrder({ images: ["data:image/png;base64,AAAA", "https://a.example/1"] });
    const failing: ReadFile = () =>
      Promise.reject(new Error("Its host name does not lead to a public address."));
    expect(await inlineImages(order, failing, TIME)).toEqual({
      type: "refused",
      reason: "Reference image 2 can't be fetched: Its host name does not lead to a public address.",
    });
    const html: ReadFile = async () => ({
      bytes: Buffer.from("<html>"),
      headers: { "content-type": "text/html" },
    });
    expect(await inlineImages(order, html, TIME)).toEqual({
      type: "refused",
      reason: "Reference image 2 isn't an image.",
    });
  });

  it("takes no more than the images of one order may weigh together", async () => {
    const wished: number[] = [];
    const read: ReadFile = async (_url, { maxBytes }) => {
      wished.push(maxBytes);
      return { bytes: Buffer.concat([PNG, Buffer.alloc(maxBytes - PNG.length)]), headers: {} };
    };
    const images = Array.from({ length: 5 }, (_, index) => `https://a.example/${index}`);
    await inlineImages(imageOrder({ images }), read, TIME);
    const MB = 1024 * 1024;
    expect(wished.slice(0, 4)).toEqual([20 * MB, 20 * MB, 20 * MB, 4 * MB]);
  });

  it.each([
    [900_000, 120_000],
    [70_000, 70_000],
  ])(
    "is given up where its images are not there within its time or two minutes: %i ms",
    async (withinMs, most) => {
      let nowMs = 0;
      const wished: number[] = [];
      const slow: ReadFile = async (_url, { limits }) => {
        wished.push(limits.totalMs);
        nowMs += limits.totalMs;
        return { bytes: PNG, headers: {} };
      };
      const images = Array.from({ length: 100 }, (_, index) => `https://a.example/${index}`);
      const clock = { nowMs: () => 0, monotonicMs: () => nowMs };
      expect(await inlineImages(imageOrder({ images }), slow, { withinMs, clock })).toEqual({
        type: "refused",
        reason: expect.stringMatching(/^Reference image \d+ can't be fetched: /),
      });
      expect(nowMs).toBeLessThanOrEqual(most);
      expect(wished[0]).toBe(60_000);
    },
  );

  it("leaves a video's references to its vendor", async () => {
    const order = videoOrder("videoa");
    expect(await inlineImages(order, () => Promise.reject(new Error("asked")), TIME)).toEqual({
      type: "inlined",
      order,
    });
  });
});
