import fc from "fast-check";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { countTokens as countP50k } from "gpt-tokenizer/encoding/p50k_base";
import { countTokens as countR50k } from "gpt-tokenizer/encoding/r50k_base";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/seed.ts";
import { textBytes } from "./text-bytes.ts";

const ENCODINGS = { o200k: countO200k, cl100k: countCl100k, p50k: countP50k, r50k: countR50k };

/** The kinds of characters that a cheaper bound would tell apart. */
const CLASSES = {
  letters: "abcdefghijklmnopqrstuvwxyz",
  "letters and digits": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  "other ASCII": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \n\t",
  "everything else": "éĀжЖअ中ꀀ𓀀\u{20000}\u{e000}",
} as const;

const CHARACTERS = 48;
const CLIMBS = 400;
/** A climb may end on a hill of its own; that thirty in a row do is a matter of the bound. */
const STARTS = 30;

/** The most of JSON that spells a text. */
const escaped = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const bytesOf = (json: string, cut = json.length): number => {
  const bytes = Buffer.from(json);
  return textBytes([bytes.subarray(0, cut), bytes.subarray(cut)], [], Number.MAX_SAFE_INTEGER / 2);
};

describe("the bytes of a text", () => {
  it.each(Object.entries(CLASSES))(
    "are no fewer than its tokens, and no fewer bytes would do: %s",
    (_, all) => {
      const random = seededRandom("FAREGATE_TOKENS_SEED");
      const alphabet = [...all];
      const any = (): string => alphabet[random.whole(0, alphabet.length - 1)] ?? "";
      let densest = 0;
      const encodings = Object.entries(ENCODINGS);
      for (let start = 0; start < encodings.length || (densest <= 0.9 && start < STARTS); start += 1) {
        const [name, count] = encodings[start % encodings.length] as [string, (text: string) => number];
        // Changes one or two characters at a time and keeps what has more tokens for its bytes.
        let text = Array.from({ length: CHARACTERS }, any);
        let best = density(count, text, name);
        for (let climb = 0; climb < CLIMBS; climb += 1) {
          const at = random.whole(0, CHARACTERS - 2);
          const changed = [...text];
          changed[at] = any();
          if (random.whole(0, 1) === 1) changed[at + 1] = any();
          const reached = density(count, changed, name);
          if (reached < best) continue;
          best = reached;
          text = changed;
        }
        densest = Math.max(densest, best);
      }
      // A rate below this for any class would be a hold that somebody can pass.
      expect(densest).toBeGreaterThan(0.9);
    },
  );

  it("have their rate of one from texts that anybody can write", () => {
    for (const text of ["gq", "a1", "~^", "Qx", "ꀀ", "𓀀"])
      expect(countO200k(text.repeat(200)) / Buffer.byteLength(text.repeat(200)), text).toBeGreaterThan(0.99);
  });

  it("are those of what JSON spells, however it is escaped and wherever the body is cut", () => {
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom("\\", "u", '"', "\n", "中", "𓀀"), fc.string()),
    });
    fc.assert(
      fc.property(texts, fc.boolean(), fc.nat(200), (text, all, at) => {
        const well = Buffer.from(text).toString();
        const json = all ? escaped(well) : JSON.stringify(well);
        const cut = Math.min(at, Buffer.byteLength(json));
        const bytes = bytesOf(json, cut);
        expect(bytes).toBeGreaterThanOrEqual(Buffer.byteLength(well));
        expect(bytes).toBeLessThanOrEqual(Buffer.byteLength(json));
        // Beyond the text there are the quotes, three bytes for each escaped unit, and one escape that was cut.
        if (!all && !/[^ -~\n]/.test(well)) expect(bytes).toBeLessThanOrEqual(well.length + 2 + 1);
        if (all) expect(bytes).toBeLessThanOrEqual(3 * well.length + 3);
      }),
    );
  });

  it("leave out images with whatever is escaped in them, and end at what is enough", () => {
    const body = Buffer.from(`{"a":"\\n\\n","p":"${"\\/".repeat(50)}","b":"\\u4e2d\\\\"}`);
    const start = body.indexOf('"\\/');
    const image = { start, end: start + 102 };
    for (const cut of [0, start + 3, start + 4, start + 101, body.length]) {
      const chunks = [body.subarray(0, cut), body.subarray(cut)];
      expect(textBytes(chunks, [image], 10_000)).toBe(body.length - 102 - 2 - 3 - 1);
    }
    expect(textBytes([body], [], 20)).toBe(20);
  });
});

function density(count: (text: string) => number, text: readonly string[], name: string): number {
  const whole = text.join("");
  const tokens = count(whole);
  const bytes = Buffer.byteLength(whole);
  expect(tokens, `${name}: ${JSON.stringify(whole)}`).toBeLessThanOrEqual(bytes);
  return tokens / bytes;
}
