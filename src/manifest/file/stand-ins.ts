/** Prefixes of placeholders for secrets that are not available. All rules for keys, headers and proxies accept them. */
const STAND_IN = "http://stand-in-";

export function standInFor(word: string): string {
  return STAND_IN + word;
}

/** The secret behind the placeholder was validated when it was written. */
export function isStandIn(value: string): boolean {
  return value.startsWith(STAND_IN);
}
