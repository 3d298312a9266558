/**
 * The one spelling of a path that routes are matched on: doubled slashes are one, one trailing slash
 * is none, `%3A` is `:` (clients encode the colon of `model:generateContent`). The query is untouched,
 * and so is `%2F`, which stays part of a model id.
 */
export function normalPath(url: string): string {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(url);
  const target = absolute ? url.slice(absolute[0].length) || "/" : url;
  const cut = target.indexOf("?");
  const path = cut === -1 ? target : target.slice(0, cut);
  const query = cut === -1 ? "" : target.slice(cut);
  if (!path.includes("//") && !path.includes("%3") && (path.length < 2 || !path.endsWith("/")))
    return path + query;
  const single = path.replace(/\/{2,}/g, "/").replace(/%3a/gi, ":");
  return (single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single) + query;
}
