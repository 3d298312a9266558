import fc from "fast-check";
import { JsonFault } from "../../src/base/json/json-fault.ts";
import { type BodyScan, createBodyScan } from "../../src/base/json/json-scan.ts";
import type { Watch } from "../../src/base/json/json-watch.ts";

/** Scans chunks; a refusal is a result here, so that laws can compare it. */
export function scanChunks(watch: Watch, chunks: readonly Buffer[]): BodyScan | JsonFault {
  const scanner = createBodyScan(watch);
  try {
    for (const chunk of chunks) scanner.write(chunk);
    return scanner.end();
  } catch (error) {
    if (error instanceof JsonFault) return error;
    throw error;
  }
}

/** As scanChunks, for a body that must be accepted. */
export function mustScan(watch: Watch, chunks: readonly Buffer[]): BodyScan {
  const result = scanChunks(watch, chunks);
  if (result instanceof JsonFault) throw result;
  return result;
}

/** Cuts a body at the given places (any numbers; they are folded into range). */
export function cutAt(body: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (body.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts].map((start, index) => body.subarray(start, cuts[index] ?? body.length));
}

export const cutPlaces = fc.array(fc.nat({ max: 100_000 }), { maxLength: 12 });

/** What the platform makes of the body: the object, or undefined where it must be refused. */
export function parseStrictly(body: Buffer): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const character = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 1, unit: "binary" }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('"', "\\", "/", "\n", "\u0000", "\u2028", "é", "你", "😀", "\ud800"),
  },
);

/** A string as JSON, each character spelled plainly or as an escape. */
function spell(text: string): fc.Arbitrary<string> {
  const units = text.split("");
  return fc.array(fc.boolean(), { minLength: units.length, maxLength: units.length }).map((escaped) => {
    const spelled = escaped.some(Boolean)
      ? units.map((unit, index) => {
          const mustEscape = unit < " " || /["\\\ud800-\udfff]/.test(unit);
          return escaped[index] || mustEscape
            ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
            : unit;
        })
      : [JSON.stringify(text).slice(1, -1)];
    return `"${spelled.join("")}"`;
  });
}

const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(""));
const anyString = text.chain(spell);
const anyNumber = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("0", "-0", "1.0", "1e400", "-1E-7", "123456789012345678901234567890", "0.10", "5e+3"),
);
const longString = fc
  .integer({ min: 60, max: 400 })
  .map((length) => `"${"plain text, é ".repeat(30).slice(0, length)}"`);
const scalar = fc.oneof(anyString, anyNumber, longString, fc.constantFrom("true", "false", "null"));

function list(open: string, close: string, items: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(space, items, space), { maxLength: 4 }), space)
    .map(
      ([parts, inside]) =>
        open + (parts.length === 0 ? inside : parts.map((part) => part.join("")).join(",")) + close,
    );
}

function member(key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(key, space, space, value)
    .map(([name, before, after, json]) => `${name}${before}:${after}${json}`);
}

const interestingKey = fc
  .constantFrom(
    "model",
    "stream",
    "n",
    "a",
    "b",
    "__proto__",
    "constructor",
    "stream_options",
    "include_usage",
  )
  .chain(spell);

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    scalar,
    list("[", "]", tie("value")),
    list("{", "}", member(fc.oneof(interestingKey, anyString), tie("value"))),
  ),
}));

/** Any JSON value as text: odd whitespace, escapes, duplicate keys, big numbers. */
export const jsonText = value;

/** A JSON object as text, with odd whitespace around it. */
export const bodyText = fc
  .tuple(space, list("{", "}", member(fc.oneof(interestingKey, anyString), value)), space)
  .map((parts) => parts.join(""));

/** A body damaged in a few places, at times still valid. */
export const damagedBody = fc
  .tuple(
    bodyText,
    fc.array(
      fc.record({
        at: fc.nat({ max: 2_000 }),
        removed: fc.integer({ min: 0, max: 3 }),
        added: fc.oneof(
          fc
            .constantFrom(
              '"',
              "\\",
              "{",
              "}",
              "[",
              "]",
              ",",
              ":",
              "0",
              "-",
              ".",
              "e",
              "tru",
              "null",
              " ",
              "\n",
              "\u0000",
              "\ufeff",
            )
            .map((part) => Buffer.from(part)),
          fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
          fc
            .constantFrom("c080", "eda080", "f4908080", "f8", "e4bd", "efbbbf", "c3a9", "f09f9880")
            .map((hex) => Buffer.from(hex, "hex")),
        ),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([text, damages]) => {
    let body = Buffer.from(text);
    for (const { at, removed, added } of damages) {
      const place = at % (body.length + 1);
      body = Buffer.concat([body.subarray(0, place), added, body.subarray(place + removed)]);
    }
    return body;
  });
