import { isIP } from "node:net";
import { isAddressInside, isPublicAddress, plainAddress } from "./safe-fetch-address.ts";
import { type AllowList, plainHost, portOf } from "./safe-fetch-allow.ts";

/**
 * True if a URL can be one of the public Internet, as far as its text tells: http or https, and no name or address of a private
 * network in any spelling, unless `allowed` has it. No name is resolved. For URLs that are only passed on, as whoever fetches one
 * resolves its name.
 */
export function isPublicUrl(text: string, allowed?: AllowList): boolean {
  const target = readUrl(text);
  if (target === undefined) return false;
  const host = plainHost(target.hostname);
  const port = portOf(target);
  if (isIP(host) === 0)
    return (!isLocalName(host) && !PRIVATE_NAMES.test(host)) || allowed?.endpoint(host, port) === true;
  const address = plainAddress(host) ?? host;
  return isPublicAddress(address) || allowed?.address(address, port) === true;
}

/**
 * The same for a vendor in the operator's own network, whose results and files have private URLs: any http or https URL but
 * those of link-local addresses, where clouds tell machines their secrets.
 */
export function isUrlInside(text: string): boolean {
  const target = readUrl(text);
  if (target === undefined) return false;
  const host = plainHost(target.hostname);
  return isIP(host) === 0 ? !METADATA_NAMES.test(host) : isAddressInside(host);
}

function readUrl(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && !AMBIGUOUS.test(text) && URL.canParse(text)
    ? new URL(text)
    : undefined;
}

/** True if a plain host is this machine by its name (RFC 6761). */
export function isLocalName(host: string): boolean {
  return /^(.*\.)?localhost$/.test(host);
}

/**
 * URLs that readers understand in two ways: browsers take a backslash for a slash and drop line ends and tabs, others
 * do not.
 */
const AMBIGUOUS = /^[^/]*\/\/[^/?#]*[\\\t\r\n]/;

/**
 * Names that are kept for private use, or that only private networks use: metadata services of clouds stand under the first
 * (RFC 6762, RFC 8375), and a name of one label is looked up in the network that it is asked from.
 */
const PRIVATE_NAMES = /^[^.]+$|\.(?:internal|local|localdomain|home\.arpa|svc|lan|corp|intranet)$/;

/** The names of clouds' metadata services. */
const METADATA_NAMES = /(?:^|\.)(?:metadata|instance-data)(?:\.|$)/;
