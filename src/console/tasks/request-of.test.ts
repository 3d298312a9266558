import { describe, expect, it } from "vitest";
import { FAMILIES } from "../../families/table.ts";
import { requestOf } from "./request-of.ts";

const PUBLIC = "https://example.com/a";
const CASES = [
  ["imagegen", "imagegen-2", { prompt: "a", size: "640x480" }],
  ["imagegen", "imagegen-2.5-flare", { prompt: "a", size: "16:9", resolution: "4K", image_urls: [PUBLIC] }],
  ["videoa", "videoa-2.5", { content: [{ type: "text", text: "a" }], duration: -1, seed: 4 }],
  [
    "videoa",
    "videoa-2.0",
    {
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: PUBLIC }, role: "first_frame" },
      ],
      watermark: true,
      return_last_frame: true,
      tools: [{ type: "web_search" }],
    },
  ],
  ["videob", "videob-3.0-video", { prompt: "a", duration: 5, image_urls: [PUBLIC, `${PUBLIC}2`] }],
  ["videob", "videob-3.0-video", { prompt: "a", duration: 5, link_url: PUBLIC, audio_url: PUBLIC, seed: 3 }],
  ["videoc", "videoc-H3-Comfy", { prompt: "a", duration: 3, image_urls: [PUBLIC], resolution: "480p" }],
] as const;

describe("a task's request", () => {
  it.each(CASES)("of %s, sent again (%s, %j), asks for the very same", (family, id, body) => {
    const model = { id, variant: null };
    const { order } = FAMILIES[family].read(model, body);
    const { request, shortened } = requestOf(JSON.stringify(order), id);
    expect(request["model"]).toBe(id);
    expect(FAMILIES[family].read(model, request).order).toEqual(order);
    expect(shortened).toBe(0);
  });

  it("says how many of its pictures are too large to be shown", () => {
    const data = (letters: number) => `data:image/png;base64,${"A".repeat(letters)}`;
    const body = { prompt: "a", image_urls: [data(1_000), data(400_000), `DATA${data(400_000).slice(4)}`] };
    const { order } = FAMILIES.imagegen.read({ id: "imagegen-2", variant: null }, body);
    expect(requestOf(JSON.stringify(order), "imagegen-2")).toMatchObject({
      request: { image_urls: [data(1_000), "data:image/png;base64,...", "DATA:image/png;base64,..."] },
      shortened: 2,
    });
  });
});
