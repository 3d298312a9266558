/** Paths that clients put in front of an endpoint themselves, or expect in their base URL. */
const PREFIXES = ["/v1", "/v1beta"] as const;

/** Below it the API of the dashboard stands, whose pages have the same addresses without it. */
const CONSOLE = "/api";

/**
 * What to say to a path that has no endpoint where one is near it: a base URL that lacks `/v1` or has it twice, or an
 * address of the dashboard's API without `/api`. Undefined = nothing is near. `patterns` are the addresses that are
 * served, with parameters as `:name`.
 */
export function nearbyPath(path: string, patterns: readonly string[]): string | undefined {
  const isServed = (candidate: string): boolean => patterns.some((pattern) => matches(pattern, candidate));
  for (const prefix of PREFIXES) {
    if (isServed(prefix + path)) return `${prefix}${path} exists: end the client's base URL with ${prefix}`;
  }
  // What stands in front of a path that is served was put there by the base URL.
  for (let cut = path.indexOf("/", 1); cut !== -1; cut = path.indexOf("/", cut + 1)) {
    const rest = path.slice(cut);
    const extra = path.slice(0, cut);
    if (isServed(rest)) return `${rest} exists: remove ${extra} from the client's base URL`;
  }
  if (isServed(CONSOLE + path)) return `${CONSOLE}${path} exists`;
  return undefined;
}

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split("/");
  const given = path.split("/");
  if (parts.length !== given.length || pattern.includes("*")) return false;
  return parts.every((part, index) => part === given[index] || (part.startsWith(":") && given[index] !== ""));
}
