/** The length of a path that is enough to name an endpoint. */
const MAX_LENGTH = 200;

/** The replacement of a segment that may be a secret. */
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

/** True for plain letters that neither break a line nor have the form or length of a key. */
function isWord(text: string): boolean {
  if (!/^[\w.~-]{0,32}$/.test(text) || /^(?:sk|pk|rk|key)[-_]/i.test(text)) return false;
  return text.length < 16 || !/\d/.test(text);
}
