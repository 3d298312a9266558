import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { rawExchange, statusesIn } from "../support/raw-exchange.ts";
import { TEXT_PROTOCOLS, wireForm } from "../support/text-caller.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask } from "../support/world.ts";

const SECOND_KEY = "second-key-0123456789abcdef";
const BODY = JSON.stringify(wireForm({ protocol: "chat-completions", prompt: "Hello" }).body);
const KEY = `authorization: Bearer ${TEST_KEY}`;
const SMUGGLED = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n${KEY}\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

describe("B4, the HTTP layer", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text"],
        upstreams: [{ name: "vendor", url: vendor.url }],
        keys: [`{ name: test, key: ${TEST_KEY} }`, `{ name: second, key: ${SECOND_KEY} }`],
      }),
    });
  });
  beforeEach(() => vendor.calls.splice(0));
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const raw = (lines: readonly string[], body = BODY, target = "/v1/chat/completions"): Promise<string> =>
    rawExchange(gateway.url, [`POST ${target} HTTP/1.1`, ...lines, "", body].join("\r\n"));
  const length = `content-length: ${BODY.length}`;

  it.each([
    { name: "two ways to tell the length", lines: ["host: a", KEY, length, "transfer-encoding: chunked"] },
    { name: "two lengths", lines: ["host: a", KEY, length, "content-length: 3"] },
    { name: "a length that is no number", lines: ["host: a", KEY, "content-length: +5"] },
    { name: "an unknown transfer coding", lines: ["host: a", KEY, "transfer-encoding: xchunked"] },
    { name: "chunked not last", lines: ["host: a", KEY, "transfer-encoding: chunked, identity"] },
    { name: "a space before the colon", lines: ["host: a", KEY, "content-length : 5"] },
    { name: "a folded header", lines: ["host: a", KEY, "x-folded: a", " transfer-encoding: chunked"] },
    {
      name: "a bare carriage return in a header",
      lines: ["host: a", KEY, "x: a\rtransfer-encoding: chunked"],
    },
    { name: "a NUL in a header", lines: ["host: a", `${KEY}\0`, length] },
    { name: "no host", lines: [KEY, length] },
    { name: "two hosts", lines: ["host: a", "host: b", KEY, length] },
  ])("answers $name with one 400 and closes: nothing is smuggled", async ({ lines }) => {
    const heard = await raw(lines, `0\r\n\r\n${SMUGGLED}`);
    expect(statusesIn(heard)).toEqual([400]);
    expect(heard.toLowerCase()).toContain("connection: close");
    expect(vendor.calls).toHaveLength(0);
    expect(heard).not.toContain("vendor-model");
  });

  it("refuses line feeds alone as line ends", async () => {
    const heard = await rawExchange(gateway.url, SMUGGLED.replaceAll("\r\n", "\n"));
    expect(statusesIn(heard)).toEqual([400]);
    expect(vendor.calls).toHaveLength(0);
  });

  it("takes chunk sizes only as the standard writes them", async () => {
    for (const size of ["-5", "0x5", "5 ", "fffffffffffffffffff", "5;a\rb"]) {
      const heard = await raw(
        ["host: a", KEY, "transfer-encoding: chunked"],
        `${size}\r\n{"a":\r\n0\r\n\r\n`,
      );
      expect([size, statusesIn(heard)[0]]).toEqual([size, 400]);
    }
    expect(vendor.calls).toHaveLength(0);
  });

  it("tells the upstream its own host, whatever the caller says", async () => {
    const host = new URL(vendor.url).host;
    const targets = ["/v1/chat/completions", "http://evil.example/v1/chat/completions"];
    const hosts = [
      "host: evil.example",
      "host: a#@b/admin",
      "host: 127.0.0.1:1",
      `host: ${host}.evil.example`,
    ];
    for (const target of targets) {
      for (const line of hosts) {
        const heard = await raw([line, KEY, length, "connection: close"], BODY, target);
        expect([200, 400]).toContain(statusesIn(heard)[0]);
      }
    }
    expect(vendor.calls.length).toBeGreaterThan(0);
    for (const { request } of vendor.calls) {
      expect([request.headers.host, request.url]).toEqual([host, "/v1/chat/completions"]);
      expect(JSON.stringify(request.rawHeaders)).not.toContain("evil");
    }
  });

  it("takes no side between two credentials", async () => {
    for (const [first, second, status] of [
      [KEY, `authorization: Bearer ${SECOND_KEY}`, 401],
      [KEY, `x-api-key: ${SECOND_KEY}`, 401],
      [KEY, "authorization: Bearer wrong-key-0123456789", 200],
      ["authorization: Bearer wrong-key-0123456789", KEY, 200],
      [KEY, KEY, 200],
    ] as const) {
      const heard = await raw(["host: a", first, second, length, "connection: close"]);
      expect([first, second, statusesIn(heard)]).toEqual([first, second, [status]]);
    }
  });

  it("lets no line end in a path, a header or a query through", async () => {
    for (const path of [
      "/v1/chat/completions%0d%0aX-Evil:1",
      "/v1beta/models/text%0d%0aHost:evil:generateContent",
      "/v1/chat/completions?beta=true%0d%0aX-Evil:1",
    ]) {
      await ask(gateway.url, path, BODY, { headers: { "vendorx-beta": "a,b", "vendorx-version": "x" } });
    }
    for (const { request } of vendor.calls) {
      expect(request.url).toBe("/v1/chat/completions");
      expect(JSON.stringify(request.rawHeaders)).not.toMatch(/evil/i);
    }
    expect(
      statusesIn(await raw(["host: a", KEY, length], BODY, "/v1/chat/completions\tHTTP/1.1\tx")),
    ).toEqual([400]);
  });

  it("answers headers beyond 16 KB with 431 and lives on", async () => {
    for (const line of [`x-large: ${"a".repeat(20_000)}`, ...[`cookie: ${"b=c; ".repeat(5_000)}`]]) {
      expect(statusesIn(await raw(["host: a", KEY, line, length]))).toEqual([431]);
    }
    const many = Array.from({ length: 3_000 }, (_, index) => `x-${index}: a`);
    expect([200, 431]).toContain(
      statusesIn(await raw(["host: a", KEY, ...many, length, "connection: close"]))[0],
    );
    expect((await ask(gateway.url, "/v1/chat/completions", BODY)).status).toBe(200);
  });

  it("passes on only the headers of the allow list, in every protocol", async () => {
    const sent = {
      cookie: "session=secret",
      referer: "http://a",
      origin: "http://a",
      via: "1.1 a",
      te: "trailers",
      "x-forwarded-for": "1.2.3.4",
      forwarded: "for=1.2.3.4",
      "x-real-ip": "1.2.3.4",
      "user-agent": "spy",
      "openai-organization": "org-x",
      "x-stainless-lang": "js",
      "idempotency-key": "a",
      "x-custom": "a",
      "accept-language": "de",
      "anthropic-dangerous-direct-browser-access": "true",
      "x-goog-user-project": "p",
      "vendorx-version": "2024-01-01",
      "anthropic-beta": "one,two",
      "vendorx-beta": "two,three",
      "x-request-id": "mine",
      traceparent: "00-1-1-01",
      accept: "text/plain",
      "proxy-authorization": "x",
    };
    const allowed = ["host", "connection", "authorization", "content-type", "accept-encoding", "user-agent"];
    const ours = [...allowed, "accept", "x-request-id", "content-length"];
    for (const protocol of TEXT_PROTOCOLS) {
      const { path, body } = wireForm({ protocol, prompt: "Hello" });
      expect(
        (await ask(gateway.url, `${path}?key=${TEST_KEY}&beta=true&x=y`, body, { headers: sent })).status,
      ).toBe(200);
      const { request } = vendor.calls.at(-1) ?? {};
      const names = Object.keys(request?.headers ?? {}).sort();
      const own = protocol === "messages" ? ["anthropic-version", "anthropic-beta"] : [];
      expect([protocol, names]).toEqual([protocol, [...ours, ...own].sort()]);
      expect(request?.headers).toMatchObject({
        "user-agent": "faregate",
        "accept-encoding": "identity",
        authorization: "Bearer our-key-at-the-vendor",
      });
      expect(request?.url).not.toMatch(/key=|x=y/);
      expect(request?.headers["x-request-id"]).toMatch(/^req_/);
      if (protocol === "messages") {
        expect(request?.headers["anthropic-version"]).toBe("2024-01-01");
        expect(request?.headers["anthropic-beta"]?.toString().split(",").sort()).toEqual([
          "one",
          "three",
          "two",
        ]);
      }
    }
  });

  it("keeps two requests on one connection apart, the second with a key of its own or none", async () => {
    const one = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n${KEY}\r\n${length}\r\n\r\n${BODY}`;
    const heard = await rawExchange(gateway.url, one + one.replace(`${KEY}\r\n`, ""));
    expect(statusesIn(heard)).toEqual([200, 401]);
    expect(vendor.calls).toHaveLength(1);
  });
});
