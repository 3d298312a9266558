import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateKey, isKeyText, keyForm, keyHint } from "./key-form.ts";

describe("generated keys", () => {
  it("are sk- and 48 characters with a valid checksum, and never the same", () => {
    const keys = Array.from({ length: 200 }, generateKey);
    for (const key of keys) {
      expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/);
      expect(keyForm(key)).toBe("ours");
      expect(isKeyText(key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("with one wrong character are recognised as a typo", () => {
    fc.assert(
      fc.property(fc.constant(undefined).map(generateKey), fc.integer({ min: 3, max: 50 }), (key, at) => {
        const other = key[at] === "x" ? "y" : "x";
        expect(keyForm(key.slice(0, at) + other + key.slice(at + 1))).toBe("lookalike");
      }),
    );
  });

  it("with two neighbours exchanged are recognised as a typo", () => {
    const key = generateKey();
    for (let at = 3; at < 50; at += 1) {
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      if (swapped !== key) expect(keyForm(swapped)).toBe("lookalike");
    }
  });
});

describe("keys brought along", () => {
  it("may be any 16 to 200 visible ASCII characters", () => {
    for (const text of ["x".repeat(16), "~".repeat(200), `a-b_c!"#$%&'()*+`])
      expect(isKeyText(text)).toBe(true);
    for (const text of ["x".repeat(15), "x".repeat(201), "with a space here", "ä".repeat(20), ""]) {
      expect(isKeyText(text)).toBe(false);
    }
    expect(keyForm("a-key-of-another-form")).toBe("other");
  });

  it("are hinted at by few characters", () => {
    expect(keyHint("0123456789abcdef")).toBe("012...ef");
    expect(keyHint(`sk-${"a".repeat(44)}WXYZ`)).toBe("sk-aa...WXYZ");
  });
});
