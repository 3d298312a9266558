import { readCidr } from "./safe-fetch-address.ts";

/** The private addresses that an operator lets the guarded client reach. */
export interface AllowList {
  /** A host as a URL spells it, and a port: whatever address the name has. */
  endpoint(host: string, port: number): boolean;
  /** An address, and the port on it. */
  address(address: string, port: number): boolean;
}

/** Reads `egress_allow`: CIDRs, single addresses, and host:port. What is none of these allows nothing. */
export function readAllowList(entries: readonly string[]): AllowList {
  const blocks: ((address: string) => boolean)[] = [];
  const endpoints: { readonly host: string; readonly port: number }[] = [];
  for (const entry of entries) {
    const block = readCidr(entry);
    const [, host, port] = HOST_AND_PORT.exec(entry) ?? [];
    if (block !== undefined) blocks.push(block);
    else if (host !== undefined) endpoints.push({ host: plainHost(host), port: Number(port) });
  }
  const endpoint = (host: string, port: number): boolean =>
    endpoints.some((known) => known.host === host && known.port === port);
  return {
    endpoint,
    address: (address, port) => blocks.some((holds) => holds(address)) || endpoint(address, port),
  };
}

/** True if an entry can allow anything, for whoever reads the setting from an operator. */
export function isAllowEntry(entry: string): boolean {
  return readCidr(entry) !== undefined || HOST_AND_PORT.test(entry);
}

/** The port that a URL leads to. */
export function portOf({ protocol, port }: URL): number {
  const usual = protocol === "https:" ? 443 : 80;
  return port === "" ? usual : Number(port);
}

/** A host without brackets and without the dot that ends a full name, in lower case. */
export function plainHost(host: string): string {
  return (
    host
      .replace(/^\[(.*)\]$/, "$1")
      // Begun at a run's first dot only, as callers write hosts that are all dots.
      .replace(/(?<!\.)\.+$/, "")
      .toLowerCase()
  );
}

const HOST_AND_PORT = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@]+):(\d{1,5})$/;
