/** Ways in which a vendor can serve the same request at another price. */
export const SERVICE_DIMENSIONS = ["tier", "speed", "region"] as const;

export type ServiceDimension = (typeof SERVICE_DIMENSIONS)[number];

/** Service terms that a request asks for or was served with: the vendor's words, normalised by `readServiceWord`. */
export type ServiceTerms = Readonly<Partial<Record<ServiceDimension, string | undefined>>>;

/** The word for plain service, which costs what the model costs. */
export const PLAIN_SERVICE = "standard";

/**
 * Vendors' other words for it. Throughput that an operator has bought is paid for by the hour, and is plain to callers. In a
 * request `auto` leaves the choice to the vendor; in a response it says nothing.
 */
const PLAIN_WORDS: ReadonlySet<string> = new Set([
  PLAIN_SERVICE,
  "default",
  "standard_only",
  "on_demand",
  "unspecified",
  "provisioned",
  "provisioned_throughput",
  "global",
  "not_available",
]);

/** True if a word that a caller or a catalog writes means plain service. */
export function isPlainService(value: string): boolean {
  const word = bareWord(value);
  return PLAIN_WORDS.has(word) || leavesOpen(value);
}

/** True if a word of a request leaves the choice to the vendor. */
export function leavesOpen(value: string): boolean {
  return bareWord(value) === "auto";
}

/** One vendor's client libraries spell `priority` as SERVICE_TIER_PRIORITY. */
function bareWord(value: string): string {
  return value.toLowerCase().replace(/^service_tier_/, "");
}

/** A word in lower case, any word for plain service as PLAIN_SERVICE; undefined = it says nothing. */
export function readServiceWord(value: unknown): string | undefined {
  if (typeof value !== "string" || !WORD.test(value)) return undefined;
  if (leavesOpen(value)) return undefined;
  const word = bareWord(value);
  return PLAIN_WORDS.has(word) ? PLAIN_SERVICE : word;
}

/** A word ends up on receipts, so whatever is no word is nothing. */
const WORD = /^[a-z0-9][a-z0-9_.-]{0,59}$/i;

/** The name in a price table that this word means, in any case and under the vendor's other names for it. */
export function findTerm(names: readonly string[], word: string): string | undefined {
  const words = [word, ...(ALIASES.find((group) => group.includes(word)) ?? [])];
  for (const each of words) {
    const found = names.find((name) => name.toLowerCase() === each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Requested under one name, reported under the other: https://developers.openai.com/api/docs/guides/fast-mode */
const ALIASES: readonly (readonly string[])[] = [["priority", "fast"]];
