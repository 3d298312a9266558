import ipaddr from "ipaddr.js";

/**
 * True for an address of the public Internet. Everything else is refused by being no plain unicast
 * address, so that a range nobody thought of is refused too.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address.kind() === "ipv4") return isPublicV4(address as ipaddr.IPv4);
  const v6 = address as ipaddr.IPv6;
  // The well-known NAT64 prefix is how a network without v4 reaches the v4 Internet, so what counts is whom it names.
  if (v6.match(NAT64)) return isPublicV4(lastFourBytes(v6));
  // 6to4 and Teredo carry a v4 address through relays that no longer exist: refused whatever they carry.
  return v6.zoneId === undefined && v6.match(GLOBAL_UNICAST) && v6.range() === "unicast";
}

/**
 * True also for an address of a private network, or of this machine itself; not for link-local ones, nor those at which clouds
 * tell machines their secrets. What carries another address within it is none of these.
 */
export function isAddressInside(text: string): boolean {
  if (isPublicAddress(text)) return true;
  const address = parseAddress(text);
  if (address === undefined || !INSIDE.has(address.range())) return false;
  return !METADATA_HOSTS.some((block) => block[0].kind() === address.kind() && address.match(block));
}

/** One spelling for each address, a v4 one that is mapped into v6 as itself; undefined for what is none. */
export function plainAddress(text: string): string | undefined {
  return parseAddress(text)?.toString();
}

/** A CIDR or a single address, as a test of addresses; undefined for what is neither. */
export function readCidr(text: string): ((address: string) => boolean) | undefined {
  const block = ipaddr.isValidCIDR(text)
    ? plainBlock(ipaddr.parseCIDR(text))
    : ipaddr.isValid(text)
      ? wholeAddress(text)
      : undefined;
  if (block === undefined) return undefined;
  return (address) => {
    const parsed = parseAddress(address);
    return parsed !== undefined && parsed.kind() === block[0].kind() && parsed.match(block);
  };
}

type Block = [ipaddr.IPv4 | ipaddr.IPv6, number];

function wholeAddress(text: string): Block {
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** A block of v4 that is mapped into v6 as itself, as the addresses in it are. */
function plainBlock([start, bits]: Block): Block {
  const isMapped = start.kind() === "ipv6" && (start as ipaddr.IPv6).isIPv4MappedAddress();
  return isMapped && bits >= 96 ? [(start as ipaddr.IPv6).toIPv4Address(), bits - 96] : [start, bits];
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function isPublicV4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !address.match(CLOUD_HOST);
}

function lastFourBytes(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

/** All that is handed out of v6 for use between networks (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** RFC 6052. The prefix for local use, 64:ff9b:1::/48, is not in it and stays refused. */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** A public address by its number that one cloud answers from the machine's own host (metadata, DNS, health). */
const CLOUD_HOST = ipaddr.IPv4.parseCIDR("168.63.129.16/32");

const INSIDE: ReadonlySet<string> = new Set(["loopback", "private", "carrierGradeNat", "uniqueLocal"]);

/** Addresses of private networks at which clouds answer from the machine's own host. */
const METADATA_HOSTS: readonly Block[] = [
  ipaddr.IPv4.parseCIDR("100.100.100.200/32"),
  ipaddr.IPv6.parseCIDR("fd00:ec2::/64"),
  ipaddr.IPv6.parseCIDR("fd20:ce::/64"),
];
