import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { residentBytes } from "../support/proc.ts";
import { openRaw, rawExchange, statusesIn } from "../support/raw-exchange.ts";
import { report } from "../support/report.ts";
import { waitFor } from "../support/wait.ts";

const MB = 1024 * 1024;

/** Requests that one connection may have begun or kept. */
const MAX_AT_ONCE = 16;

/** Far more than any machine takes to end a connection. */
const SURELY_ENDED_MS = 30_000;

const PROBE = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";

/** Sends requests as fast as the kernel takes them, up to so many bytes, and reads nothing. Gives whether the server has ended it. */
async function flood(url: string, mostBytes: number): Promise<{ sent: number; ended: boolean }> {
  const requests = Buffer.from(PROBE.repeat(2_000));
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  let ended = false;
  const over = (): void => {
    ended = true;
  };
  socket.on("error", over).on("close", over);
  await once(socket, "connect");
  const untilMs = performance.now() + SURELY_ENDED_MS;
  while (!ended && performance.now() < untilMs) {
    const more = socket.writableLength === 0 && socket.bytesWritten < mostBytes;
    // A reader that is paused hears of no end, but its next write fails.
    socket.write(more ? requests : PROBE);
    await sleep(more ? 1 : 20);
  }
  socket.destroy();
  return { sent: socket.bytesWritten, ended };
}

describe("H1, a connection that sends requests and never reads", () => {
  let gateway: TestGateway;
  let pid: number;
  beforeAll(async () => {
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: "http://127.0.0.1:9" }] }),
      env: { NODE_OPTIONS: "--max-old-space-size=512" },
    });
    pid = gateway.child.pid ?? 0;
    // What a first few thousand requests leave behind is nobody's flood.
    for (let index = 0; index < 200; index += 1) await rawExchange(gateway.url, closing(PROBE));
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
  });

  /** By how much the process grew at most, and how long others waited for a response. */
  async function growth(work: Promise<unknown>): Promise<{ bytes: number; slowestMs: number }> {
    const before = await residentBytes(pid);
    let most = before;
    let slowestMs = 0;
    let over = false;
    const finished = work.finally(() => {
      over = true;
    });
    while (!over) {
      const askedMs = performance.now();
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - askedMs);
      most = Math.max(most, await residentBytes(pid));
      await sleep(20);
    }
    await finished;
    return { bytes: most - before, slowestMs };
  }

  it.each([
    { name: "one", connections: 1, eachMb: 32, mostMb: 30 },
    { name: "fifty", connections: 50, eachMb: 4, mostMb: 100 },
  ])("is ended, which costs little memory and nobody an answer: $name", async (scene) => {
    const { connections, eachMb, mostMb } = scene;
    const floods = Promise.all(Array.from({ length: connections }, () => flood(gateway.url, eachMb * MB)));
    const { bytes, slowestMs } = await growth(floods);
    const sentMb = (await floods).reduce((sum, { sent }) => sum + sent, 0) / MB;
    report(
      `H1: ${connections} floods that wrote ${sentMb.toFixed(1)} MB made the gateway ${(bytes / MB).toFixed(0)} MB larger; others waited ${slowestMs.toFixed(0)} ms at most`,
    );
    expect((await floods).every(({ ended }) => ended)).toBe(true);
    expect(bytes).toBeLessThan(mostMb * MB);
  });

  it("is ended too where it sends them one by one, once its answers are read no more", async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).pause();
    let ended = false;
    socket
      .on("error", () => undefined)
      .on("close", () => {
        ended = true;
      });
    await once(socket, "connect");
    // A large response each, so that the kernel's buffers are full soon.
    const { bytes } = await growth(
      (async () => {
        for (let index = 0; index < 2_000 && !ended; index += 1) {
          socket.write("GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n");
          await sleep(2);
        }
      })(),
    );
    expect(ended).toBe(true);
    expect(bytes).toBeLessThan(100 * MB);
  });

  it("is answered in order where it has at most 16 at once, again and again", async () => {
    const caller = openRaw(gateway.url);
    for (let round = 1; round <= 5; round += 1) {
      caller.write(PROBE.repeat(MAX_AT_ONCE));
      await waitFor("all answers", () => statusesIn(caller.heard()).length === round * MAX_AT_ONCE);
    }
    caller.leave();
  });

  it("is ended at the seventeenth, and what came with that is not begun", async () => {
    const heard = await rawExchange(gateway.url, PROBE.repeat(10 * MAX_AT_ONCE));
    expect(statusesIn(heard).length).toBeLessThan(MAX_AT_ONCE);
    const exchange = rawExchange(gateway.url, PROBE.repeat(MAX_AT_ONCE + 1));
    expect(statusesIn(await exchange).length).toBeLessThan(MAX_AT_ONCE);
    expect(statusesIn(await rawExchange(gateway.url, PROBE.repeat(MAX_AT_ONCE)))).toHaveLength(MAX_AT_ONCE);
  });

  it("leaves a gateway that lives, and stops as ever", async () => {
    expect(await gateway.end()).toBe(0);
  });
});

/** A chunk of one byte, as a body may be sent by the standard; its framing is five bytes more. */
const TINY_CHUNKS = Buffer.from("1\r\n \r\n".repeat(10_000));

/** Sends the beginning of a request and then tiny chunks until the server ends it. Gives what it has told, and how much was sent. */
async function sendTinyChunks(
  url: string,
  head: string,
): Promise<{ sent: number; heard: string; ended: boolean }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let heard = "";
  let ended = false;
  const over = (): void => {
    ended = true;
  };
  socket.on("data", (bytes) => {
    heard += bytes.toString("latin1");
  });
  socket.on("error", over).on("close", over);
  socket.write(head);
  const untilMs = performance.now() + SURELY_ENDED_MS;
  while (!ended && performance.now() < untilMs && socket.bytesWritten < 100 * MB) {
    if (!socket.writableNeedDrain) socket.write(TINY_CHUNKS);
    await sleep(1);
  }
  socket.destroy();
  return { sent: socket.bytesWritten, heard, ended };
}

describe("a body that comes in chunks of one byte", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: "http://127.0.0.1:9" }] }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
  });

  const headTo = (path: string, key: string): string =>
    `POST ${path} HTTP/1.1\r\nhost: ${new URL(gateway.url).host}\r\nauthorization: Bearer ${key}\r\n` +
    "content-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";

  it.each([
    ["/v1/chat/completions", "wrong-key-0123456789", 401],
    ["/v1/chat/completions", TEST_KEY, 400],
    ["/v1/images/generations", TEST_KEY, 400],
    ["/healthz", TEST_KEY, 405],
    ["/api/session", TEST_KEY, 400],
  ])("is not read on: %s with %s", async (path, key, status) => {
    const { sent, heard, ended } = await sendTinyChunks(gateway.url, headTo(path, key));
    expect(heard).toContain(`HTTP/1.1 ${status} `);
    expect(ended).toBe(true);
    // What kernels keep on the way, and not what can be sent in the ten seconds of a refused body.
    expect(sent).toBeLessThan(16 * MB);
  });

  it("is read whole where it is short, and in chunks of a hundred whatever its length", async () => {
    const long = JSON.stringify({
      model: "none",
      messages: [{ role: "user", content: "x".repeat(300_000) }],
    });
    for (const [text, size] of [
      ['{"model":"none","messages":[{"role":"user","content":"x"}]}', 1],
      [long, 100],
    ] as const) {
      const chunks = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
      const sent = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
      const heard = await rawExchange(
        gateway.url,
        `${headTo("/v1/chat/completions", TEST_KEY)}${sent}0\r\n\r\n`,
      );
      expect(statusesIn(heard)).toEqual([404]);
    }
  });
});

function closing(request: string): string {
  return request.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
}
