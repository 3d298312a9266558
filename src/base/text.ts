/**
 * Text without control characters, which no database and no log likes. The class is spelt out because it ends up in the
 * OpenAPI document and in the catalog file's JSON Schema, whose readers know no `\p{Cc}` where they are written in Python.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keeping them out is what it is for
export const PLAIN_TEXT = /^[^\x00-\x1f\x7f-\x9f]*$/;

/**
 * An address that e-mail can be sent to: one recipient, without quotes, comments, lists and anything else that mail servers
 * and libraries read differently.
 */
export const MAIL_ADDRESS =
  /^[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** "1 account", "2 accounts": for regular nouns. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** True if a text is a data URL, whose scheme may be written in any case (RFC 3986), and what it holds is there. */
export function isDataUrl(text: string): boolean {
  return /^data:/i.test(text);
}

/**
 * The address of a caller's reference with what means the same in any case in lower case (RFC 3986, RFC 2397): the scheme, the
 * host of a web address, and of a data URL its type and the word `base64`. Vendors compare letters. All else may be signed,
 * and stays.
 */
export function normalizedUrl(url: string): string {
  const beginning = url.slice(0, MAX_HEAD_CHARACTERS);
  const [head = "", scheme = "", user = "", rest = ""] = HEAD.exec(beginning) ?? [];
  const lower = scheme.toLowerCase() + user + rest.toLowerCase() + beginning.slice(head.length);
  const normalized = lower.replace(CODING, "$1base64");
  return normalized === beginning ? url : normalized + url.slice(beginning.length);
}

/** Scheme, user and host of a web address; scheme and type of a data URL; of others the scheme. */
const HEAD =
  /^(https?:\/\/|[a-z][a-z0-9+.-]*:)((?<=\/\/)[^/?#@]*@)?((?<=\/\/|@)[^/?#@]*|(?<=^data:)[^;,]*)?/i;

/** The coding of a data URL. */
const CODING = /^(data:[^,]*;)base64(?=,)/i;

/** Far more than any host or type has. */
const MAX_HEAD_CHARACTERS = 4_096;

/** The names that an earlier one spells in another case, each with that one. */
export function sameInAnyCase(names: readonly string[]): readonly { name: string; earlier: string }[] {
  const seen = new Map<string, string>();
  return names.flatMap((name) => {
    const earlier = seen.get(name.toLowerCase());
    if (earlier !== undefined) return [{ name, earlier }];
    seen.set(name.toLowerCase(), name);
    return [];
  });
}

/** The candidate that differs by a slip of typing (at most two letters, and less than half of the word). */
export function closestMatch(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.min(2, Math.floor((word.length - 1) / 2));
  const near = candidates
    .map((candidate) => ({ candidate, slips: editDistance(word, candidate, most) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.candidate;
}

/** Letters to insert, remove or replace; gives up above `most`. */
function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
