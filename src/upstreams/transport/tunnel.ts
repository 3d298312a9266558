import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure, type SecureContext } from "node:tls";
import { definedFields } from "../../base/defined-fields.ts";
import { ProxyFailure } from "../failures.ts";

/** The target of a tunnel. The proxy resolves a name. */
interface Destination {
  readonly host: string;
  readonly port: number;
}

interface TunnelTerms {
  readonly timeoutMs: number;
  /** The TLS context for a proxy that is itself reached by TLS. */
  readonly secureContext: SecureContext | undefined;
}

/** A connection to the destination through a proxy, as if nothing stood between. Rejects with ProxyFailure. */
export async function openTunnel(proxy: URL, to: Destination, terms: TunnelTerms): Promise<Socket> {
  const socket = connectTo(proxy, terms);
  // It says why by rejecting.
  socket.on("error", () => undefined);
  const timer = setTimeout(
    () =>
      socket.destroy(
        new ProxyFailure(
          `opened no connection within ${terms.timeoutMs / 1000} s`,
          "Check the URL in `proxy`, and that a proxy runs there.",
        ),
      ),
    terms.timeoutMs,
  );
  try {
    await once(socket, proxy.protocol === "https:" ? "secureConnect" : "connect");
    await (proxy.protocol === "socks5:" ? overSocks(socket, proxy, to) : overHttp(socket, proxy, to));
    return socket;
  } catch (error) {
    socket.destroy();
    const { errored } = socket;
    const cause = errored ?? (error as Error);
    throw cause instanceof ProxyFailure ? cause : ProxyFailure.unreachable(cause);
  } finally {
    clearTimeout(timer);
  }
}

function connectTo({ protocol, hostname, port }: URL, { secureContext }: TunnelTerms): Socket {
  const host = hostname.replace(/^\[|\]$/g, "");
  const secure = protocol === "https:";
  const usual = { "http:": 80, "https:": 443 }[protocol] ?? 1080;
  const place = { host, port: Number(port) || usual };
  const socket = secure
    ? connectSecure(definedFields({ ...place, servername: isIP(host) === 0 ? host : "", secureContext }))
    : connectPlain(place);
  return socket.setNoDelay(true).setKeepAlive(true, 60_000);
}

/** https://www.rfc-editor.org/rfc/rfc9110#name-connect */
async function overHttp(socket: Socket, proxy: URL, to: Destination): Promise<void> {
  const authority = `${isIP(to.host) === 6 ? `[${to.host}]` : to.host}:${to.port}`;
  const asked = request({
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
    createConnection: () => socket,
  });
  asked.end();
  const [response, , head] = (await once(asked, "connect")) as [IncomingMessage, Socket, Buffer];
  const { statusCode = 0 } = response;
  if (statusCode === 407)
    throw new ProxyFailure(
      "refused the user or password (status 407)",
      "Check the user and password in `proxy`.",
    );
  if (statusCode < 200 || statusCode > 299)
    throw new ProxyFailure(
      `refused to connect to ${authority} (status ${statusCode})`,
      "Check what the proxy allows, and that it can reach that host.",
    );
  if (head.length > 0) socket.unshift(head);
}

function authorization(proxy: URL): Record<string, string> {
  if (proxy.username + proxy.password === "") return {};
  const { username, password } = credentialsOf(proxy);
  return {
    "proxy-authorization": `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
  };
}

function credentialsOf({ username, password }: URL) {
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** https://www.rfc-editor.org/rfc/rfc1928 */
async function overSocks(socket: Socket, proxy: URL, to: Destination): Promise<void> {
  const { SocksClient } = await import("socks");
  const { username, password } = credentialsOf(proxy);
  const named = { host: proxy.hostname, port: Number(proxy.port) || 1080, type: 5 } as const;
  await SocksClient.createConnection({
    command: "connect",
    proxy: username === "" ? named : { ...named, userId: username, password },
    destination: to,
    existing_socket: socket,
  }).catch((error: Error) => {
    if (socket.errored !== null) throw socket.errored;
    throw new ProxyFailure(
      `refused the connection: ${error.message}`,
      "Check the user and password in `proxy`, and what the proxy allows.",
    );
  });
}
