import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSeals, SealError, sealedRow } from "./seal.ts";

const MASTER = "a master key of the tests, long enough";
const ROW = sealedRow("upstream_credentials", 7n);

describe("seals", () => {
  it("open to what was sealed, whatever it was", () => {
    const seals = createSeals(MASTER);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (secret, row) => {
        expect(createSeals(MASTER).open(seals.seal(secret, row), row)).toBe(secret);
      }),
      { numRuns: 200 },
    );
  });

  it("never show the secret nor the same text twice", () => {
    const seals = createSeals(MASTER);
    const secret = "sk-vendor-secret-0123456789";
    const sealed = seals.seal(secret, ROW);
    expect(sealed).toMatch(/^fg1\.[0-9a-f]{8}\.[\w-]+$/);
    expect(Buffer.from(sealed.split(".")[2] ?? "", "base64url").includes(secret)).toBe(false);
    expect(seals.seal(secret, ROW)).not.toBe(sealed);
  });

  it("say that the master key is another one, without naming a secret", () => {
    const sealed = createSeals(MASTER).seal("secret", ROW);
    const error = errorOf(() => createSeals(`${MASTER}!`).open(sealed, ROW));
    expect(error).toMatchObject({ reason: "wrong-key" });
    expect(error?.message).toContain("upstream_credentials:7");
    expect(error?.message).not.toContain(MASTER);
  });

  it("open nowhere but in their own row", () => {
    const seals = createSeals(MASTER);
    const sealed = seals.seal("secret", ROW);
    expect(errorOf(() => seals.open(sealed, sealedRow("upstream_credentials", 8n)))?.reason).toBe("damaged");
  });

  it("refuse any changed character, even one that the decoder takes for the same", () => {
    const seals = createSeals(MASTER);
    const sealed = seals.seal("secret", ROW);
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
        fc.pre(changed !== sealed);
        expect(() => seals.open(changed, ROW)).toThrow(SealError);
      }),
    );
    // A byte pattern that has both letters of which the older alphabet has others.
    const odd = sealedWith(/^(?=.*-)(?=.*_)/);
    const last = odd.charAt(odd.length - 1);
    const twin = ALPHABET.charAt(ALPHABET.indexOf(last) ^ 1);
    for (const same of [
      ...[odd.replace(/-(?!.*-)/, "+"), odd.replace(/_(?!.*_)/, "/"), `${odd}=`, `${odd}\n`],
      `${odd.slice(0, -1)}${twin}`,
    ]) {
      const bytes = (sealed: string): Buffer => Buffer.from(sealed.split(".")[2] ?? "", "base64url");
      expect(bytes(same), same).toEqual(bytes(odd));
      expect(() => seals.open(same, ROW), same).toThrow(SealError);
    }
    for (const broken of ["", "fg1", "fg1..", "fg2.00000000.AAAA", `${sealed}.x`]) {
      expect(() => seals.open(broken, ROW)).toThrow(SealError);
    }
  });

  it("under an adopted key open what either key sealed, and seal with the new one", () => {
    const seals = createSeals(MASTER);
    const before = seals.seal("secret", ROW);
    seals.adopt("the next master key");
    expect(seals.open(before, ROW)).toBe("secret");
    expect(createSeals("the next master key").open(seals.seal("secret", ROW), ROW)).toBe("secret");
  });
});

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A seal, which is random, whose text has what is asked. */
function sealedWith(wanted: RegExp): string {
  const seals = createSeals(MASTER);
  for (;;) {
    const sealed = seals.seal("secret", ROW);
    if (wanted.test(sealed)) return sealed;
  }
}

function errorOf(work: () => unknown): SealError | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof SealError) return error;
    throw error;
  }
  return undefined;
}
