import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GatewayError } from "../errors.ts";
import type { FamilyModel, Submission } from "./family.ts";
import { FAMILIES, familyOf } from "./table.ts";

const MODELS = {
  imagegen: ["imagegen-2", "imagegen-2.5-flare", "imagegen-2.5-sunburst"],
  videoa: ["videoa-2.0", "videoa-2.0-fast", "videoa-2.0-mini", "videoa-2.5"],
  videob: ["videob-3.0-video", "videob-3.0-video-prime"],
  videoc: ["videoc-H3-Comfy"],
} as const;

const cases = Object.values(FAMILIES).flatMap((family) =>
  MODELS[family.name].map((id) => ({ family, model: { id, variant: null } satisfies FamilyModel })),
);

/** Bodies that come near enough to get past the first check, and any JSON in every field. */
function bodyOf(names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const url = fc.constantFrom(
    "https://x.example/a",
    "asset://asset-1",
    "data:image/png;base64,AAAA",
    "ftp://x",
  );
  const item = fc.record(
    {
      type: fc.constantFrom("text", "image_url", "video_url", "audio_url", "web_search", 5),
      text: fc.constantFrom("edit it", "a cat", ""),
      image_url: fc.record({ url }),
      video_url: fc.record({ url }),
      audio_url: fc.record({ url }),
      role: fc.constantFrom("first_frame", "last_frame", "reference_image", "reference_video", null, 7),
      url,
    },
    { requiredKeys: [] },
  );
  const value = fc.oneof(
    fc.constantFrom("a cat", "720p", "1080P", "2k", "16:9", "1024x768", "adaptive", "reference", "", null),
    fc.constantFrom(5, -1, 0, 2, 30, 31, 1e300, 5.5, true, false),
    fc.array(fc.oneof(url, item), { maxLength: 12 }),
    fc.jsonValue(),
  );
  return fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
}

describe.each(cases)("family $family.name, $model.id", ({ family, model }) => {
  const names = [...Object.keys(family.fields(model)), "aspect_ratio"];
  const read = (body: Record<string, unknown>): Submission | undefined => {
    try {
      return family.read(model, body);
    } catch (error) {
      if (error instanceof GatewayError && error.status === 400) return undefined;
      throw error;
    }
  };

  it("reads any body or refuses it with 400, and never breaks", () => {
    fc.assert(
      fc.property(bodyOf(names), (body) => void read(body)),
      { numRuns: 500 },
    );
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => void read(body)));
  });

  it("bills whole units of a word that it is priced by, never more than its most", () => {
    fc.assert(
      fc.property(bodyOf(names), (body) => {
        const submission = read(body);
        if (submission === undefined) return;
        const units = submission.units.images ?? submission.units.videoSeconds ?? {};
        const [[word, count] = ["", -1], ...more] = Object.entries(units);
        expect(more).toEqual([]);
        expect(family.priceWords(model)).toContain(word);
        expect(Number.isInteger(count)).toBe(true);
        expect(count).toBeGreaterThan(0);
        const longest = { imagegen: 1, videoa: model.id.endsWith("2.5") ? 30 : 15, videob: 30, videoc: 15 };
        expect(count).toBeLessThanOrEqual(longest[family.name]);
      }),
      { numRuns: 500 },
    );
  });

  it("writes every default into the order, so that no vendor's own one counts", () => {
    fc.assert(
      fc.property(bodyOf(names), (body) => {
        const order = read(body)?.order;
        if (order === undefined) return;
        for (const value of Object.values(order)) expect(value).not.toBeUndefined();
        expect(JSON.parse(JSON.stringify(order))).toEqual(order);
      }),
    );
  });

  it("counts null, an empty text and an empty list as absent", () => {
    fc.assert(
      fc.property(bodyOf(names), fc.constantFrom(null, "", []), (body, nothing) => {
        const padded = Object.fromEntries(names.map((name) => [name, nothing]));
        expect(read({ ...padded, ...body })).toEqual(read(body));
      }),
    );
  });

  it("knows its variant and describes every field for people", () => {
    expect(family.variants).toContain(family.variantOf(model));
    expect(familyOf(family.name)).toBe(family);
    for (const field of Object.values(family.fields(model))) expect(field.about).toMatch(/^[A-Z`O]/);
  });
});

describe("a variant", () => {
  it("is the longest that the id ends with, or what the catalog says, or not known", () => {
    const { videoa, imagegen } = FAMILIES;
    expect(videoa.variantOf({ id: "vendor/seedance-2.0-FAST", variant: null })).toBe("2.0-fast");
    expect(videoa.variantOf({ id: "mine", variant: "2.5" })).toBe("2.5");
    expect(videoa.variantOf({ id: "mine", variant: null })).toBeUndefined();
    expect(videoa.variantOf({ id: "videoa-2.0", variant: "3.0" })).toBeUndefined();
    expect(imagegen.variantOf({ id: "mine", variant: null })).toBe("2");
    expect(FAMILIES.videob.variantOf({ id: "mine", variant: "4" })).toBeUndefined();
  });
});
