import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSecretFinder } from "./scrub-secrets.ts";
import { openTextScrubber } from "./scrub-text.ts";

const PART = 12;

const prefix = fc.constantFrom("", "sk-", "sk-proj-", "sk-ant-api03-", "AIza", "AKIA", "gsk_", "abc8Q~");
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-.~";
const body = fc.string({ unit: fc.constantFrom(...letters), minLength: 2 * PART, maxLength: 200 });
const secrets = fc.array(fc.tuple(prefix, body), { minLength: 1, maxLength: 5 });

const scrubberFor = (known: readonly string[]) => openTextScrubber(openSecretFinder(known), []);

/** Every run of so many letters of the secret itself that a text still has. */
function toldOf(text: string, secret: string): string[] {
  const runs = Array.from({ length: secret.length - PART + 1 }, (_, at) => secret.slice(at, at + PART));
  return runs.filter((run) => text.toLowerCase().includes(run.toLowerCase()));
}

describe("a part of a secret", () => {
  it("is told by no vendor's words from twelve letters on, wherever it was cut out", () => {
    fc.assert(
      fc.property(secrets, fc.nat(), fc.nat(), fc.nat(), fc.boolean(), (made, which, from, more, isUpper) => {
        const [start = "", end = ""] = made[which % made.length] ?? [];
        const at = from % (end.length - PART + 1);
        const cut = end.slice(at, at + PART + (more % (end.length - at - PART + 1)));
        const part = isUpper ? cut.toUpperCase() : cut;
        const scrub = scrubberFor(made.map((each) => each.join("")));
        for (const words of [`bad key: ${part}`, `bad key: "${part}", of ${part}`, `x${part}x`, start + part])
          expect(toldOf(scrub(words), end), words).toEqual([]);
      }),
    );
  });

  it.each([
    ["its vendor's beginning", "A key of theirs looks like sk-ant-api03-, and more."],
    ["a few letters of its inside", "The key with 9fQ2xW7aL4t in it is unknown."],
    ["a word in the document that holds it", "Ask oauth2.googleapis.com, as a service_account does."],
    ["a mark of PEM", "The text has no KEY----- in it."],
  ])("is told where it is %s", (_, words) => {
    const document = JSON.stringify({
      type: "service_account",
      token_uri: "https://oauth2.googleapis.com/token",
      private_key: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n",
    });
    const { private_key: pem } = JSON.parse(document) as { private_key: string };
    const scrub = scrubberFor(["sk-ant-api03-k9fQ2xW7aL4tR8vB3nK6mZ1", document, pem]);
    expect(scrub(words)).toBe(words);
    expect(scrub("line MIIEvQIBADANBg")).toBe("line [redacted]");
  });
});
