/** Part of a text: from one offset up to, not including, another. */
export type Span = readonly [start: number, end: number];

/** So many letters of a secret in a row tell too much, wherever in it they stand. Fewer, at its ends, say which one is meant. */
const PART_LETTERS = 12;
/** Parts are looked up by so many letters, of which each part has some at a place that is a multiple of the step. */
const LOOKUP_LETTERS = 6;
const STEP = PART_LETTERS - LOOKUP_LETTERS + 1;

interface Place {
  readonly secret: string;
  readonly at: number;
}

/**
 * Finds parts of secrets in a text, both in lower case. What all keys of a vendor begin with is no part by itself, and neither is
 * what PEM and JSON put around a secret, whose own texts are secrets of their own.
 */
export function openPartFinder(known: readonly string[]): (folded: string) => Span[] {
  const byLetters = new Map<string, Place[]>();
  for (const secret of known.flatMap(tellingTexts)) {
    for (let at = prefixLetters(secret); at + LOOKUP_LETTERS <= secret.length; at += STEP) {
      const letters = secret.slice(at, at + LOOKUP_LETTERS);
      const others = byLetters.get(letters);
      if (others === undefined) byLetters.set(letters, [{ secret, at }]);
      else others.push({ secret, at });
    }
  }
  if (byLetters.size === 0) return () => [];
  return (folded) => {
    const spans: Span[] = [];
    for (let at = 0; at + LOOKUP_LETTERS <= folded.length; at += 1) {
      const places = byLetters.get(folded.slice(at, at + LOOKUP_LETTERS)) ?? [];
      for (const place of places) {
        const [start, end] = sharedAround(folded, at, place);
        if (end - start >= PART_LETTERS) spans.push([start, end]);
      }
      at = Math.max(at, (spans.at(-1)?.[1] ?? 0) - LOOKUP_LETTERS);
    }
    return spans;
  };
}

/** Returns the part of the secret around the letters by which it was found. */
function sharedAround(folded: string, at: number, place: Place): Span {
  const { secret } = place;
  let before = 0;
  while (before < place.at && before < at && folded[at - before - 1] === secret[place.at - before - 1])
    before += 1;
  let behind = LOOKUP_LETTERS;
  while (place.at + behind < secret.length && folded[at + behind] === secret[place.at + behind]) behind += 1;
  return [at - before, at + behind];
}

/** `sk-ant-api03-`, `sk-proj-` */
function prefixLetters(secret: string): number {
  const [prefix = ""] = /^(?:[a-z]{1,10}\d{0,2}[-_]){1,4}/.exec(secret) ?? [];
  return prefix.length;
}

function tellingTexts(secret: string): string[] {
  if (secret.trimStart().startsWith("{")) return [];
  return secret.includes("-----begin ")
    ? secret.split(/\\n|\s+/).filter((line) => line.length >= PART_LETTERS && !line.includes("--"))
    : [secret];
}
