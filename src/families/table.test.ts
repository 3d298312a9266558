import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicUrl } from "../base/fetch/public-url.ts";
import { readAllowList } from "../base/fetch/safe-fetch-allow.ts";
import { GatewayError } from "../errors.ts";
import type { FamilyModel, FamilyName, Submission } from "./family.ts";
import { FAMILIES, familyOf } from "./table.ts";
import type { IsPublic } from "./url-form.ts";

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
    "http://127.0.0.1:5432/a.png",
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

type Place = readonly [name: string, body: (url: string) => Record<string, unknown>];

const lists = (base: object, ...fields: readonly string[]): Place[] =>
  fields.map((field) => [`${field}[0]`, (url) => ({ ...base, [field]: [url] })]);
const content = (type: string, role: string): Place => [
  `content[1].${type}.url`,
  (url) => ({
    content: [
      { type: "text", text: "a cat" },
      { type, role, [type]: { url } },
    ],
  }),
];
const VIDEOB = { prompt: "a cat", duration: 5 };
const VIDEOC = { prompt: "a cat", duration: 5 };

/** Every place of a request that holds a URL for the vendor to fetch. */
const PLACES: Readonly<Record<FamilyName, readonly Place[]>> = {
  imagegen: lists({ prompt: "a cat" }, "image_urls"),
  videoa: [
    content("image_url", "first_frame"),
    content("video_url", "reference_video"),
    [
      "content[2].audio_url.url",
      (url) => ({
        content: [
          { type: "text", text: "a cat" },
          { type: "image_url", role: "reference_image", image_url: { url: "https://x.example/b.png" } },
          { type: "audio_url", role: "reference_audio", audio_url: { url } },
        ],
      }),
    ],
  ],
  videob: [
    ...lists(VIDEOB, "image_urls", "video_urls"),
    ...lists({ ...VIDEOB, video_urls: ["https://x.example/b.mp4"] }, "audio_urls"),
    ["audio_url", (url) => ({ ...VIDEOB, video_urls: ["https://x.example/b.mp4"], audio_url: url })],
    ["image_with_roles[0].url", (url) => ({ ...VIDEOB, image_with_roles: [{ url, role: "first_frame" }] })],
    ["file_url", (url) => ({ ...VIDEOB, file_url: url })],
    ["link_url", (url) => ({ ...VIDEOB, link_url: url })],
  ],
  videoc: [
    ...lists(VIDEOC, "image_urls"),
    ...lists({ ...VIDEOC, image_urls: ["https://x.example/b.png"] }, "audio_urls"),
  ],
};

describe.each(cases)("family $family.name, $model.id", ({ family, model }) => {
  const names = [...Object.keys(family.fields(model)), "aspect_ratio"];
  const read = (body: Record<string, unknown>, isPublic?: IsPublic): Submission | undefined => {
    try {
      return family.read(model, body, isPublic);
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

  it.each(PLACES[family.name])("names the field that holds a private address: %s", (place, body) => {
    const judged = (url: string, isPublic: IsPublic = isPublicUrl): string | null => {
      try {
        return family.read(model, body(url), isPublic).violation;
      } catch (error) {
        if (error instanceof GatewayError && error.status === 400) return error.message;
        throw error;
      }
    };
    const allowed = readAllowList(["10.0.0.0/8"]);
    const isPublic = (url: string) => isPublicUrl(url, allowed);
    expect(judged("https://x.example/a.png")).toBeNull();
    expect(judged("http://10.1.2.3/a.png")).toContain(`\`${place}\` must be a public http(s) URL`);
    expect(judged("http://10.1.2.3/a.png", isPublic)).toBeNull();
    expect(judged("http://127.0.0.1/a.png", isPublic)).toContain(`\`${place}\` must be`);
  });

  it.each(PLACES[family.name])(
    "reads the scheme and the host of an address in any case: %s",
    (_place, body) => {
      const spelled = read(body("HTTPS://User@X.Example/A.png?Sig=B"));
      expect(spelled).toEqual(read(body("https://User@x.example/A.png?Sig=B")));
      expect(JSON.stringify(spelled?.order)).toContain('"https://User@x.example/A.png?Sig=B"');
      expect(spelled?.violation).toBeNull();
    },
  );

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
