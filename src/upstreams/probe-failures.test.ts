import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import type { Upstream } from "../catalog/catalog.ts";
import { kindOf } from "./kinds.ts";
import { probeUpstream } from "./probe.ts";

const CERTIFICATES = join(import.meta.dirname, "../../test/support/certificates");
const pem = (name: string): Buffer => readFileSync(join(CERTIFICATES, `${name}.pem`));

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  servers.pop();
  return port;
}

const http = (answer: RequestListener): Promise<number> => portOf(createServer(answer));
const answering = (status: number) => http((_, response) => response.writeHead(status).end("{}"));
const secure = (certificate: string): Promise<number> =>
  portOf(createTlsServer({ key: pem("key"), cert: pem(certificate) }, (_, response) => response.end("{}")));
/** Answers CONNECT with this status. */
const proxy = (status: number): Promise<number> =>
  portOf(createServer().on("connect", (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)));

/** Time stands still until the server has the request, and then passes the limit of its response, not that of the whole. */
function silentServer(): { readonly port: Promise<number>; readonly clock: Clock } {
  let passedMs = 0;
  const server = createTcpServer((socket) => {
    socket.on("data", () => {
      passedMs = 11_000;
    });
    socket.on("error", () => undefined);
  });
  const clock = { nowMs: () => passedMs, monotonicMs: () => passedMs };
  return { port: portOf(server), clock };
}

interface Trial {
  readonly baseUrl: string;
  readonly secret?: string;
  readonly proxyUrl?: string;
  readonly clock?: Clock;
}

function probe({ baseUrl, secret = "their-key", proxyUrl, clock }: Trial): Promise<string | undefined> {
  const upstream = {
    id: 1n,
    name: "vendor",
    kind: "openai",
    baseUrl,
    groups: null,
    models: new Map([["text", "m-1"]]),
    protocols: kindOf("openai")?.protocols ?? [],
    timeouts: {},
    sharedIds: new Set(),
    ...(proxyUrl === undefined ? {} : { options: { proxy: { value: proxyUrl } } }),
  } as unknown as Upstream;
  const real: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  return probeUpstream(upstream, { id: 1n, name: "main", secret }, { clock: clock ?? real });
}

/** The faults, with the whole sentence that names each. */
const FAULTS: readonly (readonly [what: string, trial: () => Promise<Trial>, said: string | RegExp])[] = [
  [
    "a port on which nothing listens",
    async () => ({ baseUrl: `http://127.0.0.1:${await closedPort()}` }),
    "vendor is unreachable: nothing listens at that address. Check the host and port in base_url, and that the server runs.",
  ],
  [
    "a host name that does not exist",
    async () => ({ baseUrl: "https://no-such-host.invalid/v1" }),
    // Without any network the name can't be asked for at all.
    /^vendor is unreachable: its host name (is unknown\. Check the host name in base_url\.|can't be resolved right now\. Check this machine's DNS servers and network\.)$/,
  ],
  [
    "a certificate of an unknown authority",
    async () => ({ baseUrl: `https://127.0.0.1:${await secure("sound")}` }),
    "No secure connection to vendor: its certificate is signed by an unknown authority; set ca_file, or NODE_EXTRA_CA_CERTS, to the authority's file.",
  ],
  [
    "a certificate that signs itself",
    async () => ({ baseUrl: `https://127.0.0.1:${await secure("self")}` }),
    "No secure connection to vendor: its certificate is self-signed; set ca_file, or NODE_EXTRA_CA_CERTS, to its file.",
  ],
  [
    "https where the server speaks http",
    async () => ({ baseUrl: `https://127.0.0.1:${await answering(200)}` }),
    "No secure connection to vendor: the server doesn't use TLS at that port. Use http:// in base_url, or the server's port for https.",
  ],
  [
    "http where the server speaks https",
    async () => ({ baseUrl: `http://127.0.0.1:${await secure("sound")}` }),
    /^vendor closed the connection before it responded \(\w+\)\. Check the port in base_url, and whether the server there uses http or https\.$/,
  ],
  [
    "a server that accepts and says nothing",
    async () => {
      const { port, clock } = silentServer();
      return { baseUrl: `http://127.0.0.1:${await port}`, clock };
    },
    "vendor sent no response within 10 s. Check that the server at base_url works.",
  ],
  [
    "a proxy that is down",
    async () => ({ baseUrl: "http://vendor.example", proxyUrl: `http://127.0.0.1:${await closedPort()}` }),
    "The proxy of vendor is unreachable: nothing listens at that address. Check the URL in `proxy`, and that the proxy runs.",
  ],
  [
    "a SOCKS proxy that is down",
    async () => ({ baseUrl: "http://vendor.example", proxyUrl: `socks5://127.0.0.1:${await closedPort()}` }),
    "The proxy of vendor is unreachable: nothing listens at that address. Check the URL in `proxy`, and that the proxy runs.",
  ],
  [
    "a proxy that wants a password",
    async () => ({ baseUrl: "http://vendor.example", proxyUrl: `http://127.0.0.1:${await proxy(407)}` }),
    "The proxy of vendor refused the user or password (status 407). Check the user and password in `proxy`.",
  ],
  [
    "a proxy that forbids the host",
    async () => ({ baseUrl: "http://vendor.example", proxyUrl: `http://127.0.0.1:${await proxy(403)}` }),
    "The proxy of vendor refused to connect to vendor.example:80 (status 403). Check what the proxy allows, and that it can reach that host.",
  ],
  [
    "a vendor that wants a key, where there is none",
    async () => ({ baseUrl: `http://127.0.0.1:${await answering(401)}`, secret: "" }),
    "responds, but requires a key (status 401); set api_key",
  ],
  [
    "a key that the vendor doesn't know",
    async () => ({ baseUrl: `http://127.0.0.1:${await answering(401)}` }),
    "responds, but refuses the key (status 401); check api_key and the account's credit",
  ],
  [
    "a key of another organization",
    async () => {
      const words = "OpenAI-Organization header should match organization for API key";
      const error = { code: "mismatched_organization", message: words };
      const port = await http((_, response) => response.writeHead(401).end(JSON.stringify({ error })));
      return { baseUrl: `http://127.0.0.1:${port}` };
    },
    "responds, but refuses the key (status 401); check api_key and the account's credit; or set headers: { openai-organization: ... }, with the organization of the key",
  ],
];

describe("a trial of an upstream says what is wrong and what to do about", () => {
  it.each(FAULTS)("%s", async (_, trial, said) => {
    const sentence = await probe(await trial());
    if (typeof said === "string") expect(sentence).toBe(said);
    else expect(sentence).toMatch(said);
  });
});
