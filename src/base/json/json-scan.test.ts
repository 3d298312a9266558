import { describe, expect, it } from "vitest";
import { JsonFault } from "./json-fault.ts";
import { type BodyScan, createBodyScan, MAX_KEPT, MAX_TEXT_BYTES } from "./json-scan.ts";
import { compileWatch } from "./json-watch.ts";

const watch = compileWatch(
  [
    "model",
    "stream",
    "stop",
    "tools",
    "tools.type",
    "tools.*",
    "**.source.url",
    "**.url",
    "stream_options.include_usage",
  ],
  { unique: ["model"] },
);

function scan(body: string | Buffer, step = 7): BodyScan {
  const bytes = Buffer.from(body);
  const scanner = createBodyScan(watch);
  for (let at = 0; at < bytes.length; at += step) scanner.write(bytes.subarray(at, at + step));
  return scanner.end();
}

/** The fault that a body is refused with; the same for any cut. */
function faultOf(body: string | Buffer): Partial<JsonFault> {
  const faults = [1, 3, 1 << 20].map((step) => {
    try {
      scan(body, step);
    } catch (error) {
      if (error instanceof JsonFault)
        return { kind: error.kind, offset: error.offset, param: error.param, message: error.message };
      throw error;
    }
    throw new Error(`accepted: ${body}`);
  });
  expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(1);
  return faults[0] ?? {};
}

describe("the scan of a body refuses", () => {
  it("what is not JSON, saying where and what should be there", () => {
    expect(faultOf('{"a":1,}')).toMatchObject({
      kind: "syntax",
      offset: 7,
      message: expect.stringContaining('"}" at byte 7, where a key'),
    });
    expect(faultOf('{"a" 1}')).toMatchObject({
      kind: "syntax",
      offset: 5,
      message: expect.stringContaining("a colon"),
    });
    expect(faultOf('{"a":tru}')).toMatchObject({ kind: "syntax", offset: 8 });
    expect(faultOf('{"a":01}')).toMatchObject({ kind: "syntax", offset: 6 });
    expect(faultOf('{"a":1.}')).toMatchObject({
      kind: "syntax",
      offset: 7,
      message: expect.stringContaining("a digit"),
    });
    expect(faultOf('{"a":"\\x"}')).toMatchObject({ kind: "syntax", offset: 7 });
    expect(faultOf('{"a":[1}')).toMatchObject({ kind: "syntax", offset: 7 });
    expect(faultOf('{"a":1} x')).toMatchObject({
      kind: "syntax",
      offset: 8,
      message: expect.stringContaining("the end of the body"),
    });
    expect(faultOf('{"a":"x\ny"}')).toMatchObject({
      kind: "syntax",
      offset: 7,
      message: expect.stringContaining("control character"),
    });
  });

  it("a body that is empty, cut short, begins with a byte order mark or is no object", () => {
    expect(faultOf("  ")).toMatchObject({
      kind: "syntax",
      message: "The body is empty; send a JSON object.",
    });
    expect(faultOf('{"a":')).toMatchObject({ kind: "syntax", offset: 5 });
    expect(faultOf('\ufeff{"a":1}')).toMatchObject({
      kind: "syntax",
      offset: 0,
      message: expect.stringContaining("byte order mark"),
    });
    for (const body of ["[]", '"a"', "1", "-1", "true", "null"])
      expect(faultOf(body)).toMatchObject({ kind: "not-object", offset: 0 });
    expect(faultOf("<html>")).toMatchObject({ kind: "syntax", offset: 0 });
  });

  it("bytes that are not UTF-8, at the byte where the bad sequence begins", () => {
    const bad = [
      "80",
      "c0af",
      "c1bf",
      "e08080",
      "eda080",
      "edbfbf",
      "f0808080",
      "f4908080",
      "f8888080",
      "ff",
      "e4bd",
      "f09f98",
    ];
    for (const hex of bad) {
      const body = Buffer.concat([Buffer.from('{"é":"'), Buffer.from(hex, "hex"), Buffer.from('"}')]);
      expect(faultOf(body), hex).toMatchObject({ kind: "utf8", offset: 7 });
    }
    for (const rest of ["", "\n", "\\x"]) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from("f09f98", "hex"), Buffer.from(rest)]);
      expect(faultOf(body)).toMatchObject({ kind: "utf8", offset: 6 });
    }
  });

  it("nesting below the 64th level", () => {
    const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(scan(nested(64)).root.items).toBe(1);
    expect(faultOf(nested(65))).toMatchObject({ kind: "depth", offset: 5 + 63 });
  });

  it("a second top-level model, however it is spelled, and no model elsewhere", () => {
    expect(faultOf('{"model":"a","model":"a"}')).toMatchObject({
      kind: "duplicate",
      param: "model",
      offset: 13,
    });
    expect(faultOf('{"mod\\u0065l":"a","\\u006dodel":"b"}')).toMatchObject({
      kind: "duplicate",
      param: "model",
    });
    expect(faultOf('{"model":{},"model":1}')).toMatchObject({ kind: "duplicate" });
    expect(scan('{"model":"a","x":{"model":1,"model":2},"y":[{"model":3}],"model ":4}').count("model")).toBe(
      1,
    );
  });
});

describe("the scan of a body whose reader may not tell cases apart", () => {
  const folding = compileWatch(["model", "config.limit", "**.file_id", "tools.*"], { foldsCase: true });
  const read = (body: string): BodyScan => {
    const scanner = createBodyScan(folding);
    scanner.write(Buffer.from(body));
    return scanner.end();
  };

  it("refuses a key that differs from a field in case only, naming both", () => {
    const keys = ['"MODEL":1', '"mODEl":1', '"\\u004dodel":1', '"config":{"LIMIT":1}', '"Config":{}'];
    for (const key of keys) expect(() => read(`{${key}}`), key).toThrow(/only in case/);
    expect(() => read('{"model":"a","Model":"b"}')).toThrow(
      "`Model` differs from `model` only in case. Remove it or spell it `model`.",
    );
  });

  it("finds such a key once more at a path of any depth, and nowhere else", () => {
    const found = read('{"a":{"File_ID":"x","file_id":"y"},"tools":[{"MODEL":1}],"limit":{"Model":1}}');
    expect(found.all("**.file_id").map(({ name, value }) => [name, value])).toEqual([
      ["File_ID", "x"],
      ["file_id", "y"],
    ]);
    expect([found.count("model"), found.count("tools.*")]).toEqual([0, 1]);
  });
});

describe("the scan of a body finds", () => {
  it("what is in this body, whatever was read before, beside it, or refused half way", () => {
    const first = scan('{"model":"a","tools":[{"type":"x"},{"type":"y"}],"stop":[1,2],"url":"u"}');
    const beside = [createBodyScan(watch), createBodyScan(compileWatch(["other.deep"]))] as const;
    beside[0].write(Buffer.from('{"model":"b","stop":['));
    beside[1].write(Buffer.from('{"model":1,"model":2,"other":{"deep":'));
    expect(() => scan('{"model":"c","stream":tru?}')).toThrow(JsonFault);
    expect(scan("{}").present).toEqual([]);
    beside[1].write(Buffer.from("true}}"));
    const other = beside[1].end();
    expect([other.present, other.last("other.deep")?.value, other.root.items]).toEqual([
      ["other.deep"],
      true,
      3,
    ]);
    beside[0].write(Buffer.from("3]}"));
    const second = beside[0].end();
    expect([second.last("model")?.value, second.last("stop")?.items, second.length]).toEqual(["b", 1, 24]);
    expect(() => beside[0].end(), "over is over").toThrow(JsonFault);
    expect([first.count("tools.type"), first.last("tools.type")?.value]).toEqual([2, "y"]);
    expect([first.last("model")?.value, first.last("**.url")?.nextKeyStart, first.values]).toEqual([
      "a",
      -1,
      10,
    ]);
  });

  it("ranges, types, values and sizes, through arrays and at any depth", () => {
    const body =
      ' {"stop" : ["a", "b"] ,"model":"m\\n","tools":[{"type":"x","k":null},[{"type":"y"}]],"d":{"source":{"url":"u"}}}';
    const found = scan(body);
    expect(found.last("stop")).toMatchObject({
      type: "array",
      start: 11,
      end: 21,
      items: 2,
      keyStart: 2,
      keyEnd: 8,
      commaBefore: -1,
      nextKeyStart: 23,
    });
    expect(found.last("model")).toMatchObject({ type: "string", value: "m\n", commaBefore: 22 });
    expect(found.all("tools.type").map((type) => type.value)).toEqual(["x", "y"]);
    expect(found.all("tools.*").map((value) => value.name)).toEqual(["type", "k", "type"]);
    expect(found.last("**.source.url")).toBe(found.last("**.url"));
    expect([...found.present].sort()).toEqual([
      "**.source.url",
      "**.url",
      "model",
      "stop",
      "tools",
      "tools.*",
      "tools.type",
    ]);
    expect(found.root).toEqual({ start: 1, end: body.length, items: 4 });
  });

  it("tells siblings by their parent", () => {
    const [first, second, third] = scan('{"tools":[{"type":1,"x":2},{"type":3}]}').all("tools.*");
    expect(first?.parent).toBe(second?.parent);
    expect(third?.parent).not.toBe(first?.parent);
  });

  it("the head of a long string, without decoding the rest", () => {
    const long = `data:image\\/png;base64,${"A".repeat(MAX_TEXT_BYTES)}`;
    for (const step of [1, 50, 100_000]) {
      const found = scan(`{"model":"${long}"}`, step).last("model");
      expect(found).toMatchObject({ type: "string", value: undefined, end: long.length + 11 });
      expect(found?.head.startsWith("data:image/png;base64,AAAA")).toBe(true);
    }
    const escapes = "\\u0041".repeat(400);
    expect(scan(`{"model":"${escapes}"}`, 11).last("model")?.head).toBe("A".repeat(64));
  });

  it("the first and the last of a field that is repeated absurdly often, and how often it was", () => {
    const found = scan(`{${Array.from({ length: 5_000 }, (_, index) => `"stop":${index}`).join(",")}}`, 1000);
    expect(found.count("stop")).toBe(5_000);
    expect(found.all("stop")).toHaveLength(MAX_KEPT);
    expect(found.last("stop")?.value).toBe(4_999);
  });

  it("how many values there are, at any depth", () => {
    const counts = { "{}": 0, '{"a":1}': 1, '{"a":[1,[2,{}],{"b":[]}],"c":"[,]"}': 8, '{"a":[[],[],[]]}': 4 };
    for (const [body, values] of Object.entries(counts))
      expect([body, scan(body).values]).toEqual([body, values]);
  });
});
