import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forbiddenUrls, hostileLookup } from "../../../test/support/forbidden-urls.ts";
import { createSafeFetch, type FetchOptions } from "./safe-fetch.ts";
import { FetchFailure } from "./safe-fetch-failure.ts";

const WISH: FetchOptions = {
  maxBytes: 1_000,
  limits: { connectMs: 20_000, firstByteMs: 20_000, totalMs: 25_000 },
};

describe("what leads into the machine's own network", () => {
  const canaries: TcpServer[] = [];
  let port = 0;
  let connections = 0;

  beforeAll(async () => {
    // 0.0.0.0 takes all of 127/8 and whatever address the machine has; `::` all of v6.
    const first = await canary("0.0.0.0", 0);
    port = portOf(first);
    canaries.push(first);
    canaries.push(await canary("::", port).catch(() => canary("::1", port)));
  });
  afterAll(() => {
    for (const server of canaries) server.close();
  });

  async function canary(host: string, at: number): Promise<TcpServer> {
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen({ host, port: at, ipv6Only: host === "::" });
    await once(server, "listening");
    return server;
  }

  it("is refused in every spelling, and no canary sees a connection (F1)", async () => {
    const urls = forbiddenUrls(port);
    expect(new Set(urls).size).toBeGreaterThanOrEqual(120);
    const client = createSafeFetch({ allow: () => [], lookup: async (host) => hostileLookup(host) });
    const outcomes = await Promise.all(
      urls.map(async (url) => [url, await reasonOf(client.read(url, WISH))]),
    );
    expect(
      outcomes.filter(([, reason]) => !["forbidden", "invalid-url", "unreachable"].includes(`${reason}`)),
    ).toEqual([]);
    expect(connections).toBe(0);
  });

  it("would be seen by the canaries", async () => {
    const client = createSafeFetch({
      allow: () => ["127.0.0.0/8", "::1"],
      lookup: async (host) => hostileLookup(host),
    });
    for (const host of ["127.0.0.1", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "loopback.example"]) {
      connections = 0;
      expect(await reasonOf(client.read(`http://${host}:${port}/`, WISH))).toBe("broken");
      expect(connections, host).toBe(1);
    }
    connections = 0;
  });
});

describe("a redirect", () => {
  it("is followed, and refused like a first URL where it leads into a private network (F1)", async () => {
    const canary = await serve((_request, response) => response.end("secret"));
    // Written by hand: Node's own server refuses to send some of these.
    const site = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (head) => {
        const to = decodeURIComponent(/\?to=(\S*)/.exec(head.toString())?.[1] ?? "");
        const status = to === "" ? "200 OK" : `302 Found\r\nlocation: ${to}`;
        socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 4\r\n\r\nfile`);
      });
    });
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    const at = `127.0.0.1:${portOf(site)}`;
    const client = createSafeFetch({ allow: () => [at], lookup: async (host) => hostileLookup(host) });
    const via = (to: string): string => `http://${at}/?to=${encodeURIComponent(to)}`;

    expect((await client.read(via(via("/end")), WISH)).finalUrl).toBe(`http://${at}/end`);
    const urls = forbiddenUrls(portOf(canary.server)).filter((url) => !/[\r\n]/.test(url));
    const reasons = await Promise.all(urls.map((url) => reasonOf(client.read(via(url), WISH))));
    expect(canary.connections()).toBe(0);
    expect(canary.requests()).toBe(0);
    // A few are relative to a site of the same scheme, and so lead back to it.
    expect(reasons.filter((reason) => reason !== undefined).length).toBeGreaterThanOrEqual(120);
    await canary.close();
    site.close();
  });

  it("is followed five times and no more", async () => {
    const site = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) return response.end("file");
      return response.writeHead(307, { location: `/${left - 1}` }).end();
    });
    const client = createSafeFetch({ allow: () => ["127.0.0.1"] });
    const base = `http://127.0.0.1:${portOf(site.server)}`;
    expect((await client.read(`${base}/5`, WISH)).status).toBe(200);
    expect(await reasonOf(client.read(`${base}/6`, WISH))).toBe("redirects");
    await site.close();
  });
});

it("connects to the address that was checked, whatever the name means the next moment", async () => {
  const canary = await serve((_request, response) => response.end("secret"), "127.0.0.1");
  const port = portOf(canary.server);
  const site = await serve(
    (request, response) =>
      request.url === "/again" ? response.writeHead(302, { location: "/" }).end() : response.end("file"),
    "127.0.0.2",
    port,
  );
  let responses: string[][] = [];
  const client = createSafeFetch({
    allow: () => ["127.0.0.2/32"],
    lookup: async () => responses.shift() ?? ["127.0.0.1"],
  });
  responses = [["127.0.0.2"]];
  expect((await client.read(`http://rebind.example:${port}/`, WISH)).bytes.toString()).toBe("file");
  // The redirect looks the name up again, and finds the other answer.
  responses = [["127.0.0.2"]];
  expect(await reasonOf(client.read(`http://rebind.example:${port}/again`, WISH))).toBe("forbidden");
  responses = [["127.0.0.2", "127.0.0.1"]];
  expect(await reasonOf(client.read(`http://rebind.example:${port}/`, WISH))).toBe("forbidden");
  expect(canary.requests()).toBe(0);
  await Promise.all([canary.close(), site.close()]);
});

it("proves a host by the name in the URL, not by what its look-up says", async () => {
  let hello = "";
  const site = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (chunk) => {
      hello = chunk.toString("latin1");
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  const client = createSafeFetch({ allow: () => ["127.0.0.1"], lookup: async () => ["127.0.0.1"] });
  expect(await reasonOf(client.read(`https://files.example.:${portOf(site)}/`, WISH))).toBe("unreachable");
  // The name stands in the first message of TLS, without the dot that ends it.
  expect(hello).toMatch(/files\.example[^.]/);
  site.close();
});

it("refuses the machine's own public address too", async () => {
  const client = createSafeFetch({
    allow: () => [],
    lookup: async () => ["93.184.216.34"],
    ownAddresses: () => ["93.184.216.34"],
  });
  expect(await reasonOf(client.read("http://me.example/", WISH))).toBe("forbidden");
});

it("does not tell a name of a private network from a name that does not exist", async () => {
  const known: Record<string, string[]> = {
    "db.internal.example": ["10.0.0.7"],
    "odd.example": ["not an address"],
    "empty.example": [],
  };
  const client = createSafeFetch({
    allow: () => [],
    lookup: async (host) => known[host] ?? Promise.reject(new Error("ENOTFOUND")),
  });
  const hosts = [...Object.keys(known), "missing.example", "localhost", "vault.local"];
  const failures = await Promise.all(
    hosts.map((host) => client.read(`http://${host}/`, WISH).catch((error: Error) => error.message)),
  );
  expect(new Set(failures)).toEqual(new Set(["Its host name does not lead to a public address."]));
});

describe("the allow-list", () => {
  it("opens a CIDR, an address, a host:port, and nothing beside them", async () => {
    const site = await serve((_request, response) => response.end("file"));
    const port = portOf(site.server);
    const tryWith = (allow: string[], host: string): Promise<string | undefined> =>
      reasonOf(
        createSafeFetch({ allow: () => allow, lookup: async () => ["127.0.0.1"] }).read(
          `http://${host}:${port}/`,
          WISH,
        ),
      );
    for (const entry of [
      ...["127.0.0.0/8", "127.0.0.1", "::ffff:127.0.0.0/104", "::ffff:127.0.0.1"],
      ...[`127.0.0.1:${port}`, `files.internal:${port}`],
    ]) {
      expect(await tryWith([entry], "files.internal"), entry).toBe(undefined);
    }
    expect(await tryWith([`localhost:${port}`], "localhost")).toBe(undefined);
    for (const entry of [
      "127.0.0.2",
      "10.0.0.0/8",
      "::ffff:10.0.0.0/104",
      `files.internal:${port + 1}`,
      `internal:${port}`,
      "files.internal",
    ]) {
      expect(await tryWith([entry], "files.internal"), entry).toBe("forbidden");
    }
    await site.close();
  });
});

describe("what is posted", () => {
  it("goes to no private place, and tells the status alone; a redirect is not followed (F1)", async () => {
    const heard: string[] = [];
    const receiver = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      heard.push(`${request.method} ${request.headers["x-mine"]} ${Buffer.concat(chunks)}`);
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const url = `http://127.0.0.1:${portOf(receiver.server)}/hook`;
    const wish = { headers: { "x-mine": "yes" }, body: "told", limits: WISH.limits ?? {} };
    const guarded = createSafeFetch({ allow: () => [] });
    expect(await reasonOf(guarded.post(url, wish))).toBe("forbidden");
    const open = createSafeFetch({ allow: () => ["127.0.0.0/8"] });
    expect(await open.post(url, wish)).toEqual({ status: 307 });
    expect(heard).toEqual(["POST yes told"]);
    await receiver.close();
  });

  it("names the setting that lets a private receiver be reached, and nothing that tells private names apart", async () => {
    const client = createSafeFetch({
      allow: () => [],
      lookup: async (host) =>
        host === "db.internal.example" ? ["10.0.0.7"] : Promise.reject(new Error("ENOTFOUND")),
    });
    const failureAt = (url: string): Promise<unknown> =>
      client
        .post(url, { headers: {}, body: "", limits: WISH.limits ?? {} })
        .catch((error: Error) => error.message);
    const hint = "A private receiver must be listed in settings.egress_allow.";
    expect(await failureAt("http://10.0.0.7/hook")).toBe(
      `Its address is in a network that this gateway does not fetch from. ${hint}`,
    );
    const named = await Promise.all(
      ["db.internal.example", "missing.example"].map((host) => failureAt(`http://${host}/hook`)),
    );
    expect(new Set(named)).toEqual(new Set([`Its host name does not lead to a public address. ${hint}`]));
    expect(await failureAt("ftp://files.example/hook")).toBe("Only https and http URLs are fetched.");
  });
});

describe("what comes", () => {
  it("is bounded in bytes, told or not, and cut to the range that was wished", async () => {
    const site = await serve((request, response) => {
      if (request.url === "/told") response.setHeader("content-length", 2_000);
      if (request.url === "/ranges") {
        const [, first, last] = /bytes=(\d+)-(\d+)/.exec(String(request.headers.range)) ?? [];
        return response.writeHead(206).end("0123456789".slice(Number(first), Number(last) + 1));
      }
      return response.end("x".repeat(2_000));
    });
    const client = createSafeFetch({ allow: () => ["127.0.0.1"] });
    const base = `http://127.0.0.1:${portOf(site.server)}`;
    expect(await reasonOf(client.read(`${base}/told`, WISH))).toBe("too-large");
    expect(await reasonOf(client.read(`${base}/untold`, WISH))).toBe("too-large");
    expect((await client.read(`${base}/untold`, { ...WISH, maxBytes: 2_000 })).bytes.length).toBe(2_000);
    const range = { first: 2, last: 4 };
    const partial = await client.read(`${base}/ranges`, { ...WISH, range });
    expect([partial.status, partial.bytes.toString()]).toEqual([206, "234"]);
    const whole = await client.read(`${base}/told`, { ...WISH, range });
    expect([whole.status, whole.bytes.toString()]).toEqual([200, "xxx"]);
    await site.close();
  });

  it("is a failure where it is no file, comes compressed, breaks off or comes late", async () => {
    const site = await serve((request, response) => {
      switch (request.url) {
        case "/missing":
          return response.writeHead(404).end();
        case "/packed":
          return response.writeHead(200, { "content-encoding": "gzip" }).end("x");
        case "/half":
          response.writeHead(200, { "content-length": 100 }).write("half");
          return setTimeout(() => response.destroy(), 20);
        case "/slow":
          return response.writeHead(200).write("begun");
        default:
          return undefined;
      }
    });
    const client = createSafeFetch({ allow: () => ["127.0.0.1"] });
    const base = `http://127.0.0.1:${portOf(site.server)}`;
    const limits = { firstByteMs: 300, totalMs: 600 };
    expect(await reasonOf(client.read(`${base}/missing`, WISH))).toBe("status");
    expect(await reasonOf(client.read(`${base}/packed`, WISH))).toBe("broken");
    expect(await reasonOf(client.read(`${base}/half`, WISH))).toBe("broken");
    expect(await reasonOf(client.read(`${base}/silent`, { ...WISH, limits }))).toBe("timeout");
    expect(await reasonOf(client.read(`${base}/slow`, { ...WISH, limits }))).toBe("timeout");
    const stuck = createSafeFetch({ allow: () => [], lookup: () => new Promise(() => undefined) });
    expect(await reasonOf(stuck.read("http://stuck.example/", { ...WISH, limits: { connectMs: 100 } }))).toBe(
      "timeout",
    );
    await site.close();
  });

  it("ends with the caller's signal, and leaves no connection behind", async () => {
    const site = await serve((_request, response) => void response.writeHead(200).write("begun"));
    const client = createSafeFetch({ allow: () => ["127.0.0.1"] });
    const url = `http://127.0.0.1:${portOf(site.server)}/`;
    const abort = new AbortController();
    const stream = await client.open(url, { ...WISH, signal: abort.signal });
    abort.abort();
    const read = async (): Promise<void> => {
      for await (const _ of stream.body);
    };
    expect(await reasonOf(read())).toBe("aborted");
    expect(await reasonOf(client.read(url, { ...WISH, signal: abort.signal }))).toBe("aborted");
    (await client.open(url, WISH)).close();
    await expect.poll(() => site.connections(), { timeout: 20_000 }).toBe(0);
    await site.close();
  });

  it("is asked for without credentials, cookies or compression", async () => {
    const seen: unknown[] = [];
    const site = await serve((request, response) => {
      seen.push(request.headers);
      if (request.url === "/first") {
        return response.writeHead(302, { location: "/second", "set-cookie": "a=b" }).end();
      }
      return response.end("file");
    });
    const at = `127.0.0.1:${portOf(site.server)}`;
    await createSafeFetch({ allow: () => [at] }).read(`http://${at}/first#part`, WISH);
    const headers = { host: at, connection: "keep-alive", accept: "*/*", "accept-encoding": "identity" };
    expect(seen).toEqual([1, 2].map(() => ({ ...headers, "user-agent": "faregate" })));
    await site.close();
  });
});

it("tells of a failure neither the URL nor the address", async () => {
  const client = createSafeFetch({ allow: () => [], lookup: async (host) => hostileLookup(host) });
  for (const url of [
    "http://private.example/?token=abc",
    "http://10.1.2.3/",
    "http://nowhere.example/?token=abc",
  ]) {
    const failure = await client.read(url, WISH).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(FetchFailure);
    expect(`${failure instanceof Error ? failure.message : ""}`).not.toMatch(/10\.|example|token/);
  }
});

async function reasonOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof FetchFailure) return error.reason;
    throw error;
  }
}

async function serve(listener: RequestListener, host = "127.0.0.1", port = 0) {
  let requests = 0;
  let open = 0;
  const server: Server = createServer((request, response) => {
    requests += 1;
    listener(request, response);
  });
  server.on("connection", (socket) => {
    open += 1;
    socket.on("close", () => {
      open -= 1;
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    server,
    requests: () => requests,
    connections: () => open,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function portOf(server: Server | TcpServer): number {
  return (server.address() as AddressInfo).port;
}
