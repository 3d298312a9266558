import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leaksIn, OURS, quotations } from "../../../test/support/quoted-secrets.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { createScrubber } from "./scrubber.ts";

const ORIGIN = "http://127.0.0.1:4711";

function upstream(baseUrl: string, secret: string, kind = "openai"): Upstream {
  return { baseUrl, kind, credentials: [{ id: 1n, name: "key", secret }] } as unknown as Upstream;
}

const scrubber = createScrubber([
  upstream(ORIGIN, OURS.credential),
  upstream(`http://${OURS.host}:8000/v1/projects/${OURS.cloudProject}`, OURS.otherCredential),
  upstream(`https://${OURS.azureHost}/openai/v1`, ""),
  upstream("http://gateway:8080/v1", "EMPTY"),
  upstream(
    "https://ark.example/api/v3",
    "ark-key-5f2e;access_key=AKLT77aa88bb;secret_key=c2VjcmV0LWtleQ==;project=video-prod",
    "ark",
  ),
]);

/** The same letter as wide as a Chinese one. */
function wide(letter: string): string {
  return letter === "_" ? letter : String.fromCharCode(letter.charCodeAt(0) + 0xfee0);
}

describe("a vendor's words", () => {
  it.each(quotations(ORIGIN))("lose what is ours: $form", ({ words }) => {
    const told = scrubber.text(words);
    expect(leaksIn(told, ORIGIN)).toEqual([]);
    expect(told).toContain("[redacted]");
  });

  it.each([
    ["for Markdown", (secret: string) => secret.replace(/\W/g, "\\$&")],
    ["with invisible characters", (secret: string) => [...secret].join("\u200b")],
    ["with soft hyphens", (secret: string) => secret.replace(/.{6}/g, "$&\u00ad")],
    ["over lines", (secret: string) => secret.replace(/.{7}/g, "$&\n  ")],
    ["in full-width letters", (secret: string) => secret.replace(/\w/g, wide)],
    ["letter by letter", (secret: string) => [...secret].join("-")],
  ])("lose a long secret that is spelled %s", (_, spell) => {
    const told = scrubber.text(`Incorrect API key provided: ${spell(OURS.credential)}.`);
    expect(told).toBe("Incorrect API key provided: [redacted].");
  });

  const SYMBOLS = "sk-VENDORsecret-Zx81+/q=Tail99";
  it.each<[string, (secret: string) => string]>([
    ["for a URL", encodeURIComponent],
    ["for a URL in small letters", (secret) => encodeURIComponent(secret).toLowerCase()],
    ["for a URL twice", (secret) => encodeURIComponent(encodeURIComponent(secret))],
    ["for a URL in part", (secret) => secret.replace("+", "%2B")],
    ["for HTML", (secret) => secret.replace(/[+/=]/g, (letter) => `&#${letter.charCodeAt(0)};`)],
    ["for JSON", (secret) => secret.replace("+", "\\u002b").replace("/", "\\/")],
    ["for C", (secret) => secret.replace(/[+/=]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16)}`)],
    ["for mail", (secret) => secret.replaceAll("=", "=3D").replace("+", "=2B")],
  ])("lose all of a secret whose symbols are escaped %s", (_, spell) => {
    const told = createScrubber([upstream(ORIGIN, SYMBOLS)]).text(`Bad key ${spell(SYMBOLS)}, sorry.`);
    expect(told).toBe("Bad key [redacted], sorry.");
  });

  it.each(["ark-key-5f2e", "AKLT77aa88bb", "c2VjcmV0LWtleQ==", "video-prod"])(
    "lose each part of a credential that holds several: %s",
    (part) => expect(scrubber.text(`bad ${part}!`)).toBe("bad [redacted]!"),
  );

  it.each([
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    "messages.0.content: Input should be a valid string",
    "Invalid value: 'foo'. Supported values are: 'low', 'medium', and 'high'.",
    "Your gateway to the stars is EMPTYING at /v1/chat/completions",
    "Missing required parameter: 'tools[0].function.name'. See https://platform.openai.com/docs",
    "100% of\\of the cases & more: ©...",
    "",
  ])("stay as they are where nothing in them is ours: %s", (text) => {
    expect(scrubber.text(text)).toBe(text);
  });

  it("name a host that is also a common word only as an address", () => {
    expect(scrubber.text("http://gateway:8080/v1 failed: gateway time-out at gateway:8080")).toBe(
      "http://[redacted]/v1 failed: gateway time-out at [redacted]",
    );
  });

  it("tell no beginning of a secret at the end of a text that was cut", () => {
    const cut = `${"x ".repeat(500)}key ${OURS.credential.slice(0, 7)}`;
    expect(scrubber.text(cut)).toMatch(/key \[redacted\]$/);
  });

  it("lose it in every text of a value, names of fields included, and the value keeps its form", () => {
    const value = { a: [1, null, { [OURS.credential]: `x ${OURS.host}` }], b: true };
    expect(scrubber.value(value)).toEqual({ a: [1, null, { "[redacted]": "x [redacted]" }], b: true });
    const audio = { a: ["b", { c: 1 }] };
    expect(scrubber.value(audio)).toBe(audio);
  });

  it("end where a value is nested without sense", () => {
    const nested: unknown = JSON.parse(`${"[".repeat(20_000)}"x"${"]".repeat(20_000)}`);
    expect(() => JSON.stringify(scrubber.value(nested))).not.toThrow();
  });

  it("lose a secret wherever it stands among any letters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (before, after) => {
        const told = scrubber.text(before + OURS.credential + after);
        expect(told).not.toContain(OURS.credential.slice(4));
      }),
    );
  });

  it("lose all of a key whose own letters look like an escape, in whatever way it is written", () => {
    const key = "SECRETKEY/abc+def=0123456789zz";
    const { text } = createScrubber([upstream(ORIGIN, key)]);
    const escaped = [...key].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
    const ways = [key, encodeURIComponent(key), encodeURIComponent(encodeURIComponent(key)), escaped];
    for (const written of [...ways, key.replace("=", "=3D"), key.replace("+", "&#43;")])
      for (const told of [text(`key ${written}`), text(`key ${written} and "\\u0041%20="`)])
        expect(told, written).not.toMatch(/0123|456789zz|SECRET/);
  });

  it("are read in time that grows with their length alone, whatever they are made of", () => {
    const many = createScrubber(
      Array.from({ length: 1_000 }, (_, index) => upstream(ORIGIN, `sk-proj-${index}-${"q".repeat(40)}`)),
    );
    const texts = [
      "sk-proj-",
      "a",
      "*",
      "sk-p*",
      "org-",
      "%41",
      "\\u0041",
      "&#65;",
      "a.b-",
      "projects/",
      "10.",
    ];
    for (const text of texts) {
      const [short, long] = [16_000, 256_000].map((length) => {
        const given = text.repeat(length / text.length);
        const from = process.cpuUsage();
        many.text(given);
        const { user } = process.cpuUsage(from);
        return user / 1_000;
      });
      // Sixteen times the length; its square would be two hundred and fifty-six times the work.
      expect([text, (long ?? 0) < 100 * Math.max(short ?? 0, 20)]).toEqual([text, true]);
    }
  });
});
