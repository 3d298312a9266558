import { createServer as createPlainServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { residentBytes } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { call } from "../support/text-caller.ts";
import { expectErrorForm } from "../support/text-errors.ts";

const MB = 1024 * 1024;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;

/**
 * Writes the piece on and on, a megabyte at a time: without `last` it has an end only at the gateway's word, else `last.end`
 * follows so many megabytes.
 */
const flood =
  (beginning: string, piece: string, last?: { readonly megabytes: number; readonly end: string }) =>
  (socket: Socket): void => {
    socket.write(beginning);
    const block = piece.repeat(Math.ceil(MB / piece.length));
    let left = last?.megabytes ?? Number.POSITIVE_INFINITY;
    const on = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= 1;
        if (!socket.write(block)) return;
      }
      if (last !== undefined && !socket.writableEnded) socket.end(last.end);
    };
    socket.on("drain", on);
    on();
  };

const BOMB = Buffer.from(`{"choices":[],"x":"${"a".repeat(120 * MB)}"}`);
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const coded =
  (coding: string, body: Buffer) =>
  (socket: Socket): void => {
    socket.write(`${HEAD}content-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.end(body);
  };

/** What an upstream does with each request, by model. */
const CONDUCT: Readonly<Record<string, (socket: Socket) => void>> = {
  "continues-for-ever": flood("", "HTTP/1.1 100 Continue\r\n\r\n"),
  "processes-for-ever": flood("", "HTTP/1.1 102 Processing\r\n\r\n"),
  "hints-for-ever": flood("", "HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n"),
  "has-a-header-without-end": flood(`${HEAD}x-long: `, "x"),
  "has-headers-without-end": flood(HEAD, "x: y\r\n"),
  "has-ten-thousand-headers": (socket) => socket.write(`${HEAD}${"x: y\r\n".repeat(10_000)}\r\n{}`),
  "has-a-status-line-without-end": flood("HTTP/1.1 200 ", "x"),
  "has-a-hint-without-end": flood("HTTP/1.1 103 Early Hints\r\nlink: ", "x"),
  "extends-its-chunk-without-end": flood(`${CHUNKED}1;x=`, "x"),
  "has-a-chunk-size-without-end": flood(CHUNKED, "0"),
  "has-trailers-without-end": flood(`${CHUNKED}2\r\n{}\r\n0\r\n`, "x: y\r\n"),
  "has-a-trailer-without-end": flood(`${CHUNKED}2\r\n{}\r\n0\r\nx: `, "y"),
  "sends-blank-lines-for-ever": flood("", "\r\n"),
  "closes-within-its-head": (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-ty"),
  "closes-within-its-status": (socket) => socket.end("HTTP/1."),
  "closes-at-once": (socket) => socket.end(),
  "resets-within-its-head": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-ty", () => socket.resetAndDestroy());
  },
  "unfolds-from-gzip": coded("gzip", gzipSync(BOMB, { level: 1 })),
  "unfolds-from-deflate": coded("deflate", deflateSync(BOMB, { level: 1 })),
  "unfolds-from-bare-deflate": coded("deflate", deflateRawSync(BOMB, { level: 1 })),
  "unfolds-from-brotli": coded("br", brotliCompressSync(BOMB, FAST)),
  // Two million for each of two requests: kept one by one, they would take more than is allowed.
  "answers-in-tiny-chunks": flood(CHUNKED, "1\r\nx\r\n", { megabytes: 12, end: "0\r\n\r\n" }),
  "answers-without-end": flood(`${CHUNKED}`, `10000\r\n${"x".repeat(65_536)}\r\n`),
};

/** Two of the largest answers, and what their reading takes. */
const MOST_BYTES = 350 * MB;

/** What floods lasts to the end of one of them. */
const TIMEOUTS = "{ first_byte_plain_ms: 2000, first_byte_stream_ms: 2000, idle_ms: 2000 }";

/** Longer than any machine takes: a sign of life to the caller of a stream would be a 200. */
const KEEPALIVE = "{ keepalive: { first_ms: 3600000 } }";

describe("an upstream that", () => {
  let server: Server;
  let gateway: TestGateway;
  beforeAll(async () => {
    server = createPlainServer((socket) => {
      socket.on("error", () => undefined);
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
        const [, model] = /"model":"([^"]+)"/.exec(text) ?? [];
        if (model === undefined) return;
        text = "";
        CONDUCT[model]?.(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    gateway = await startGateway({
      catalog: modelsFile({
        models: Object.keys(CONDUCT),
        upstreams: [{ name: "vendor", url: `http://127.0.0.1:${port}`, timeouts: TIMEOUTS }],
        settings: KEEPALIVE,
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    server?.close();
  });

  it.each(Object.keys(CONDUCT))("%s is a 502 or 504 in form, and nobody else waits for it", async (model) => {
    const before = await residentBytes(gateway.child.pid ?? 0);
    let over = false;
    const startedMs = performance.now();
    const asked = Promise.all(
      [false, true].map((streamed) =>
        call(gateway.url, { protocol: "chat-completions", model, prompt: "Hi", streamed }),
      ),
    ).finally(() => {
      over = true;
    });
    let longestMs = 0;
    let most = before;
    while (!over) {
      const askedMs = performance.now();
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
      longestMs = Math.max(longestMs, performance.now() - askedMs);
      most = Math.max(most, await residentBytes(gateway.child.pid ?? 0));
    }
    const tookMs = performance.now() - startedMs;
    report(
      `${model}: ${tookMs.toFixed(0)} ms, others waited ${longestMs.toFixed(0)} ms, ${((most - before) / MB).toFixed(0)} MB more`,
    );
    expect(most - before).toBeLessThan(MOST_BYTES);
    for (const heard of await asked) {
      expect([502, 504], heard.text.slice(0, 300)).toContain(heard.status);
      expectErrorForm("chat-completions", heard.text, { status: heard.status, code: heard.code });
    }
  });
});
