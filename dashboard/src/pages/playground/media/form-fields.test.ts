import { describe, expect, it } from "vitest";
import { schemaOfFields } from "../../../../../src/families/field-schema.ts";
import { FAMILIES } from "../../../../../src/families/table.ts";
import { formFields } from "./form-fields.ts";
import { newItem, requestBody, setAt, variantOfItem, withValue } from "./request-body.ts";

const LINK = "https://example.com/a";

function fieldsOf(family: keyof typeof FAMILIES, id: string) {
  const schema = schemaOfFields(FAMILIES[family].fields({ id, variant: null }));
  // As it arrives: through JSON.
  return formFields(JSON.parse(JSON.stringify(schema)));
}

/** Name and kind of each field, required ones marked. */
const outline = (fields: ReturnType<typeof fieldsOf>) =>
  fields.map(({ name, kind, required }) => `${name}${required ? "*" : ""} ${kind}`);

describe("the form of a family", () => {
  it("of images", () => {
    const fields = fieldsOf("imagegen", "imagegen-2");
    expect(outline(fields)).toEqual(["prompt* text", "size choice", "resolution choice", "image_urls links"]);
    const [, size, resolution, images] = fields;
    expect(size).toMatchObject({ byDefault: "1:1", orLike: expect.stringContaining("x") });
    expect(resolution).toMatchObject({ values: ["1k", "2k", "4k"], byDefault: "1k", orLike: undefined });
    expect(images).toMatchObject({ single: false, most: 100, files: true });
  });

  it("of videos from a list of materials", () => {
    const fields = fieldsOf("videoa", "videoa-2.5");
    expect(outline(fields)).toEqual([
      ...["content* items", "resolution choice", "ratio choice", "duration whole", "generate_audio flag"],
      ...["seed whole", "watermark flag", "return_last_frame flag", "tools items"],
    ]);
    expect(fields[3]).toMatchObject({ least: 4, most: 30, also: -1, byDefault: 5 });
    const content = fields[0];
    expect(content?.kind === "items" && content.variants).toMatchObject([
      { fixed: { type: "text" }, inputs: [{ way: ["text"], required: true }] },
      {
        fixed: { type: "image_url" },
        inputs: [
          { way: ["image_url", "url"], required: true },
          { way: ["role"], required: false },
        ],
      },
      { fixed: { type: "video_url" }, inputs: [{}, { values: ["reference_video"], required: true }] },
      { fixed: { type: "audio_url" } },
    ]);
    expect(fields[8]).toMatchObject({ variants: [{ fixed: { type: "web_search" }, inputs: [] }] });
  });

  it("of videos from links, with each field under one name only", () => {
    const fields = fieldsOf("videob", "videob-3.0-video");
    const names = fields.map(({ name }) => name);
    expect(names).toContain("size");
    expect(names).not.toContain("aspect_ratio");
    expect(fields.find(({ name }) => name === "prompt_extend")).toMatchObject({ byDefault: undefined });
    expect(fields.find(({ name }) => name === "link_url")).toMatchObject({ kind: "links", single: true });
    expect(fields.find(({ name }) => name === "image_with_roles")).toMatchObject({
      variants: [
        { inputs: [{ way: ["url"] }, { values: ["first_frame", "last_frame", "reference_image"] }] },
      ],
    });
  });

  it("of videos from reference images", () => {
    const fields = fieldsOf("videoc", "videoc-H3-Comfy");
    expect(outline(fields)).toEqual([
      ...["prompt* text", "duration* whole", "resolution choice", "aspect_ratio choice", "seed whole"],
      ...["image_urls* links", "audio_urls links"],
    ]);
    expect(fields[5]).toMatchObject({ most: 9, files: false });
    expect(fields[3]).toMatchObject({ values: ["16:9", "9:16", "1:1"], byDefault: "9:16" });
  });
});

describe("the request of a form", () => {
  it("holds what was filled in and nothing else, and its family takes it", () => {
    const fields = fieldsOf("videoa", "videoa-2.5");
    const content = fields[0];
    if (content?.kind !== "items") throw new Error("content is a list of items");
    const [text, image] = content.variants;
    if (text === undefined || image === undefined) throw new Error("texts and images are among them");
    const items = [
      setAt(newItem(text), ["text"], "the sea"),
      setAt(setAt(newItem(image), ["image_url", "url"], LINK), ["role"], "first_frame"),
    ];
    expect(items.map((item) => variantOfItem(content.variants, item))).toEqual([text, image]);
    let values = withValue({ gone: 1 }, "content", items);
    values = withValue(withValue(values, "seed", 7), "seed", undefined);
    values = withValue(values, "ratio", "adaptive");
    const body = requestBody("videoa-2.5", fields, values);
    expect(body).toEqual({ model: "videoa-2.5", content: items, ratio: "adaptive" });
    const { order, violation } = FAMILIES.videoa.read({ id: "videoa-2.5", variant: null }, body);
    expect(violation).toBeNull();
    expect(order).toMatchObject({ prompt: "the sea", references: [{ role: "first_frame", url: LINK }] });
  });

  it("holds no value chosen for another model that the form shows as its default", () => {
    const values = { prompt: "a", resolution: "1080p", ratio: "9:16" };
    expect(requestBody("m", fieldsOf("videoa", "videoa-2.5"), values)).toHaveProperty("resolution", "1080p");
    expect(requestBody("m", fieldsOf("videoa", "videoa-2.0-fast"), values)).toEqual({
      model: "m",
      ratio: "9:16",
    });
    const spelled = { prompt: "a", resolution: "4K" };
    expect(requestBody("m", fieldsOf("imagegen", "imagegen-2"), spelled)).toEqual({ model: "m", ...spelled });
    expect(
      requestBody("m", fieldsOf("videoc", "videoc-H3-Comfy"), { prompt: "a", image_urls: LINK }),
    ).toEqual({ model: "m", prompt: "a" });
  });

  it("leaves blank links out", () => {
    const fields = fieldsOf("imagegen", "imagegen-2");
    expect(requestBody("m", fields, { prompt: "a", image_urls: ["", LINK] })).toEqual({
      model: "m",
      prompt: "a",
      image_urls: [LINK],
    });
    expect(requestBody("m", fields, { prompt: "", image_urls: [""] })).toEqual({ model: "m" });
  });
});
