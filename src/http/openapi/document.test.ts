import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { API_TYPES, apiTypes } from "../../../test/support/api-types.ts";
import { schemaOfFields } from "../../families/field-schema.ts";
import { FAMILIES } from "../../families/table.ts";
import { openApi } from "./document.ts";

const document = openApi("1.2.3", []) as { paths: Record<string, Record<string, Record<string, unknown>>> };

describe("the description of the API", () => {
  it("has every path of images, videos and assets, each with a sentence", () => {
    for (const path of [
      "/v1/images/generations",
      "/v1/images/tasks/{id}",
      "/v2/videos/generations",
      "/v2/videos/generations/{id}",
      "/v1/videoa/asset/create",
      "/v1/videoa/asset/{id}",
      "/v1/capabilities",
    ])
      expect(Object.values(document.paths[path] ?? {})[0]?.["summary"]).toMatch(/^[A-Z]/);
  });

  it("declares what stands in braces in each path, as generators of clients ask for", () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const operation of Object.values(operations)) {
        const parameters = (operation["parameters"] ?? []) as { in: string; name: string }[];
        const declared = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
        expect([path, declared]).toEqual([path, named]);
      }
    }
  });

  it("has a sentence for every status that it names, and the 403 of who may not read the webhook secret", () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const operation of Object.values(operations))
        for (const [status, response] of Object.entries(operation["responses"] ?? {}))
          expect([path, status, response]).toEqual([
            path,
            expect.stringMatching(/^[2-5]\d\d$/),
            expect.objectContaining({ description: expect.stringMatching(/\w/) }),
          ]);
    }
    expect(document.paths["/v1/webhooks/secret"]?.["get"]?.["responses"]).toHaveProperty("403");
  });

  it("is what the types of the dashboard's calls were made from", async () => {
    expect(readFileSync(API_TYPES, "utf8"), "npm run docs:api writes them anew").toBe(await apiTypes());
  });

  it("holds only schemas that a validator takes", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const context = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      for (const [name, value] of Object.entries(node)) {
        if (name === "schema" && !JSON.stringify(value).includes("$ref"))
          expect(ajv.compile(value)).toBeTruthy();
        else context(value);
      }
    };
    context(document.paths);
  });

  it("allows exactly what each family's table takes without fault", () => {
    const words = fc.constantFrom(
      "720p",
      "1080P",
      "2k",
      "16:9",
      "1024x768",
      "adaptive",
      "reference",
      "a cat",
    );
    const urls = fc.array(fc.constant("https://x.example/a"), { minLength: 1, maxLength: 12 });
    const value = fc.oneof(words, fc.constantFrom(5, -1, 0, 2, 30, 31, 5.5, true), urls);
    for (const family of Object.values(FAMILIES)) {
      for (const variant of family.variants) {
        const model = { id: "", variant };
        const fields = family.fields(model);
        const { properties, required } = schemaOfFields(fields);
        const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({
          type: "object",
          properties,
          required,
        });
        const content = [{ type: "text", text: "a cat" }];
        const base = { prompt: "a cat", duration: 5, content, image_urls: ["https://x.example/a"] };
        const audio = Object.fromEntries(required.map((name) => [name, base[name as keyof typeof base]]));
        expect([family.name, validate(audio)]).toEqual([family.name, true]);
        fc.assert(
          fc.property(fc.constantFrom(...Object.keys(fields)), value, (name, given) => {
            const body = { ...audio, [name]: given };
            let complaint = "";
            try {
              complaint = family.read(model, body).violation ?? "";
            } catch (error) {
              complaint = (error as Error).message;
            }
            // Rules between fields are beyond a schema of single ones, and so is what is ignored without a word.
            const aboutField = complaint.startsWith(`\`${name}`);
            if (fields[name]?.type === "choice" && "forgiving" in (fields[name] ?? {})) return;
            expect([body, complaint, validate(body)]).toEqual([body, complaint, !aboutField]);
          }),
          { numRuns: 200 },
        );
      }
    }
  });
});
