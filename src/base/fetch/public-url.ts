import { isIP } from "node:net";
import { isPublicAddress } from "./safe-fetch-address.ts";
import { plainHost } from "./safe-fetch-allow.ts";

/**
 * Whether a URL can be one of the public Internet, as far as its text tells: http or https, and no name or address of a private
 * network in any spelling. No name is resolved. For URLs that are only passed on, as whoever fetches one resolves its name.
 */
export function isPublicUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || AMBIGUOUS.test(text) || !URL.canParse(text)) return false;
  const host = plainHost(new URL(text).hostname);
  return isIP(host) === 0 ? !isLocalName(host) && !PRIVATE_NAMES.test(host) : isPublicAddress(host);
}

/** Whether a plain host is this machine by its name (RFC 6761). */
export function isLocalName(host: string): boolean {
  return /^(.*\.)?localhost$/.test(host);
}

/** Where the text is read in two ways: browsers take a backslash for a slash and drop line ends and tabs, others do not. */
const AMBIGUOUS = /^[^/]*\/\/[^/?#]*[\\\t\r\n]/;

/** Names that are kept for private use: metadata services of clouds stand under the first (RFC 6762, RFC 8375). */
const PRIVATE_NAMES = /\.(?:internal|local|localdomain|home\.arpa)$/;
