import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { WireRequest } from "../../../test/support/scripted-upstream.ts";
import {
  callOf,
  OK,
  PATIENT,
  pause,
  transportRig,
  until,
  upstreamOf,
} from "../../../test/support/transport-rig.ts";
import { systemClock } from "../../base/clock.ts";
import type { Timeouts } from "../../catalog/catalog.ts";
import type { UpstreamFailure } from "../call.ts";

const rig = transportRig();
afterEach(() => rig.reset());

describe("a request to an upstream", () => {
  it("carries its headers and body, and nothing else of the caller", async () => {
    const upstream = await rig.serve(({ socket }) => socket.write(`${OK}content-length: 2\r\n\r\nok`));
    const headers = { betas: "a-1,b-2", version: "2024-01-01", cookie: "c", authorization: "mine" };
    const body = [Buffer.from('{"model":'), Buffer.from('"theirs"'), Buffer.from("}")];
    await rig.responseOf(callOf(upstream, { body, headers }));
    const [request] = rig.server.requests ?? [];
    expect(request?.line).toBe("POST /v1/messages HTTP/1.1");
    expect(request?.body.toString()).toBe('{"model":"theirs"}');
    expect(request?.headers.map(([name]) => name).sort()).toEqual([
      ...["accept", "accept-encoding", "anthropic-beta", "anthropic-version", "connection"],
      ...["content-length", "content-type", "host", "user-agent", "x-api-key", "x-request-id"],
    ]);
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      "accept-encoding": "identity",
      "anthropic-beta": "a-1,b-2",
      "anthropic-version": "2024-01-01",
      "content-length": "18",
      "x-api-key": "their-key",
      "x-request-id": "request-1",
    });
  });

  it("sends a large body in pieces, byte for byte, with its length", async () => {
    const upstream = await rig.serve(({ socket }) => socket.write(`${OK}content-length: 0\r\n\r\n`));
    const pieces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(100_003, index));
    await rig.responseOf(callOf(upstream, { body: pieces }));
    expect(rig.server.requests[0]?.body.equals(Buffer.concat(pieces))).toBe(true);
  });

  it("uses a connection again for the next request", async () => {
    const upstream = await rig.serve(({ socket }) => socket.write(`${OK}content-length: 2\r\n\r\nok`));
    for (let round = 0; round < 5; round += 1) await rig.responseOf(callOf(upstream));
    expect(rig.server.accepted()).toBe(1);
  });

  it("goes out once more, whole, where a kept connection is closed just as it is used", async () => {
    // No time passes, however slow the machine is.
    const rig = transportRig({ nowMs: () => 1, monotonicMs: () => 1 });
    const upstream = await rig.serve(closedWhenUsedAgain());
    const large = Array.from({ length: 40 }, (_, index) => Buffer.alloc(100_003, index));
    for (const body of [[Buffer.from("{}")], [Buffer.from("{}")], large]) {
      expect(await rig.responseOf(callOf(upstream, { body }))).toMatchObject({ text: "ok", failures: 0 });
    }
    expect(rig.server.accepted()).toBe(3);
    expect(rig.server.requests.at(-1)?.body.equals(Buffer.concat(large))).toBe(true);
    expect(rig.transport.inFlight(upstream.id)).toBe(0);
    expect(rig.transport.stats()).toMatchObject([{ connections: 1 }]);
    await rig.reset();
  });

  it("goes out once where a fresh connection is closed, or a kept one after a while or in the answer", async () => {
    const ends: ((socket: Socket) => void)[] = [
      (socket) => socket.destroy(),
      (socket) => socket.write(`${OK}content-length: 2\r\n\r\nok`),
      (socket) => setTimeout(() => socket.destroy(), 2_000),
      (socket) => socket.write(`${OK}content-length: 2\r\n\r\nok`),
      (socket) => socket.end(`${OK}content-length: 2\r\n\r\n`),
    ];
    const upstream = await rig.serve(({ socket }) => ends[rig.server.requests.length - 1]?.(socket));
    const closed = { failure: { kind: "closed" }, failures: 1 };
    for (const expected of [closed, { text: "ok" }, closed, { text: "ok" }, closed]) {
      expect(await rig.responseOf(callOf(upstream))).toMatchObject(expected);
    }
    expect(rig.server.requests.length).toBe(ends.length);
  });

  it("is sent once a connection has taken it", async () => {
    let heard = false;
    const upstream = await rig.serve(() => {
      heard = true;
    });
    const { flight: call } = rig.open(callOf(upstream));
    expect(call.sentMs()).toBeUndefined();
    await until(() => heard);
    expect(call.sentMs()).toBeDefined();
  });

  it("is not sent where it is cut before that, and stays sent where it is cut later", async () => {
    let heard = false;
    const upstream = await rig.serve(() => {
      heard = true;
    });
    const early = rig.open(callOf(upstream)).flight;
    early.abort();
    expect(early.sentMs()).toBeUndefined();
    const late = rig.open(callOf(upstream)).flight;
    await until(() => heard);
    late.abort();
    expect(late.sentMs()).toBeDefined();
  });

  it("passes a redirect on and does not follow it", async () => {
    const upstream = await rig.serve(({ socket }) =>
      socket.write("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
    );
    const response = await rig.responseOf(callOf(upstream));
    expect(response).toMatchObject({ status: 302, ended: true });
    expect(rig.server.requests.length).toBe(1);
  });

  it("is refused as busy beyond the upstream's max_concurrency, and served again after", async () => {
    const upstream = await rig.serve(({ socket }) => socket.write(`${OK}content-length: 2\r\n\r\no`), {
      maxConcurrency: 2,
    });
    const calls = [rig.open(callOf(upstream)), rig.open(callOf(upstream))];
    expect(rig.transport.inFlight(upstream.id)).toBe(2);
    expect((await rig.responseOf(callOf(upstream))).failure).toMatchObject({
      kind: "busy",
      phase: "connect",
    });
    calls[0]?.flight.abort();
    expect(rig.transport.inFlight(upstream.id)).toBe(1);
    const next = rig.open(callOf(upstream));
    await until(() => next.text === "o");
  });
});

describe("time-outs", () => {
  const cases: [string, Partial<Timeouts>, (request: WireRequest) => void, Partial<UpstreamFailure>][] = [
    ["no head", { firstByteStreamMs: 300 }, () => undefined, { phase: "first-byte" }],
    [
      "a head without a body",
      { firstByteStreamMs: 300 },
      ({ socket }) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`),
      { phase: "first-byte" },
    ],
    [
      "silence after some body",
      { idleMs: 300 },
      ({ socket }) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1\r\na\r\n`),
      { phase: "body" },
    ],
    ["an answer without end", { totalMs: 600 }, trickle, { phase: "body" }],
  ];
  for (const [name, timeouts, script, failure] of cases) {
    it(`end ${name}, and close the connection`, async () => {
      const upstream = await rig.serve(script, { timeouts: { ...PATIENT, ...timeouts } });
      const started = systemClock.monotonicMs();
      const response = await rig.responseOf(callOf(upstream, { streamed: true }));
      expect(response.failure).toMatchObject({ kind: "timeout", ...failure });
      expect(systemClock.monotonicMs() - started).toBeLessThan(8_000);
      await until(() => rig.server.open.size === 0);
    });
  }

  it("end a connection whose TLS handshake is never answered", async () => {
    const { baseUrl } = await rig.serve(() => undefined);
    const upstream = upstreamOf(baseUrl.replace("http:", "https:"), {
      timeouts: { ...PATIENT, connectMs: 300 },
    });
    const { failure } = await rig.responseOf(callOf(upstream));
    expect(failure).toEqual({
      kind: "timeout",
      phase: "connect",
      message: "upstream-1 did not accept a connection within 0.3 s.",
      advice: expect.stringContaining("whether a firewall drops the connection"),
    });
    await until(() => rig.server.open.size === 0);
  });

  it("wait the longer limit for a plain answer", async () => {
    const upstream = await rig.serve(
      ({ socket }) => setTimeout(() => socket.write(`${OK}content-length: 2\r\n\r\nok`), 900),
      { timeouts: { ...PATIENT, firstByteStreamMs: 200 } },
    );
    expect(await rig.responseOf(callOf(upstream))).toMatchObject({ text: "ok", ended: true });
  });

  it("do not count the time in which the receiver has paused", async () => {
    const upstream = await rig.serve(
      ({ socket }) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`),
      { timeouts: { ...PATIENT, idleMs: 300 } },
    );
    const run = rig.open(callOf(upstream, { streamed: true }), { data: () => run.flight.pause() });
    await pause(1_000);
    expect(run).toMatchObject({ text: "a", ended: false, failure: undefined });
    run.flight.resume();
    await until(() => run.ended);
  });
});

describe("a misbehaving upstream", () => {
  const cases: [string, string, Partial<UpstreamFailure>][] = [
    ["that closes without a word", "", { kind: "closed", phase: "first-byte" }],
    ["that closes inside its head", `${OK}content-le`, { kind: "closed", phase: "first-byte" }],
    [
      "whose body is shorter than declared",
      `${OK}content-length: 9\r\n\r\nhalf`,
      { kind: "closed", phase: "body" },
    ],
    [
      "whose chunks break off",
      `${OK}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
      { kind: "closed", phase: "body" },
    ],
    ["that speaks no HTTP", "SSH-2.0-OpenSSH_9\r\n", { kind: "protocol", phase: "first-byte" }],
    ["with two lengths", `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nab`, { phase: "first-byte" }],
    [
      "with a length and chunks",
      `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\nab`,
      { phase: "first-byte" },
    ],
    [
      "that switches protocols and names none",
      `HTTP/1.1 101 Switching Protocols\r\n\r\n${OK}content-length: 0\r\n\r\n`,
      { kind: "protocol", phase: "first-byte" },
    ],
    [
      "that says 100 before it switches protocols",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      { kind: "protocol", phase: "first-byte" },
    ],
    ["that says 100 and closes", "HTTP/1.1 100 Continue\r\n\r\n", { kind: "closed", phase: "first-byte" }],
    ["that ends within a 100", "HTTP/1.1 100 Cont", { kind: "closed", phase: "first-byte" }],
    [
      "that says 100 with endless headers",
      `HTTP/1.1 100 Continue\r\nx-long: ${"a".repeat(80_000)}\r\n\r\n`,
      { kind: "protocol", phase: "first-byte" },
    ],
    [
      "that switches protocols",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      { kind: "protocol", phase: "first-byte" },
    ],
    [
      "with endless headers",
      `${OK}x-long: ${"a".repeat(40_000)}\r\n\r\n`,
      { kind: "protocol", phase: "first-byte" },
    ],
    [
      "with a poisoned header name",
      `${OK}__proto__: 1\r\nconstructor: 2\r\ncontent-length: 5\r\n\r\nx`,
      { kind: "closed", phase: "body" },
    ],
  ];
  for (const [name, bytes, failure] of cases) {
    it(`${name} fails once and leaves no connection`, async () => {
      const upstream = await rig.serve(({ socket }) => socket.end(bytes));
      const response = await rig.responseOf(callOf(upstream));
      expect(response.failure).toMatchObject(failure);
      expect(response.failures).toBe(1);
      await until(() => rig.server.open.size === 0);
      expect(rig.transport.inFlight(upstream.id)).toBe(0);
      expect(Object.keys(Object.prototype)).toEqual([]);
    });
  }

  it("that sends more than it declared taints no later answer", async () => {
    const upstream = await rig.serve(({ socket }) => {
      socket.write(`${OK}content-length: 2\r\n\r\nok${OK}content-length: 4\r\n\r\nevil`);
    });
    for (let round = 0; round < 3; round += 1) {
      expect(await rig.responseOf(callOf(upstream))).toMatchObject({ text: "ok" });
    }
  });

  it("that refuses connections, has no address, or is misconfigured is told apart in words", async () => {
    const closed = await rig.serve(() => undefined);
    await rig.stopServer();
    expect((await rig.responseOf(callOf(closed))).failure).toEqual({
      ...{ kind: "connect", phase: "connect" },
      message: "upstream-1 is unreachable: nothing listens at that address.",
      advice: "Check the host and port in base_url, and that the server runs.",
    });
    const failures = [
      await rig.responseOf(callOf(upstreamOf("ftp://nowhere"))),
      await rig.responseOf(callOf(upstreamOf("http://127.0.0.1:1", { kind: "unheard-of" }))),
      await rig.responseOf(callOf(upstreamOf("http://127.0.0.1:1"), { secret: "a\nb" })),
    ].map(({ failure }) => failure);
    expect(failures.map((failure) => failure?.kind)).toEqual(["protocol", "protocol", "protocol"]);
    expect(failures.map((failure) => failure?.message)).toEqual([
      "upstream-1 can't be used: its base_url is not an http or https URL.",
      "upstream-1 can't be used: no kind is named unheard-of.",
      "The request to upstream-1 can't be written: invalid x-api-key header.",
    ]);
  });
});

describe("an answer that came compressed unasked", () => {
  const gzip = `${OK}content-encoding: GZip\r\n`;
  const send = (socket: Socket, bytes: Buffer, head = gzip): void => {
    socket.write(`${head}content-length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes);
  };

  it("reaches its receiver decoded, however it is cut, and leaves the connection to the next", async () => {
    const text = "many words ".repeat(50_000);
    const upstream = await rig.serve(({ socket }) => {
      const bytes = gzipSync(text);
      socket.write(`${gzip}content-length: ${bytes.length}\r\n\r\n`);
      for (let at = 0; at < bytes.length; at += 100) socket.write(bytes.subarray(at, at + 100));
    });
    for (let round = 0; round < 3; round += 1) {
      const chunks: Buffer[] = [];
      const response = await rig.responseOf(callOf(upstream), { data: (chunk) => void chunks.push(chunk) });
      expect([response.status, response.ended, response.failures]).toEqual([200, true, 0]);
      expect(Buffer.concat(chunks).equals(Buffer.from(text))).toBe(true);
    }
    expect(rig.server.accepted()).toBe(1);
  });

  it("may be brotli, and nothing at all", async () => {
    const bodies = [brotliCompressSync("ok"), Buffer.alloc(0)];
    const upstream = await rig.serve(({ socket }) => {
      send(socket, bodies.shift() ?? Buffer.alloc(0), `${OK}content-encoding: br\r\n`);
    });
    expect(await rig.responseOf(callOf(upstream))).toMatchObject({ status: 200, text: "ok", failures: 0 });
    expect(await rig.responseOf(callOf(upstream))).toMatchObject({ status: 200, text: "", failures: 0 });
  });

  it.each([
    ["zlib's", deflateSync],
    ["none, as some servers understand the word", deflateRawSync],
  ])("may be deflate, whose wrapping is %s", async (_wrapping, compress) => {
    const text = "many words ".repeat(20);
    const upstream = await rig.serve(({ socket }) => {
      send(socket, compress(text), `${OK}content-encoding: deflate\r\n`);
    });
    expect(await rig.responseOf(callOf(upstream))).toMatchObject({ status: 200, text, failures: 0 });
  });

  it("comes as it is where the coding is none that compresses", async () => {
    const upstream = await rig.serve(({ socket }) =>
      send(socket, Buffer.from("ok"), `${OK}content-encoding: utf-8\r\n`),
    );
    expect(await rig.responseOf(callOf(upstream))).toMatchObject({ status: 200, text: "ok" });
  });

  it.each([
    ["is none", Buffer.from("plain words")],
    ["ends too early", gzipSync("words ".repeat(1_000)).subarray(0, 30)],
  ])("fails in words where it %s", async (_name, bytes) => {
    const upstream = await rig.serve(({ socket }) => send(socket, bytes));
    const response = await rig.responseOf(callOf(upstream));
    expect(response.failure).toMatchObject({ kind: "protocol", phase: "body" });
    expect(response.failure?.message).toContain("compressed response that can't be decoded");
    expect([response.failures, response.ended]).toEqual([1, false]);
    expect(rig.transport.inFlight(upstream.id)).toBe(0);
  });

  it("unfolds no further than its receiver takes it, and not at all after an abort", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const upstream = await rig.serve(({ socket }) => send(socket, bomb));
    let bytes = 0;
    const run = rig.open(callOf(upstream), {
      data(chunk) {
        bytes += chunk.length;
        run.flight.pause();
      },
    });
    await until(() => bytes > 0);
    await pause(300);
    const paused = bytes;
    expect(paused).toBeLessThan(1024 * 1024);
    run.flight.resume();
    await until(() => bytes > paused);
    run.flight.abort();
    const aborted = bytes;
    await pause(300);
    expect([bytes, run.ended, run.failures]).toEqual([aborted, false, 0]);
  });
});

function trickle({ socket }: WireRequest): void {
  socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
  const timer = setInterval(() => socket.write("1\r\na\r\n"), 50);
  socket.on("close", () => clearInterval(timer));
}

/** Answers the first request of each connection, and closes it with the second in hand. */
function closedWhenUsedAgain(): (request: WireRequest) => void {
  const used = new Set<Socket>();
  return ({ socket }) => {
    if (used.has(socket)) socket.destroy();
    else socket.write(`${OK}content-length: 2\r\n\r\nok`);
    used.add(socket);
  };
}
