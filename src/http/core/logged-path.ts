/** As much of a path as names an endpoint. */
const MAX_LENGTH = 200;

/** What stands for a segment that is not told. */
const HIDDEN = "*";

/**
 * The path of a request that no route has, for the operator's log. The query is left out, and so is each segment that is more
 * than a word: a client that is set up wrongly may have its key, or its user's text, anywhere in the address.
 */
export function loggedPath(url: string): string {
  const path = (url.split(/[?#]/, 1)[0] ?? "").slice(0, MAX_LENGTH);
  return path
    .split("/")
    .map((segment) => (segment.split(":").every(isWord) ? segment : HIDDEN))
    .join("/");
}

/** Of plain letters, so that no line is broken, and neither of a key's look nor of its length. */
function isWord(text: string): boolean {
  if (!/^[\w.~-]{0,32}$/.test(text) || /^(?:sk|pk|rk|key)[-_]/i.test(text)) return false;
  return text.length < 16 || !/\d/.test(text);
}
