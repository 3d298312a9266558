import { openPartFinder, type Span } from "./secret-parts.ts";

/** Finds secrets of ours in a text, however a vendor quotes them. */
export interface SecretFinder {
  find(text: string): readonly Span[];
}

/** A shorter text is no secret. */
const LEAST_LETTERS = 4;
/** A shorter secret may be part of a word, and counts only where it stands alone. */
const SURE_LETTERS = 8;
/** So much of a secret's beginning is more than the prefix that all keys of a vendor share. */
const TELLING_LETTERS = 16;
/** Fewer letters of a masked secret reveal nothing. */
const MASK_LETTERS = 4;
/** Nobody writes so many masked keys in one text; behind these each is taken for one of ours. */
const MAX_MASKED = 50;
/** Texts of this length may have been cut, here or by the vendor, in the middle of a secret. */
const CUT_LETTERS = 1_000;
/** A longer encoded text is an image or a document, and no credential. */
const MAX_ENCODED_LETTERS = 16 * 1024;

/**
 * Compiles what is looked for. A look costs as much as the text is long, and hardly more where there are thousands of
 * secrets: case is ignored, because vendors write headers in their own.
 */
export function openSecretFinder(secrets: readonly string[]): SecretFinder {
  const known = [...new Set(secrets.map(fold))].filter(({ length }) => length >= LEAST_LETTERS);
  if (known.length === 0) return { find: () => [] };
  const indexes = [LEAST_LETTERS, TELLING_LETTERS].map((letters) => openIndex(known, letters));
  const literal = (text: string): Span[] => {
    const folded = fold(text);
    const spans: Span[] = [];
    for (let at = 0; at + LEAST_LETTERS <= folded.length; at += 1) {
      const length = indexes.reduce((most, lengthIn) => Math.max(most, lengthIn(folded, at)), 0);
      if (length === 0) continue;
      spans.push([at, at + length]);
      at += length - 1;
    }
    return folded.length < CUT_LETTERS ? spans : [...spans, ...cutIn(folded, known)];
  };
  const partsIn = openPartFinder(known);
  const spelled = openSpelling(known);
  const isMasked = (first: string, last: string): boolean =>
    first.length + last.length >= MASK_LETTERS &&
    known.some(
      (secret) =>
        first.length + last.length < secret.length && secret.startsWith(first) && secret.endsWith(last),
    );
  return {
    find: (text) => [
      ...literal(text),
      ...partsIn(fold(text)),
      ...spelled(text),
      ...maskedIn(text, isMasked),
      ...encodedIn(text, (decoded) => literal(decoded).length > 0),
    ],
  };
}

/** Tells how much of a secret stands at a place, 0 where none does; of those that are looked up by so many letters. */
function openIndex(known: readonly string[], letters: number): (folded: string, at: number) => number {
  const byStart = new Map<string, string[]>();
  for (const secret of known) {
    if (secret.length >= TELLING_LETTERS !== (letters === TELLING_LETTERS)) continue;
    const start = secret.slice(0, letters);
    const others = byStart.get(start);
    if (others === undefined) byStart.set(start, [secret]);
    else others.push(secret);
  }
  if (byStart.size === 0) return () => 0;
  return (folded, at) => {
    const some = byStart.get(folded.slice(at, at + letters));
    return some === undefined
      ? 0
      : some.reduce((most, each) => Math.max(most, quotedLetters(folded, at, each)), 0);
  };
}

/**
 * Finds secrets whose letters and digits stand in a text in their order, whatever stands between them or in which width
 * they are written: `sk\-abc` of Markdown, invisible characters, line ends. Only long ones are known by those alone.
 */
function openSpelling(known: readonly string[]): (text: string) => Span[] {
  const lengthAt = openIndex(
    known.map((secret) => lettersOf(secret).letters).filter(({ length }) => length >= TELLING_LETTERS),
    TELLING_LETTERS,
  );
  return (text) => {
    const { letters, places } = lettersOf(text);
    const spans: Span[] = [];
    for (let at = 0; at + TELLING_LETTERS <= letters.length; at += 1) {
      const length = lengthAt(letters, at);
      if (length === 0) continue;
      spans.push([places[at] ?? 0, (places[at + length - 1] ?? 0) + 1]);
      at += length - 1;
    }
    return spans;
  };
}

/** The letters and digits of a text in their plain form, and where in it each stands. */
function lettersOf(text: string): { letters: string; places: number[] } {
  let letters = "";
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    // Nearly all of nearly every text, whose form is plain already.
    const plain = character < "\x80" ? character : character.normalize("NFKC");
    for (const letter of fold(plain)) {
      if (!LETTER_OR_DIGIT.test(letter)) continue;
      letters += letter;
      places.push(at);
    }
  }
  return { letters, places };
}

/** The length of the secret's part at this position; 0 if it is too short to be one. */
function quotedLetters(folded: string, at: number, secret: string): number {
  let length = 0;
  while (length < secret.length && folded[at + length] === secret[length]) length += 1;
  if (length < secret.length) return length >= TELLING_LETTERS ? length : 0;
  const standsAlone = !isWord(folded[at - 1]) && !isWord(folded[at + length]);
  return length >= SURE_LETTERS || standsAlone ? length : 0;
}

/** The beginning of a secret at the very end of a text that was cut there. */
function cutIn(folded: string, known: readonly string[]): Span[] {
  for (let letters = TELLING_LETTERS - 1; letters >= LEAST_LETTERS; letters -= 1) {
    const end = folded.slice(-letters);
    if (known.some((secret) => secret.startsWith(end))) return [[folded.length - letters, folded.length]];
  }
  return [];
}

/** `sk-abc...wxyz`, `****wxyz`, "ending in wxyz": beginning and end of a secret are a part of it. */
function maskedIn(text: string, isMasked: (first: string, last: string) => boolean): Span[] {
  const spans: Span[] = [];
  let asked = 0;
  for (const match of text.matchAll(MASKED)) {
    const [whole, first = "", last = ""] = match;
    if (first === "" && last === "") continue;
    asked += 1;
    if (asked > MAX_MASKED || isMasked(fold(first), fold(last)))
      spans.push([match.index, match.index + whole.length]);
  }
  for (const [pattern, isStart] of TOLD_ENDS) {
    for (const match of text.matchAll(pattern)) {
      const [whole, part = ""] = match;
      const folded = fold(part);
      const end = match.index + whole.length;
      asked += 1;
      if (asked > MAX_MASKED || (isStart ? isMasked(folded, "") : isMasked("", folded)))
        spans.push([end - part.length, end]);
    }
  }
  return spans;
}

/** Runs of base64 or of hexadecimal digits that decode to a text with a secret in it, at any alignment. */
function encodedIn(text: string, holdsSecret: (decoded: string) => boolean): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(ENCODED)) {
    const [run] = match;
    if (run.length > MAX_ENCODED_LETTERS) continue;
    const coding = HEXADECIMAL.test(run) ? "hex" : "base64";
    const decodes = (as: "hex" | "base64", shifts: readonly number[]): boolean =>
      shifts.some((shift) => holdsSecret(Buffer.from(run.slice(shift), as).toString("latin1")));
    if (decodes("base64", BASE64_SHIFTS) || (coding === "hex" && decodes("hex", HEX_SHIFTS)))
      spans.push([match.index, match.index + run.length]);
  }
  return spans;
}

/** In lower case, letter for letter: the full mapping makes some letters two, and offsets would be wrong. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (word) => word.toLowerCase());
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /[\w-]/.test(letter);
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const MASKED = /(?<![\w-])([\w-]{0,64})(?:\*{2,}|\.{3,}|…+|•{2,}|·{2,}|<[\w -]{1,20}>)([\w-]{0,64})/g;
const TOLD_ENDS: readonly (readonly [RegExp, boolean])[] = [
  [/\bend(?:s|ing)?\s+(?:in|with)\W{1,4}([\w-]{3,64})/gi, false],
  [/\b(?:start|begin)(?:s|ning|ing)?\s+with\W{1,4}([\w-]{3,64})/gi, true],
];
/** Eight bytes and more, in the usual alphabet or the one for URLs. */
const ENCODED = /[A-Za-z0-9+/_-]{11,}={0,2}/g;
const HEXADECIMAL = /^[0-9A-Fa-f]+$/;
const BASE64_SHIFTS = [0, 1, 2, 3];
const HEX_SHIFTS = [0, 1];
