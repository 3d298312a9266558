import { Client } from "undici";
import type { ConnectThrough } from "../../base/fetch/safe-fetch.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import type { Log } from "../../observe/log.ts";
import type { ConnectionStats } from "../call.ts";
import { readCaFile } from "./ca-files.ts";
import { connectBy, connectorTo } from "./connector.ts";
import { splitBaseUrl } from "./endpoint-url.ts";
import { type AwaitedHead, skipInterimResponses } from "./interim-responses.ts";

/** Response headers beyond this are no vendor's; cookies and security policies come to a few KB. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Below the 5 s after which Node's and many proxies' servers close an idle connection under a request. */
const KEEP_ALIVE_MS = 4_000;

/** However long a server says it keeps a connection, its address may change meanwhile. */
const KEEP_ALIVE_MAX_MS = 60_000;

/**
 * The connections to one upstream. Each is a client of its own and carries one request at a time, the
 * last used first. The HTTP library's own pool is not used: after an abort it opens a fresh connection
 * that nobody asked for, and it looks through all its connections for each request.
 */
export interface UpstreamConnection {
  readonly name: string;
  /** The base URL's own path. */
  readonly prefix: string;
  /** Requests running, over all models and credentials; shared by all lines of one upstream. */
  readonly load: { inFlight: number };
  /** Connections that exist, idle or not. */
  connections(): number;
  /** A connection for one request that has carried others. */
  takeIdle(): Client | undefined;
  /** A connection for one request that opens when it is used. */
  takeNew(): Client;
  /** Gives a connection back after its request has ended well. */
  keep(client: Client): void;
  /** Closes a connection at once, whatever runs on it. */
  drop(client: Client): void;
  /** Closes idle connections now and each other one as it is given back. */
  close(): void;
}

export interface UpstreamConnectionPool {
  /** The line to an upstream; throws RangeError for an unusable base URL. */
  to(upstream: Upstream): UpstreamConnection;
  /** Connections to other servers through the upstream's proxy; undefined where it has none. */
  through(upstream: Upstream): ConnectThrough | undefined;
  /** Requests running at this upstream. */
  inFlight(upstreamId: bigint): number;
  /** Closes the lines to all others. */
  retain(upstreams: readonly Upstream[]): void;
  stats(): readonly ConnectionStats[];
  close(): void;
}

/** All lines; a changed address makes a new one, and the old one ends with its last request. */
export function createConnectionPool(log: Log): UpstreamConnectionPool {
  // Catalog records never change, so a record's line is looked up without making its key.
  let byRecord = new WeakMap<Upstream, UpstreamConnection>();
  const byKey = new Map<string, UpstreamConnection>();
  const loads = new Map<bigint, { inFlight: number }>();
  /** The certificates of each file when it was last valid. */
  const certificates = new Map<string, string>();

  return {
    to: (upstream) => byRecord.get(upstream) ?? open(upstream),
    through(upstream) {
      if (upstream.options?.proxy === undefined) return undefined;
      return async (target) => connectBy(connectorTo(upstream, certificatesOf(upstream)), target);
    },
    inFlight: (upstreamId) => loads.get(upstreamId)?.inFlight ?? 0,
    retain(upstreams) {
      const wanted = new Set(upstreams.map((upstream) => keyOf(upstream, certificatesOf(upstream, true))));
      byRecord = new WeakMap();
      for (const [key, connection] of byKey) {
        if (wanted.has(key)) continue;
        byKey.delete(key);
        connection.close();
      }
    },
    stats: () =>
      Array.from(byKey.values(), ({ name, load, connections }) => ({
        upstream: name,
        inFlight: load.inFlight,
        connections: connections(),
      })),
    close() {
      for (const connection of byKey.values()) connection.close();
      byKey.clear();
    },
  };

  /** Throws RangeError for a file that was never read well; `again`: reads it anew and keeps what it had where it is broken now. */
  function certificatesOf({ name, options }: Upstream, again = false): string | undefined {
    const file = options?.caFile;
    if (file === undefined) return undefined;
    const known = certificates.get(file);
    if (known !== undefined && !again) return known;
    try {
      const read = readCaFile(file);
      certificates.set(file, read);
      return read;
    } catch (error) {
      if (!again) throw new RangeError(`its ca_file is unusable: ${(error as Error).message}`);
      log.warn({ upstream: name, err: error }, "ca_file of an upstream could not be used");
      return known;
    }
  }

  function open(upstream: Upstream): UpstreamConnection {
    const ca = certificatesOf(upstream);
    const key = keyOf(upstream, ca);
    let load = loads.get(upstream.id);
    if (load === undefined) {
      load = { inFlight: 0 };
      loads.set(upstream.id, load);
    }
    const connection = byKey.get(key) ?? openConnection(upstream, load, ca);
    byKey.set(key, connection);
    byRecord.set(upstream, connection);
    return connection;
  }
}

function openConnection(
  upstream: Upstream,
  load: UpstreamConnection["load"],
  ca: string | undefined,
): UpstreamConnection {
  const { origin, prefix } = splitBaseUrl(upstream.baseUrl);
  // One connector for all, since it remembers TLS sessions.
  const connect = connectorTo(upstream, ca);
  const clients = new Set<Client>();
  const idle: Client[] = [];
  const heads = new WeakMap<Client, AwaitedHead>();
  let closed = false;

  return {
    name: upstream.name,
    prefix,
    load,
    connections: () => clients.size,
    takeIdle() {
      const client = idle.pop();
      const head = client && heads.get(client);
      if (head !== undefined) head.awaited = true;
      return client;
    },
    takeNew: openClient,
    keep(client) {
      if (closed) drop(client);
      else if (clients.has(client)) idle.push(client);
    },
    drop,
    close() {
      closed = true;
      for (const client of idle.splice(0)) drop(client);
    },
  };

  function openClient(): Client {
    const head = { awaited: true };
    const client = new Client(origin, {
      connect: (options, callback) =>
        connect(options, (...opened) => {
          // A failure comes alone.
          const [failure, socket] = opened;
          if (failure === null && socket !== null) skipInterimResponses(socket, head);
          callback(...opened);
        }),
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    clients.add(client);
    heads.set(client, head);
    // A connection that ends while idle is forgotten; one that ends under a request is dropped by its call.
    client.on("disconnect", () => {
      const at = idle.indexOf(client);
      if (at === -1) return;
      idle.splice(at, 1);
      drop(client);
    });
    return client;
  }

  function drop(client: Client): void {
    if (!clients.delete(client)) return;
    const at = idle.indexOf(client);
    if (at !== -1) idle.splice(at, 1);
    void client.destroy();
  }
}

/** The settings that a connection depends on. */
function keyOf({ id, baseUrl, timeouts, options }: Upstream, ca: string | undefined): string {
  const key = `${id} ${baseUrl} ${timeouts.connectMs}`;
  return options === undefined ? key : `${key} ${options.proxy?.value} ${ca}`;
}
