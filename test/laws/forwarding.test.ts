import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BodyScan } from "../../src/base/json/json-scan.ts";
import {
  addIncludeUsage,
  type Edit,
  removeField,
  removeMembers,
  renameField,
  replaceModel,
  setField,
  setMember,
  splice,
} from "../../src/base/json/json-splice.ts";
import { compileWatch } from "../../src/base/json/json-watch.ts";
import { casesOf } from "../support/cases.ts";
import { bodyText, cutAt, cutPlaces, jsonText, mustScan } from "./json-bodies.ts";

const watch = compileWatch(
  [
    "model",
    "stream",
    "stream_options",
    "stream_options.include_usage",
    "max_tokens",
    "a",
    "a.max_tokens",
    "n",
    "n.max_tokens",
  ],
  { unique: ["model"] },
);

/** A body with exactly one `model`, `extra` fields before and after it, and odd ones in between. */
const modelBody = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom("a", "n", "stream_options", "max_tokens", "\\u0061"), jsonText), {
      maxLength: 4,
    }),
    fc.nat(4),
    fc.constantFrom('"model"', '"mod\\u0065l"'),
    jsonText,
  )
  .map(([fields, place, key, model]) => {
    const members = fields.map(([name, json]) => `"${name}"\t:\n${json} `);
    members.splice(Math.min(place, members.length), 0, `${key} :  ${model}`);
    return `\n{ ${members.join(" , ")}\r\n}  `;
  });

describe("forwarding", () => {
  it("changes no byte outside the model's value, and that to the new name", () => {
    fc.assert(
      fc.property(modelBody, cutPlaces, fc.string({ unit: "binary" }), (text, places, name) => {
        const body = Buffer.from(text);
        const chunks = cutAt(body, places);
        const scan = mustScan(watch, chunks);
        const sent = Buffer.concat(splice(chunks, replaceModel(scan, name)));
        const model = scan.last("model");
        if (model === undefined) throw new Error("the body has a model");
        const added = Buffer.byteLength(JSON.stringify(name)) - (model.end - model.start);
        // Buffer's own comparison: the matcher would walk every byte as a property.
        expect(sent.subarray(0, model.start).equals(body.subarray(0, model.start))).toBe(true);
        expect(sent.subarray(model.end + added).equals(body.subarray(model.end))).toBe(true);
        expect(JSON.parse(sent.toString())).toEqual({
          ...JSON.parse(text),
          model: JSON.parse(JSON.stringify(name)),
        });
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it("asks for usage and changes nothing else", () => {
    lawOfEdit(addIncludeUsage, (parsed) => {
      const options = parsed["stream_options"];
      const kept = typeof options === "object" && options !== null && !Array.isArray(options) ? options : {};
      return { ...parsed, stream_options: { ...kept, include_usage: true } };
    });
  });

  it("takes a field out with its comma and changes nothing else", () => {
    lawOfEdit(
      (scan) => removeField(scan, "stream_options"),
      ({ stream_options: _, ...rest }) => rest,
    );
  });

  it("takes members out of objects at any depth, each with a comma, and changes nothing else", () => {
    const member = fc.constantFrom(
      '"r":"thought"',
      '"\\u0072" : null',
      '"x":{"r":1}',
      '"y":["r",2]',
      '"r":{"r":"u"}',
    );
    const list = fc.array(fc.array(member, { maxLength: 5 }), { maxLength: 4 });
    fc.assert(
      fc.property(list, cutPlaces, (objects, places) => {
        const text = `{"list" : [ ${objects.map((each) => `{\n${each.join(" , ")}\t}`).join(",")}]}`;
        const chunks = cutAt(Buffer.from(text), places);
        const scan = mustScan(compileWatch(["list.r"]), chunks);
        const left = Buffer.concat(splice(chunks, removeMembers(chunks, scan.all("list.r")))).toString();
        const { list: parsed } = JSON.parse(text) as { list: Record<string, unknown>[] };
        expect(JSON.parse(left)).toEqual({ list: parsed.map(({ r: _, ...rest }) => rest) });
        const kept = objects
          .flat()
          .filter((each) => !each.startsWith('"r"') && !each.startsWith('"\\u0072"'));
        for (const each of kept) expect(left).toContain(each);
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it("gives a field another name and changes nothing else", () => {
    lawOfEdit(
      (scan) => renameField(scan, "max_tokens", "max_completion_tokens"),
      ({ max_tokens, ...rest }) =>
        max_tokens === undefined ? rest : { ...rest, max_completion_tokens: max_tokens },
    );
  });

  it("writes an output limit, be it into an object with several names, and changes nothing else", () => {
    lawOfEdit(
      (scan) => setField(scan, "max_tokens", 300),
      (parsed) => ({ ...parsed, max_tokens: 300 }),
    );
    const limited = (value: unknown): object => ({
      ...(typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}),
      max_tokens: 300,
    });
    lawOfEdit(
      (scan) => setMember(scan, ["a", "n"], "max_tokens", 300),
      (parsed) => ({
        ...parsed,
        ...("a" in parsed || !("n" in parsed) ? { a: limited(parsed["a"]) } : {}),
        ...("n" in parsed ? { n: limited(parsed["n"]) } : {}),
      }),
    );
  });

  it("makes several edits in one pass", () => {
    const text = '{"max_tokens":5,"stream_options":null,"model":"m","stream_options":{}}';
    const scan = mustScan(watch, [Buffer.from(text)]);
    const edits = [
      ...replaceModel(scan, "x"),
      ...removeField(scan, "stream_options"),
      ...renameField(scan, "max_tokens", "mct"),
    ];
    expect(Buffer.concat(splice([Buffer.from(text)], edits)).toString()).toBe('{"mct":5,"model":"x"}');
  });

  it("passes a body of 32 MB on in the caller's own chunks, but for the model", () => {
    const filler = Buffer.alloc(64 * 1024, "lorem ipsum ");
    const chunks = [
      Buffer.from('{"messages":[{"role":"user","content":"'),
      ...Array<Buffer>(510).fill(filler),
      Buffer.from('"}],"model":"a","seed":12345678901234567890}'),
    ];
    const sent = splice(chunks, replaceModel(mustScan(watch, chunks), "vendor/b"));
    expect(
      sent
        .slice(0, 511)
        .every(
          (piece, index) => piece.buffer === chunks[index]?.buffer && piece.length === chunks[index]?.length,
        ),
    ).toBe(true);
    expect(Buffer.concat(sent.slice(511)).toString()).toBe(
      '"}],"model":"vendor/b","seed":12345678901234567890}',
    );
  });

  it("refuses edits that overlap or lie outside", () => {
    const chunks = [Buffer.from("abcdef")];
    const edit = (start: number, end: number): Edit => ({ start, end, bytes: Buffer.from("x") });
    expect(() => splice(chunks, [edit(0, 3), edit(2, 4)])).toThrow(RangeError);
    expect(() => splice(chunks, [edit(5, 9)])).toThrow(RangeError);
  });
});

/** The edited body, parsed, is the original, parsed, with just the edit; unedited bytes stay in order. */
function lawOfEdit(
  edit: (scan: BodyScan) => Edit[],
  expected: (parsed: Record<string, unknown>) => Record<string, unknown>,
): void {
  fc.assert(
    fc.property(fc.oneof(modelBody, bodyText), cutPlaces, (text, places) => {
      const body = Buffer.from(text);
      const chunks = cutAt(body, places);
      const edits = edit(mustScan(compileWatch(watch.paths), chunks));
      const sent = Buffer.concat(splice(chunks, edits));
      expect(JSON.parse(sent.toString())).toEqual(expected(JSON.parse(text) as Record<string, unknown>));
      const removed = edits.reduce((sum, { start, end }) => sum + end - start, 0);
      const added = edits.reduce((sum, { bytes }) => sum + bytes.length, 0);
      expect(sent.length).toBe(body.length - removed + added);
    }),
    { numRuns: casesOf(1_000) },
  );
}
