import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonFault } from "../../src/base/json/json-fault.ts";
import { type BodyScan, createBodyScan } from "../../src/base/json/json-scan.ts";
import { compileWatch } from "../../src/base/json/json-watch.ts";
import { casesOf } from "../support/cases.ts";
import {
  bodyText,
  cutAt,
  cutPlaces,
  damagedBody,
  mustScan,
  parseStrictly,
  scanChunks,
} from "./json-bodies.ts";

const watch = compileWatch([
  "model",
  "stream",
  "n",
  "a",
  "b",
  "a.b",
  "stream_options.include_usage",
  "**.n",
  "*.b",
  "a.*",
]);

/** All that a scan says, as plain data. */
function factsOf(result: BodyScan | JsonFault): unknown {
  if (result instanceof JsonFault)
    return { kind: result.kind, offset: result.offset, message: result.message };
  return { ...result, found: watch.paths.map((path) => result.all(path)), all: 0, count: 0, last: 0 };
}

describe("the scan of a body", () => {
  it("accepts exactly the bodies that are strict UTF-8 and JSON objects", () => {
    fc.assert(
      fc.property(damagedBody, cutPlaces, (body, places) => {
        const accepted = !(scanChunks(watch, cutAt(body, places)) instanceof JsonFault);
        expect(accepted).toBe(parseStrictly(body) !== undefined);
      }),
      { numRuns: casesOf(3_000) },
    );
  });

  it("says the same however the body is cut, of good bodies and bad ones", () => {
    fc.assert(
      fc.property(damagedBody, cutPlaces, (body, places) => {
        const whole = factsOf(scanChunks(watch, [body]));
        expectSame(factsOf(scanChunks(watch, cutAt(body, places))), whole);
        const bytes = Array.from(body, (byte) => Buffer.of(byte));
        expectSame(factsOf(scanChunks(watch, bytes)), whole);
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it("counts the values while they come: never more than there are, and at most one less for each level", () => {
    fc.assert(
      fc.property(bodyText, cutPlaces, (text, places) => {
        const body = Buffer.from(text);
        const scanner = createBodyScan(watch);
        let before = 0;
        for (const piece of cutAt(body, places)) {
          scanner.write(piece);
          expect(scanner.values).toBeGreaterThanOrEqual(before);
          before = scanner.values;
        }
        const { values } = scanner.end();
        expect(before).toBe(values);
        expect(values).toBe(countValues(text));
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it("reads the values that JSON.parse reads, each with its range", () => {
    fc.assert(
      fc.property(bodyText, cutPlaces, (text, places) => {
        const body = Buffer.from(text);
        const parsed = parseStrictly(body) ?? {};
        const scan = mustScan(watch, cutAt(body, places));
        expect([scan.length, scan.root.start, scan.root.end]).toEqual([
          body.length,
          body.indexOf("{"),
          body.lastIndexOf("}") + 1,
        ]);
        for (const name of ["model", "stream", "n", "a", "b"]) {
          const found = scan.last(name);
          expect(found !== undefined).toBe(Object.hasOwn(parsed, name));
          if (found === undefined) continue;
          const json: unknown = JSON.parse(body.toString("utf8", found.start, found.end));
          expect(json).toEqual(parsed[name]);
          expect(found.type).toBe(typeOf(json));
          if (typeof json !== "object") expect(found.value).toBe(json);
          else expect(found.items).toBeGreaterThanOrEqual(json === null ? 0 : Object.keys(json).length);
          expect(JSON.parse(body.toString("utf8", found.keyStart, found.keyEnd))).toBe(name);
        }
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it("finds a path at any depth wherever a parser would", () => {
    fc.assert(
      fc.property(bodyText, (text) => {
        const scan = mustScan(watch, [Buffer.from(text)]);
        const found = new Set(
          scan
            .all("**.n")
            .map((value) =>
              JSON.stringify(
                JSON.parse(
                  text.length === 0 ? "" : Buffer.from(text).toString("utf8", value.start, value.end),
                ),
              ),
            ),
        );
        for (const expected of valuesOf(JSON.parse(text), "n"))
          expect(found).toContain(JSON.stringify(expected));
      }),
      { numRuns: casesOf(500) },
    );
  });
});

/** As toEqual, which is slow, only where it has something to show. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function* valuesOf(value: unknown, name: string): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === name && !Array.isArray(value)) yield inner;
    yield* valuesOf(inner, name);
  }
}

/** Members and items as a parser meets them, those of a key that is repeated too. */
function countValues(json: string): number {
  let count = 0;
  for (const token of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{](?!\s*[\]}])|,/g))
    if (token[0][0] !== '"') count += 1;
  return count;
}
