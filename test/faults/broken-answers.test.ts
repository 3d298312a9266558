import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, postedRow, type UsageRow } from "../support/money-books.ts";
import { call, type Heard, TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { expectErrorForm, expectStreamErrorForm } from "../support/text-errors.ts";
import { PAIRS } from "../support/translated-world.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES, wholeStream } from "../support/vendor-wire.ts";

const SSE = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };
const BEYOND_BYTES = 97 * 1024 * 1024;
const TIMEOUTS = "{ first_byte_stream_ms: 1500 }";

/** Plain bodies that are no response, whatever their status says. */
const NO_RESPONSES: Readonly<Record<string, (protocol: TextProtocol) => string>> = {
  "list-of-numbers": () => "[1,2]",
  "list-of-answers": (protocol) => `[${VENDOR_WIRES[protocol].plain("m")}]`,
  "nested-lists": () => "[".repeat(200_000) + "]".repeat(200_000),
  number: () => "7",
  text: () => '"Hello"',
  nothing: () => "null",
  empty: () => "",
  "cut-short": (protocol) => VENDOR_WIRES[protocol].plain("m").slice(0, -1),
  "cut-within": (protocol) => `${VENDOR_WIRES[protocol].plain("m").slice(0, 60)}}`,
  "more-behind": (protocol) => `${VENDOR_WIRES[protocol].plain("m")} and {so on}`,
  page: () => "<html><body>Welcome</body></html>",
};

/** Broken HTTP: the raw bytes of a response that nobody can trust. */
const BROKEN_HTTP: Readonly<Record<string, () => string>> = {
  "header-of-a-megabyte": () =>
    `HTTP/1.1 200 OK\r\nx: ${"a".repeat(1024 * 1024)}\r\ncontent-length: 2\r\n\r\n{}`,
  "ten-thousand-headers": () =>
    `HTTP/1.1 200 OK\r\n${"x-many: y\r\n".repeat(10_000)}content-length: 2\r\n\r\n{}`,
  "headers-without-end": () => `HTTP/1.1 200 OK\r\n${"x-many: y\r\n".repeat(100_000)}`,
  "status-099": () => "HTTP/1.1 099 What\r\ncontent-length: 2\r\n\r\n{}",
  "status-600": () => "HTTP/1.1 600 What\r\ncontent-length: 2\r\n\r\n{}",
  "other-protocol": () => "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
  "shorter-than-declared": () => 'HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{"a":1}',
  "trailers-instead-of-an-end": () =>
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx: y\r\n",
};

/** Odd ways that bring a sound answer all the same. */
const AUDIO: Readonly<Record<string, (called: VendorCall) => void>> = {
  interim: (called) => {
    called.response.writeContinue();
    called.response.writeProcessing();
    called.response.writeContinue();
    serveWell(called);
  },
  trailers: ({ protocol, model, streamed, response }) => {
    response.writeHead(200, { ...(streamed ? SSE : JSON_TYPE), trailer: "x-cost" });
    response.write(streamed ? wholeStream(protocol, model) : VENDOR_WIRES[protocol].plain(model));
    response.addTrailers({ "x-cost": "7" });
    response.end();
  },
  "chunk-extensions": ({ protocol, model, streamed, response }) => {
    const body = Buffer.from(streamed ? wholeStream(protocol, model) : VENDOR_WIRES[protocol].plain(model));
    const type = streamed ? "text/event-stream" : "application/json";
    const extension = `;note=${"e".repeat(1_000)}`;
    const chunks = [...body].map((_, at) => `1${extension}\r\n${body.toString("latin1", at, at + 1)}\r\n`);
    const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`;
    response.socket?.end(Buffer.from(`${head}${chunks.join("")}0\r\n\r\n`, "latin1"));
  },
  "byte-order-mark": ({ protocol, model, streamed, response }) => {
    response.writeHead(200, streamed ? SSE : JSON_TYPE);
    response.end(`\ufeff${streamed ? wholeStream(protocol, model) : VENDOR_WIRES[protocol].plain(model)}`);
  },
  "byte-by-byte": ({ protocol, model, streamed, response }) => {
    const text = streamed ? wholeStream(protocol, model) : VENDOR_WIRES[protocol].plain(model);
    const body = Buffer.from(text.replace("lo ", "lö 🚢 ").replace("Hello ", "Hellö 🚢 "));
    response.writeHead(200, streamed ? SSE : JSON_TYPE);
    response.socket?.setNoDelay(true);
    let at = 0;
    const next = (): void => {
      response.write(body.subarray(at, at + 1));
      at += 1;
      if (at < body.length) setImmediate(next);
      else response.end();
    };
    next();
  },
};

const STREAMS: Readonly<Record<string, (called: VendorCall) => void>> = {
  "carriage-returns": ({ protocol, model, response }) => {
    response.writeHead(200, SSE).end(wholeStream(protocol, model).replaceAll("\n", "\r"));
  },
  "never-over": ({ protocol, model, response }) => {
    response.writeHead(200, SSE).write(wholeStream(protocol, model));
    const more = (): void => {
      if (!response.destroyed) response.write(": more\n\n".repeat(2_000), () => setTimeout(more, 1));
    };
    more();
  },
  "comments-only": ({ response }) => {
    response.writeHead(200, SSE);
    const more = (): void => {
      if (!response.destroyed) response.write(": more\n\n".repeat(2_000), () => setTimeout(more, 1));
    };
    more();
  },
  "large-event-first": ({ response }) => void flood(response.writeHead(200, SSE)),
  "dense-event-first": ({ response }) => response.writeHead(200, SSE).end(DENSE),
  "lined-event-first": ({ response }) => response.writeHead(200, SSE).end(LINED),
  "lined-event-behind-words": ({ protocol, model, response }) => {
    const { opening, delta } = VENDOR_WIRES[protocol];
    response.writeHead(200, SSE).write(opening(model) + delta("Hello"));
    setTimeout(() => response.end(LINED), 100);
  },
  "dense-event-behind-words": ({ protocol, model, response }) => {
    const { opening, delta } = VENDOR_WIRES[protocol];
    response.writeHead(200, SSE).write(opening(model) + delta("Hello"));
    setTimeout(() => response.end(DENSE), 100);
  },
  "large-event-behind-words": ({ protocol, model, response }) => {
    const { opening, delta } = VENDOR_WIRES[protocol];
    response.writeHead(200, SSE).write(opening(model) + delta("Hello"));
    setTimeout(() => void flood(response), 100);
  },
};

/** One event of more values than any response has, small as it is. */
const DENSE = `data: {"x":${"[".repeat(1_100_000)}${"]".repeat(1_100_000)}}\n\n`;

/** One event of more lines than any response has. */
const LINED = `${"a\n".repeat(4_000_000)}\n`;

/** One event larger than any response. */
async function flood(response: VendorCall["response"]): Promise<void> {
  const piece = "a".repeat(1024 * 1024);
  response.write('data: {"choices":[{"index":0,"delta":{"content":"');
  for (let bytes = 0; bytes < BEYOND_BYTES && !response.destroyed; bytes += piece.length)
    await new Promise((resolve) => {
      response.once("close", resolve);
      response.write(piece, () => {
        response.off("close", resolve);
        resolve(undefined);
      });
    });
  response.end('"}}]}\n\n');
}

const CONDUCT: Readonly<Record<string, (called: VendorCall) => void>> = {
  ...AUDIO,
  ...STREAMS,
  ...Object.fromEntries(
    Object.entries(NO_RESPONSES).map(([name, body]) => [
      name,
      ({ protocol, response }: VendorCall) => void response.writeHead(200, JSON_TYPE).end(body(protocol)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(BROKEN_HTTP).map(([name, bytes]) => [
      name,
      ({ response }: VendorCall) => void response.socket?.end(bytes()),
    ]),
  ),
  "too-large": ({ response }) => void flood(response.writeHead(200, JSON_TYPE)),
  "nested-details": ({ response }) => {
    const deep = `${"[".repeat(15_000)}${"]".repeat(15_000)}`;
    response.writeHead(400, JSON_TYPE);
    response.end(
      `{"error":{"message":"Too deep.","type":"invalid_request_error","code":"x","details":${deep}}}`,
    );
  },
};

const modelAt = (conduct: string, upstream: TextProtocol): string => `${conduct}-at-${upstream}`;

describe("answers that are broken", () => {
  let vendor: VendorUpstream;
  let spare: VendorUpstream;
  let canary: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    canary = await vendorUpstream();
    spare = await vendorUpstream();
    vendor = await vendorUpstream((called) => {
      if (called.model.startsWith("redirect"))
        called.response.writeHead(307, { location: `${canary.url}${called.path}` }).end();
      else CONDUCT[called.model.replace(/^spared-|-at-.*/g, "")]?.(called);
    });
    const names = [
      ...Object.keys(CONDUCT),
      "redirect",
      ...Object.keys(NO_RESPONSES).map((name) => `spared-${name}`),
    ];
    const upstreams = TEXT_PROTOCOLS.flatMap((protocol) => {
      const models = names.map((name) => modelAt(name, protocol));
      return [
        { name: protocol, url: vendor.url, protocols: [protocol], models, timeouts: TIMEOUTS },
        {
          name: `spare-${protocol}`,
          url: spare.url,
          protocols: [protocol],
          priority: 1,
          models: models.filter((model) => model.startsWith("spared-")),
        },
      ];
    });
    const models = TEXT_PROTOCOLS.flatMap((protocol) => names.map((name) => modelAt(name, protocol)));
    gateway = await startGateway({ catalog: modelsFile({ models, upstreams }) });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await Promise.all([vendor?.close(), spare?.close(), canary?.close()]);
  });

  const ask = (
    conduct: string,
    { client, upstream }: { client: TextProtocol; upstream: TextProtocol },
    streamed: boolean,
  ): Promise<Heard> =>
    call(gateway.url, { protocol: client, streamed, model: modelAt(conduct, upstream), prompt: "Hello" });

  const rowOf = ({ requestId }: Heard): Promise<UsageRow> => postedRow(gateway, requestId);

  const expectFailed = async (client: TextProtocol, heard: Heard): Promise<void> => {
    expect(heard.status).toBe(502);
    expectErrorForm(client, heard.text, { status: 502, code: "upstream_error" });
    expect(await rowOf(heard)).toMatchObject({ reason: "upstream_failed", chargeNanos: 0n });
  };

  const same = PAIRS.filter(({ client, upstream }) => client === upstream);
  // The vendor of this protocol streams arrays: one with a whole response is its response in another framing.
  const isStream = (upstream: TextProtocol, conduct: string): boolean =>
    upstream === "generate-content" && conduct === "list-of-answers";

  it("in an array are read where the vendor streams arrays", async () => {
    const pair = { client: "messages", upstream: "generate-content" } as const;
    const heard = await ask("list-of-answers", pair, false);
    expect(heard).toMatchObject({ status: 200, complete: true });
    expect(await rowOf(heard)).toMatchObject({ reason: "completed", estimated: false });
  });

  it.concurrent.each(
    same.flatMap((pair) =>
      Object.keys(NO_RESPONSES)
        .filter((conduct) => !isStream(pair.upstream, conduct))
        .map((conduct) => ({ ...pair, conduct })),
    ),
  )(
    "that hold none are the upstream's failure on $client, and free: $conduct",
    async ({ conduct, ...pair }) => {
      await expectFailed(pair.client, await ask(conduct, pair, false));
      // Retries are a small share of all requests, which so many failures in a row would use up.
      if (conduct !== "list-of-numbers") return;
      const spared = await ask(`spared-${conduct}`, pair, false);
      expect(spared).toMatchObject({ status: 200, complete: true });
    },
  );

  it.concurrent.each(Object.keys(BROKEN_HTTP))(
    "that break HTTP are the upstream's failure: %s",
    async (conduct) => {
      for (const streamed of [false, true]) {
        const heard = await ask(conduct, { client: "messages", upstream: "messages" }, streamed);
        expect([conduct, heard.status]).toEqual([conduct, 502]);
        expectErrorForm("messages", heard.text, { status: 502, code: "upstream_error" });
        expect((await rowOf(heard)).chargeNanos).toBe(0n);
      }
    },
  );

  it.concurrent.each(same.flatMap((pair) => Object.keys(AUDIO).map((conduct) => ({ ...pair, conduct }))))(
    "only in their form are answers of $client: $conduct",
    async ({ conduct, ...pair }) => {
      for (const streamed of [false, true]) {
        const heard = await ask(conduct, pair, streamed);
        expect([conduct, streamed, heard.status, heard.complete]).toEqual([conduct, streamed, 200, true]);
        expect(await rowOf(heard)).toMatchObject({ reason: "completed", estimated: false });
      }
    },
  );

  it.concurrent.each(PAIRS)("by line ends of one kind are read for $client at $upstream", async (pair) => {
    const heard = await ask("carriage-returns", pair, true);
    expect(heard.status).toBe(200);
    expect(heard.text).toContain("there.");
    expect(await rowOf(heard)).toMatchObject({ reason: "completed", estimated: false });
  });

  it.each(same)("that go on behind their end are over for $client", async (pair) => {
    const heard = await ask("never-over", pair, true);
    expect(heard.status, heard.text.slice(0, 1_000)).toBe(200);
    expect(heard.complete).toBe(true);
  });

  it.each(["messages", "chat-completions"] as const)(
    "that consist of comments have not begun by the limit of the first byte, for a caller of %s",
    async (client) => {
      const heard = await ask("comments-only", { client, upstream: "messages" }, true);
      expect(heard.status, heard.text).toBe(504);
      expectErrorForm(client, heard.text, { status: 504, code: "upstream_timeout" });
      expect(await rowOf(heard)).toMatchObject({ reason: "upstream_timeout", chargeNanos: 0n });
    },
  );

  it("too large are the upstream's failure, and free", async () => {
    await expectFailed(
      "messages",
      await ask("too-large", { client: "messages", upstream: "messages" }, false),
    );
  });

  it.each(["large", "dense", "lined"])(
    "with an event too %s end in form where they are translated",
    async (how) => {
      const pair = { client: "messages", upstream: "chat-completions" } as const;
      await expectFailed("messages", await ask(`${how}-event-first`, pair, true));
      const heard = await ask(`${how}-event-behind-words`, pair, true);
      expect(heard).toMatchObject({ status: 200, complete: false });
      expectStreamErrorForm("messages", heard.text, { status: 502, code: "upstream_error" });
    },
  );

  it.concurrent.each(TEXT_PROTOCOLS)(
    "with details nested without end are told without them to a caller of %s",
    async (client) => {
      const heard = await ask("nested-details", { client, upstream: client }, false);
      expect(heard.status).toBe(400);
      expect(heard.text).toContain("Too deep.");
    },
  );

  it("that redirect are not followed, and no credential goes elsewhere", async () => {
    const heard = await ask("redirect", { client: "messages", upstream: "messages" }, false);
    expect(heard.status).toBe(502);
    expect(canary.calls).toEqual([]);
  });

  it("bring no cookie and no other header of the vendor's", async () => {
    const { path, body } = wireForm({
      protocol: "messages",
      model: modelAt("trailers", "messages"),
      prompt: "x",
    });
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "x-api-key": TEST_KEY },
    });
    expect([...response.headers.keys()].filter((name) => /cookie|trailer|x-cost/.test(name))).toEqual([]);
  });

  it("leave clean books", async () => {
    await cleanLedger(gateway);
  });
});
