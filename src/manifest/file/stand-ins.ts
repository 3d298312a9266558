/** How words begin that stand for secrets which aren't at hand. Every rule for keys, headers and proxies lets them pass. */
const STAND_IN = "http://stand-in-";

export function standInFor(word: string): string {
  return STAND_IN + word;
}

/** What it stands for was judged when it was written. */
export function isStandIn(value: string): boolean {
  return value.startsWith(STAND_IN);
}
