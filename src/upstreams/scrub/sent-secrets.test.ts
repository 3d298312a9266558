import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSecretFilter, sentSecrets } from "./sent-secrets.ts";

/** The secret has letters that JSON can write in several ways, and signs that have a meaning in patterns. */
const SECRET = 'sk-proj+9fQ2/xW7"aL.4tR8\\vB3n';
const OTHER = "AKIA5XQWERTZUIOP";
const filter = openSecretFilter([SECRET, OTHER]);

const letter = fc.constantFrom("plain", "number", "capitals", "sign");
/** One way to write a secret in JSON, in so many texts within each other. */
const spelling = fc
  .tuple(fc.constantFrom(SECRET, OTHER), fc.array(letter, { minLength: SECRET.length }), fc.nat({ max: 2 }))
  .map(([secret, ways, depth]) => {
    let text = [...secret].map((each, at) => spelt(each, ways[at] ?? "plain")).join("");
    for (let level = 0; level < depth; level += 1) text = JSON.stringify(text).slice(1, -1);
    return text;
  });

function spelt(each: string, way: string): string {
  const digits = each.charCodeAt(0).toString(16).padStart(4, "0");
  if (way === "number") return `\\u${digits}`;
  if (way === "capitals") return `\\u${digits.toUpperCase()}`;
  return each === '"' || each === "\\" || (each === "/" && way === "sign") ? `\\${each}` : each;
}

const words = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => JSON.stringify(text).slice(1, -1));

function cutAt(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

const joined = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString("utf8");

describe("a secret that was sent", () => {
  it("comes back in no spelling of JSON, wherever its bytes are cut, and all else stays", () => {
    fc.assert(
      fc.property(
        words,
        spelling,
        words,
        fc.array(fc.nat(), { maxLength: 6 }),
        (before, spelled, behind, cuts) => {
          const told = joined(filter.without(cutAt(`{"a":"${before} ${spelled} ${behind}"}`, cuts)));
          expect(told).toBe(`{"a":"${before} [redacted] ${behind}"}`);
        },
      ),
    );
  });

  it("comes back in no part of what passes before its end is here", () => {
    fc.assert(
      fc.property(
        words,
        spelling,
        words,
        fc.array(fc.nat(), { maxLength: 20 }),
        (before, spelled, behind, cuts) => {
          const pad = "x".repeat(400);
          let open = Buffer.alloc(0);
          const told: Uint8Array[] = [];
          for (const piece of cutAt(`${pad}${before} ${spelled} ${behind}${pad}`, cuts)) {
            const bytes = Buffer.concat([open, piece]);
            const passable = filter.passable(bytes);
            told.push(...filter.without([bytes.subarray(0, passable)]));
            open = bytes.subarray(passable);
          }
          expect(joined([...told, ...filter.without([open])])).toBe(
            `${pad}${before} [redacted] ${behind}${pad}`,
          );
        },
      ),
    );
  });

  it("leaves the very pieces where it stands nowhere in them", () => {
    const pieces = [Buffer.from('{"a":"sk-proj+9fQ2'), Buffer.from('\\u0041 "}')];
    expect(filter.without(pieces)).toBe(pieces);
  });

  it.each([
    ["a key", "openai", "sk-1234567", ["sk-1234567"]],
    ["a long key without a digit", "openai", "sk-no-key-required", ["sk-no-key-required"]],
    ["a word, which any answer may hold", "openai", "lm-studio", []],
    ["no key", "openai", "", []],
    [
      "each part of a credential",
      "ark",
      "key-12345678;access_key=AKLT12345678;secret_key=c2VjcmV0MTIzNA==",
      [
        ...["key-12345678;access_key=AKLT12345678;secret_key=c2VjcmV0MTIzNA==", "key-12345678"],
        ...["AKLT12345678", "c2VjcmV0MTIzNA=="],
      ],
    ],
  ])("is %s", (_, kind, secret, secrets) => {
    expect(sentSecrets({ upstream: { kind }, credential: { secret } })).toEqual(secrets);
  });
});
