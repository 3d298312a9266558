import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector, Client, type Dispatcher } from "undici";
import { definedFields } from "../defined-fields.ts";
import { plainHost } from "./safe-fetch-allow.ts";
import { FetchFailure } from "./safe-fetch-failure.ts";
import type { Run } from "./safe-fetch-run.ts";

/** Opens a connection to a server by way of a proxy, which resolves its name; with TLS where the URL's scheme has it. */
export type ConnectThrough = (target: URL) => Promise<Socket>;

/** One answered request; redirects are not followed here. */
export interface Hop {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** File servers send headers of a few KB. */
const MAX_HEADER_BYTES = 32 * 1024;

/** The body of a POST; absent = a GET. */
export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * GETs the target, or POSTs to it, on a connection of its own that goes to one of the given addresses, or through a proxy: nothing here
 * resolves the name again. A connection is never kept, since it was checked for this request only. It lasts until
 * the run ends.
 */
export async function openHop(
  target: URL,
  way: readonly string[] | ConnectThrough,
  range: ByteRange | undefined,
  run: Run,
  posted?: Posted,
): Promise<Hop> {
  const socket = await run.during(
    "connectMs",
    typeof way === "function" ? connectThrough(way, target, run) : connectTo(target, way, run),
  );
  const client = new Client(target.origin, {
    maxHeaderSize: MAX_HEADER_BYTES,
    // The run's own limits are finer than the client's timers.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: onlyOnce(socket),
  });
  run.whenOver(() => void client.destroy());
  const asked = client.request({
    method: posted === undefined ? "GET" : "POST",
    path: `${target.pathname}${target.search}`,
    headers: { ...requestHeaders(range), ...posted?.headers },
    body: posted?.body ?? null,
    signal: run.signal,
  });
  return hopOf(await run.during("firstByteMs", asked));
}

function hopOf({ statusCode, headers, body }: Dispatcher.ResponseData): Hop {
  // A body that nobody reads to its end, as that of a redirect, dies with its connection: no news.
  body.on("error", () => undefined);
  return { status: statusCode, headers: firstOfEach(headers), body };
}

function requestHeaders(range: ByteRange | undefined): Record<string, string> {
  return definedFields({
    accept: "*/*",
    // The bytes are wanted as they are; and what inflates has no bound that its length would tell.
    "accept-encoding": "identity",
    "user-agent": "faregate",
    range: range === undefined ? undefined : `bytes=${range.first}-${range.last}`,
  });
}

function connectTo(target: URL, addresses: readonly string[], run: Run): Promise<Socket> {
  const host = plainHost(target.hostname);
  const literal = isIP(host) !== 0;
  const connect = buildConnector({ timeout: 0, allowH2: false, lookup: pinnedTo(addresses) });
  return new Promise((resolve, reject) => {
    const options = definedFields({
      // An address is never looked up; a name is, by the pinned answer.
      hostname: literal ? (addresses[0] ?? "") : host,
      protocol: target.protocol,
      port: target.port,
      servername: literal ? undefined : host,
    });
    // The declared type hides that the connector returns the socket it opens.
    const opening = connect(options, (error, socket) => {
      if (error === null) resolve(socket);
      else reject(new FetchFailure("unreachable", "Its server refused the connection.", error));
    }) as unknown as Socket;
    run.whenOver(() => opening.destroy());
  });
}

async function connectThrough(connect: ConnectThrough, target: URL, run: Run): Promise<Socket> {
  const socket = await connect(target).catch((cause: unknown) => {
    throw new FetchFailure("unreachable", "The upstream's proxy gave no connection to its server.", cause);
  });
  run.whenOver(() => socket.destroy());
  // It came too late.
  if (run.signal.aborted) socket.destroy();
  return socket;
}

/** Answers every look-up of the connecting socket with the addresses that were checked. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, response) => {
    if (options.all) return response(null, found);
    const [first] = found;
    return response(null, first?.address ?? "", first?.family);
  };
}

/** Gives the client the one checked connection; a second one, which nobody checked, it never gets. */
function onlyOnce(socket: Socket): buildConnector.connector {
  let given = false;
  return (_options, response) => {
    const again = given;
    given = true;
    // The client expects no response before its call has returned.
    queueMicrotask(() =>
      again ? response(new Error("the connection was closed"), null) : response(null, socket),
    );
  };
}

function firstOfEach(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const all = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) all[name.toLowerCase()] = first;
  }
  return all;
}
