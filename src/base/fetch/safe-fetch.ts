import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { packChunk } from "../pack-chunk.ts";
import { isLocalName, isPublicUrl } from "./public-url.ts";
import { isPublicAddress, plainAddress } from "./safe-fetch-address.ts";
import { type AllowList, plainHost, portOf, readAllowList } from "./safe-fetch-allow.ts";
import { FetchFailure } from "./safe-fetch-failure.ts";
import { type ByteRange, type ConnectThrough, type Hop, openHop } from "./safe-fetch-hop.ts";
import { type Run, startRun } from "./safe-fetch-run.ts";

export type { ConnectThrough };

export interface SafeFetchOptions {
  /** `egress_allow` as it is now: CIDRs, addresses and host:port that may be reached although private. */
  readonly allow: () => readonly string[];
  /** All addresses of a host; the system's resolver where absent. */
  readonly lookup?: Lookup;
  /** Addresses of this machine, which are no one else's though they be public; its interfaces' where absent. */
  readonly ownAddresses?: () => readonly string[];
}

export type Lookup = (host: string) => Promise<readonly string[]>;

export interface FetchOptions {
  /** More than this is a failure `too-large`; with `range` it is where reading stops. */
  readonly maxBytes: number;
  /** Only these bytes, both ends included: a server that knows no ranges answers 200 from the start on. */
  readonly range?: ByteRange;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<FetchLimits>;
  /** Every connection is made by way of a proxy, redirects included, and none without it; undefined = there is none. */
  readonly through?: ConnectThrough | undefined;
}

export interface FetchLimits {
  /** Finding the host and connecting to it. */
  readonly connectMs: number;
  /** From there to the response's head, for each redirect anew. */
  readonly firstByteMs: number;
  /** All of it, the reader's own time included. */
  readonly totalMs: number;
}

export interface FetchedStream {
  /** 200, or 206 where a range was wished and given. */
  readonly status: 200 | 206;
  /** Names in lower case; of several of one name the first. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL after redirects. */
  readonly finalUrl: string;
  /** To be read once, or closed. Throws FetchFailure. */
  readonly body: AsyncIterable<Buffer>;
  close(): void;
}

export interface FetchedBytes extends Omit<FetchedStream, "body" | "close"> {
  readonly bytes: Buffer;
}

/**
 * The guarded client: the only way to a URL that a caller gave, since such a URL is an order to connect
 * from inside the operator's network. Every address of the host is checked and the connection goes to
 * those and no others, however the name is answered the next time; a redirect is checked the same way.
 * No proxy of the environment, no cookies, no credentials, nothing compressed. Throws FetchFailure.
 */
export interface SafeFetch {
  /** The head and a stream of the body, which must be read or closed. */
  open(url: string, options: FetchOptions): Promise<FetchedStream>;
  /** The whole file in memory. */
  read(url: string, options: FetchOptions): Promise<FetchedBytes>;
  /** POSTs to the URL and gives what status it answered; a redirect is a response, and what follows the head is not read. */
  post(url: string, options: PostOptions): Promise<{ readonly status: number }>;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly limits?: Partial<FetchLimits>;
}

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { allow, lookup = lookupAll, ownAddresses = interfaceAddresses } = options;

  async function open(url: string, options: FetchOptions): Promise<FetchedStream> {
    const rules: Rules = { allowed: readAllowList(allow()), own: ownAddresses() };
    const run = startRun({ ...LIMITS, ...options.limits }, options.signal);
    try {
      const { hop, target } = await follow(readTarget(url), options, run, async (next) => {
        if (options.through !== undefined) {
          assertNotPrivate(next, rules);
          return openHop(next, options.through, options.range, run);
        }
        const addresses = await run.during("connectMs", addressesOf(next, rules, lookup));
        return openHop(next, addresses, options.range, run);
      });
      return streamOf(hop, target, options, run);
    } catch (error) {
      run.end();
      throw run.failure(error);
    }
  }

  return {
    open,
    async read(url, options) {
      const { body, status, headers, finalUrl } = await open(url, options);
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of body) {
        length += chunk.length;
        packChunk(chunks, chunk, length);
      }
      return { status, headers, finalUrl, bytes: Buffer.concat(chunks) };
    },
    async post(url, { headers, body, limits }) {
      const rules: Rules = { allowed: readAllowList(allow()), own: ownAddresses() };
      const run = startRun({ ...LIMITS, ...limits }, undefined);
      try {
        const target = readTarget(url);
        const addresses = await run.during("connectMs", addressesOf(target, rules, lookup));
        const { status } = await openHop(target, addresses, undefined, run, { headers, body });
        return { status };
      } catch (error) {
        throw withSetting(run.failure(error));
      } finally {
        run.end();
      }
    },
  };
}

/** Long enough for a loaded file host; the whole stays below what a caller waits before its own time-out. */
const LIMITS: FetchLimits = { connectMs: 5_000, firstByteMs: 15_000, totalMs: 60_000 };

/** Link shorteners and file hosts use two or three; loops use any number. */
const MAX_REDIRECTS = 5;

/** Signed links come to 2-4 KB. */
const MAX_URL_LETTERS = 8_192;

async function follow(
  first: URL,
  options: FetchOptions,
  run: Run,
  visit: (target: URL) => Promise<Hop>,
): Promise<{ hop: Hop; target: URL }> {
  let target = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const hop = await visit(target);
    if (hop.status < 300 || hop.status > 399) {
      assertFile(hop, options, run);
      return { hop, target };
    }
    run.nextHop();
    target = redirected(target, hop.headers["location"]);
  }
  throw new FetchFailure("redirects", `It redirects more than ${MAX_REDIRECTS} times.`);
}

function redirected(from: URL, location: string | undefined): URL {
  if (location === undefined) throw new FetchFailure("redirects", "Its redirect has no location.");
  if (!URL.canParse(location, from.href)) {
    throw new FetchFailure("redirects", "It redirects to an invalid URL.");
  }
  return readTarget(new URL(location, from.href).href);
}

/** The one reading of a URL: what is checked here is what is connected to. */
function readTarget(url: string): URL {
  if (url.length > MAX_URL_LETTERS) {
    throw new FetchFailure("invalid-url", `It is longer than ${MAX_URL_LETTERS} characters.`);
  }
  if (!URL.canParse(url)) throw new FetchFailure("invalid-url", "It is not an absolute URL.");
  const target = new URL(url);
  if (target.protocol !== "https:" && target.protocol !== "http:") {
    throw new FetchFailure("invalid-url", "Only https and http URLs are fetched.");
  }
  if (target.username !== "" || target.password !== "") {
    throw new FetchFailure("invalid-url", "It contains a user name or password. Use a signed URL instead.");
  }
  return target;
}

interface Rules {
  readonly allowed: AllowList;
  readonly own: readonly string[];
}

/** The addresses to connect to, all of them checked: one that is forbidden forbids the host. */
async function addressesOf(target: URL, rules: Rules, lookup: Lookup): Promise<readonly string[]> {
  const host = plainHost(target.hostname);
  const port = portOf(target);
  const named = rules.allowed.endpoint(host, port);
  if (!named && isLocalName(host)) throw forbidden(host);
  const found = isIP(host) === 0 ? await lookup(host).catch(notFound) : [host];
  const addresses = found.map((address) => plainAddress(address) ?? "");
  if (addresses.length === 0) return notFound();
  for (const address of addresses) {
    if (isIP(address) === 0) throw forbidden(host);
    if (!named && !isOpen(address, port, rules)) throw forbidden(host);
  }
  return addresses;
}

/** All that can be told of a target whose name only a proxy resolves. */
function assertNotPrivate(target: URL, { allowed }: Rules): void {
  const isNamed = allowed.endpoint(plainHost(target.hostname), portOf(target));
  if (!isNamed && !isPublicUrl(target.href, allowed)) throw forbidden(plainHost(target.hostname));
}

function isOpen(address: string, port: number, { allowed, own }: Rules): boolean {
  return (isPublicAddress(address) && !own.includes(address)) || allowed.address(address, port);
}

/**
 * An address of a private network gets the same words whichever network it is. A name that leads to one gets the words of
 * a name that doesn't exist: otherwise callers could find out which names the operator's network has.
 */
function forbidden(host: string): FetchFailure {
  return new FetchFailure("forbidden", isIP(host) === 0 ? NO_PUBLIC_ADDRESS : PRIVATE_ADDRESS);
}

function notFound(cause?: unknown): never {
  throw new FetchFailure("unreachable", NO_PUBLIC_ADDRESS, cause);
}

const PRIVATE_ADDRESS = "Its address is in a network that this gateway does not fetch from.";
const NO_PUBLIC_ADDRESS = "Its host name does not lead to a public address.";

/**
 * Names the setting that would let a receiver be reached. A name that doesn't exist gets the same hint, for the reason
 * given at `forbidden`.
 */
function withSetting(failure: FetchFailure): FetchFailure {
  if (failure.message !== PRIVATE_ADDRESS && failure.message !== NO_PUBLIC_ADDRESS) return failure;
  const message = `${failure.message} A private receiver must be listed in settings.egress_allow.`;
  return new FetchFailure(failure.reason, message, failure.cause);
}

async function lookupAll(host: string): Promise<readonly string[]> {
  const found = await systemLookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => plainAddress(address) ?? address),
  );
}

function assertFile({ status, headers }: Hop, options: FetchOptions, run: Run): void {
  if (status !== 200 && !(status === 206 && options.range !== undefined)) {
    throw new FetchFailure("status", `Its server returned status ${status} instead of a file.`);
  }
  const encoding = headers["content-encoding"]?.toLowerCase();
  if (encoding !== undefined && encoding !== "identity") {
    throw new FetchFailure("broken", "Its server sent it compressed although that wasn't accepted.");
  }
  if (options.range === undefined && Number(headers["content-length"] ?? 0) > options.maxBytes) {
    throw tooLarge(options.maxBytes);
  }
  run.headCame();
}

function tooLarge(maxBytes: number): FetchFailure {
  return new FetchFailure("too-large", `It exceeds the limit of ${maxBytes} bytes.`);
}

function streamOf(hop: Hop, target: URL, options: FetchOptions, run: Run): FetchedStream {
  return {
    status: hop.status === 206 ? 206 : 200,
    headers: hop.headers,
    finalUrl: target.href,
    body: bounded(hop, options, run),
    close: () => run.end(),
  };
}

async function* bounded(hop: Hop, { maxBytes, range }: FetchOptions, run: Run): AsyncGenerator<Buffer> {
  const most = range === undefined ? maxBytes : Math.min(maxBytes, range.last - range.first + 1);
  let left = most;
  try {
    for await (const chunk of hop.body) {
      if (chunk.length > left && range === undefined) throw tooLarge(maxBytes);
      yield chunk.length > left ? chunk.subarray(0, left) : chunk;
      left -= chunk.length;
      if (left <= 0 && range !== undefined) return;
    }
  } catch (error) {
    throw run.failure(error);
  } finally {
    run.end();
  }
}

/**
 * Asks an address that the operator wrote down, such as an identity provider's: it may stand in a private network,
 * unlike what callers give. Redirects are answers, not followed.
 */
export function trustedFetch(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: "manual" });
}
