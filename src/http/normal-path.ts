/**
 * The one spelling of a path that routes are matched on: doubled slashes are one, one trailing slash
 * is none, and what means the same without its code has none, `%3A` (clients encode the colon of
 * `model:generateContent`) as well as `%61`, which the router would read as `a` after all others have
 * decided by the path. The query is untouched, and so is `%2F`, which stays part of a model id.
 */
export function normalPath(url: string): string {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(url);
  const target = absolute ? url.slice(absolute[0].length) || "/" : url;
  const cut = target.indexOf("?");
  const path = cut === -1 ? target : target.slice(0, cut);
  const query = cut === -1 ? "" : target.slice(cut);
  if (!path.includes("//") && !path.includes("%") && (path.length < 2 || !path.endsWith("/")))
    return path + query;
  const single = path.replace(/\/{2,}/g, "/").replace(NEEDLESS_CODE, decodeURIComponent);
  return (single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single) + query;
}

/** Of letters, digits, `-`, `.`, `_` and `~` (RFC 3986, 6.2.2.2), and of the colon. */
const NEEDLESS_CODE = /%(2[de]|3[0-9a]|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi;
