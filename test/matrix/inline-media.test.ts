import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, isIP, type Server as TcpServer } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { forbiddenUrls } from "../support/forbidden-urls.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask, KEYS, type Reply } from "../support/world.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const PDF = Buffer.from("%PDF-1.7 of a few words");
const TEXT = "Rivers run to the sea.";

/** What the file server has; a type that says nothing, a wrong one, and a page in an image's place are among it. */
const FILES: Readonly<Record<string, { readonly bytes: Buffer | string; readonly type: string }>> = {
  "/a.png": { bytes: PNG, type: "application/octet-stream" },
  "/mislabelled.jpg": { bytes: PNG, type: "image/jpeg" },
  "/paper.pdf": { bytes: PDF, type: "application/pdf" },
  "/notes.txt": { bytes: TEXT, type: "text/plain; charset=utf-8" },
  "/login.png": { bytes: "<html>Please log in</html>", type: "image/png" },
  "/large.png": { bytes: Buffer.alloc(20 * 1024 * 1024 + 1, PNG), type: "image/png" },
};

describe("linked media that an upstream does not fetch itself", () => {
  let files: Server;
  let canary: TcpServer;
  let gateway: TestGateway;
  let upstream: VendorUpstream;
  let failing: VendorUpstream;
  const fetched: string[] = [];
  const stalled = new Set<ServerResponse>();
  let canaryConnections = 0;

  beforeAll(async () => {
    files = createServer((request, response) => {
      const path = request.url?.split("?", 1)[0] ?? "";
      fetched.push(path);
      const file = FILES[path];
      if (path === "/stalls.png") {
        stalled.add(response);
        response.on("close", () => stalled.delete(response));
      } else if (path === "/away") {
        response.writeHead(302, { location: `http://127.0.0.1:${portOf(canary)}/secret.png` }).end();
      } else if (file === undefined) response.writeHead(404).end();
      else response.writeHead(200, { "content-type": file.type }).end(file.bytes);
    }).listen(0, "127.0.0.1");
    canary = createTcpServer((socket) => {
      canaryConnections += 1;
      socket.destroy();
    }).listen(0, "0.0.0.0");
    await Promise.all([once(files, "listening"), once(canary, "listening")]);
    upstream = await vendorUpstream();
    failing = await vendorUpstream(({ response }) => response.writeHead(500).end("{}"));
    gateway = await startGateway({ catalog: catalog() });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    files.closeAllConnections();
    files.close();
    canary.close();
    await Promise.all([upstream.close(), failing.close()]);
  });
  beforeEach(() => {
    fetched.length = 0;
    upstream.calls.length = 0;
  });

  const at = (path: string): string => `http://127.0.0.1:${portOf(files)}${path}`;
  const sent = (): unknown => JSON.parse(upstream.calls.at(-1)?.body.toString() ?? "null");
  const chat = (model: string, ...urls: string[]): Promise<Reply> =>
    ask(gateway.url, "/v1/chat/completions", {
      model,
      messages: [{ role: "user", content: urls.map((url) => ({ type: "image_url", image_url: { url } })) }],
    });

  it("goes to generateContent and messages as bytes, with the type that the bytes tell", async () => {
    expect((await chat("native", at("/a.png"), at("/mislabelled.jpg"))).status).toBe(200);
    const inlineData = { mimeType: "image/png", data: PNG.toString("base64") };
    expect(sent()).toMatchObject({ contents: [{ role: "user", parts: [{ inlineData }, { inlineData }] }] });

    expect((await chat("messages", at("/a.png"))).status).toBe(200);
    const source = { type: "base64", media_type: "image/png", data: PNG.toString("base64") };
    expect(sent()).toMatchObject({ messages: [{ content: [{ type: "image", source }] }] });
  });

  it("goes to chat as a data URL where it is a document, and as text to messages where it is text", async () => {
    const document = { type: "document", source: { type: "url", url: at("/paper.pdf") } };
    const toChat = { model: "chat", max_tokens: 100, messages: [{ role: "user", content: [document] }] };
    expect((await ask(gateway.url, "/v1/messages", toChat)).status).toBe(200);
    expect(JSON.stringify(sent())).toContain(`data:application/pdf;base64,${PDF.toString("base64")}`);

    const file = { type: "input_file", file_url: at("/notes.txt") };
    const toMessages = { model: "messages", input: [{ role: "user", content: [file] }] };
    expect((await ask(gateway.url, "/v1/responses", toMessages)).status).toBe(200);
    expect(JSON.stringify(sent())).toContain(TEXT);
  });

  it("stays a link where the upstream fetches it, and where the request is forwarded", async () => {
    const url = at("/a.png");
    expect((await chat("responses", url)).status).toBe(200);
    expect(JSON.stringify(sent())).toContain(url);
    expect((await chat("inline-only", url)).status).toBe(200);
    expect(JSON.stringify(sent())).toContain(url);
    expect(fetched).toEqual([]);
    const messages = { model: "inline-only", max_tokens: 100, messages: [{ role: "user", content: [] }] };
    const image = { type: "image", source: { type: "url", url } };
    Object.assign(messages.messages[0] ?? {}, { content: [image] });
    expect((await ask(gateway.url, "/v1/messages", messages)).status).toBe(200);
    expect(JSON.stringify(sent())).toContain("data:image/png;base64");
    expect(fetched).toEqual(["/a.png"]);
  });

  it("is fetched once for all candidates", async () => {
    const before = failing.calls.length;
    expect((await chat("two", at("/a.png"), at("/a.png"))).status).toBe(200);
    expect(failing.calls.length).toBe(before + 1);
    expect(fetched).toEqual(["/a.png"]);
  });

  it("that cannot be had is a 400 naming the field, and costs nothing", async () => {
    const host = "The image at 127.0.0.1";
    for (const [path, says] of [
      ["/missing.png?token=secret", `${host} could not be fetched. Its server returned status 404`],
      ["/login.png", `${host} has the type text/html, not image.`],
      ["/large.png", `${host} could not be fetched. It exceeds the limit of 20971520 bytes`],
      [
        "/away",
        `${host} could not be fetched. Its address is in a network that this gateway does not fetch from.`,
      ],
    ] as const) {
      const reply = await chat("native", at(path));
      expect(reply.status, path).toBe(400);
      expect(reply.json.error, path).toMatchObject({
        code: "invalid_request",
        param: expect.stringMatching(/^messages\[\]\.content/),
      });
      expect(reply.json.error.message, path).toContain(says);
      expect(reply.text).not.toContain("secret");
      const receipt = await receiptOf(reply);
      expect(receipt, path).toMatchObject({ charge_nanos: "0" });
    }
    expect(upstream.calls).toEqual([]);
    expect(canaryConnections).toBe(0);
  });

  it("is never fetched from the machine's own network, through any field of any protocol (F1)", async () => {
    // Names would go to the machine's resolver; the unit test of the client has them with a resolver of its own.
    const urls = forbiddenUrls(portOf(canary)).filter(isLiteral);
    expect(urls.length).toBeGreaterThan(80);
    for (const url of urls) {
      const replies = await Promise.all(linking(url).map(([path, body]) => ask(gateway.url, path, body)));
      expect(
        replies.map(({ status }) => status),
        url,
      ).toEqual(replies.map(() => 400));
    }
    expect(canaryConnections).toBe(0);
    expect(upstream.calls).toEqual([]);
  });

  it("is given up when the caller leaves, and nothing stays held", async () => {
    const leaving = new AbortController();
    const body = { model: "native", messages: [image(at("/stalls.png"))] };
    const asked = ask(gateway.url, "/v1/chat/completions", body, { signal: leaving.signal }).catch(
      () => "gone",
    );
    await expect.poll(() => stalled.size).toBe(1);
    leaving.abort();
    expect(await asked).toBe("gone");
    await expect.poll(() => stalled.size).toBe(0);
    await expect
      .poll(async () => (await (await fetch(`${gateway.url}/metrics`)).text()).match(/holds_open (\d+)/)?.[1])
      .toBe("0");
  });

  async function receiptOf(reply: Reply): Promise<unknown> {
    return (await ask(gateway.url, `/v1/receipts/${reply.headers.get("x-request-id")}`)).json;
  }

  function catalog(): string {
    const models = ["native", "messages", "responses", "chat", "two", "inline-only"];
    const limits = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
    const inline = new Set(["native", "messages", "inline-only"]);
    const row = (name: string, url: string, protocol: string, model: string, priority: number): string =>
      `  - { name: ${name}, kind: sandbox, base_url: "${url}", protocols: [${protocol}], models: [${model}], priority: ${priority} }`;
    return `version: 1
groups:
  - { name: default, factor: 1 }
models:
${models.map((id) => `  - { id: ${id}, ${limits}${inline.has(id) ? ", quirks: { media_urls: [] }" : ""} }`).join("\n")}
upstreams:
${row("native", upstream.url, "generate-content", "native", 1)}
${row("messages", upstream.url, "messages", "messages", 1)}
${row("responses", upstream.url, "responses", "responses", 1)}
${row("chat", upstream.url, "chat-completions", "chat", 1)}
${row("failing", failing.url, "generate-content", "two", 1)}
${row("other", upstream.url, "messages", "two", 2)}
${row("inline", upstream.url, "chat-completions", "inline-only", 1)}
settings:
  egress_allow: ["127.0.0.1:${portOf(files)}"]
accounts:
  - name: acme
    group: default
    balance: 1000
    keys: [{ name: main, key: ${KEYS.main} }]
`;
  }
});

/** Requests that link the same URL, one for every field that can, to models whose upstreams need bytes. */
function linking(url: string): readonly (readonly [path: string, body: object])[] {
  const user = (...content: object[]): object[] => [{ role: "user", content }];
  const native = (part: object) => ({ contents: [{ role: "user", parts: [part] }] });
  return [
    ["/v1/chat/completions", { model: "native", messages: [image(url)] }],
    ["/v1/responses", { model: "native", input: user({ type: "input_image", image_url: url }) }],
    [
      "/v1/responses",
      { model: "messages", input: user({ type: "input_file", file_url: url, filename: "a.txt" }) },
    ],
    [
      "/v1/messages",
      {
        model: "chat",
        max_tokens: 9,
        messages: user({ type: "document", source: { type: "url", url } }),
      },
    ],
    [
      "/v1beta/models/messages:generateContent",
      native({ fileData: { fileUri: url, mimeType: "image/png" } }),
    ],
  ];
}

function image(url: string): object {
  return { role: "user", content: [{ type: "image_url", image_url: { url } }] };
}

function isLiteral(url: string): boolean {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 || /localhost\.?$/.test(host);
}

function portOf(server: Server | TcpServer): number {
  return (server.address() as AddressInfo).port;
}
