import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { residentBytes } from "../support/proc.ts";
import { waitFor } from "../support/wait.ts";

const MB = 1024 * 1024;

describe("callers of either port", () => {
  let gateway: TestGateway;
  let metricsPort: number;
  beforeAll(async () => {
    metricsPort = await freePort();
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text"],
        upstreams: [{ name: "vendor", url: "http://127.0.0.1:1" }],
        settings: `{ metrics_address: "127.0.0.1:${metricsPort}" }`,
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
  });

  const open = (port: number): Socket => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    return socket;
  };
  const PORTS = [
    ["the public port", () => Number(new URL(gateway.url).port), "/healthz"],
    ["the operator's port", () => metricsPort, "/metrics"],
  ] as const;

  it.each(PORTS)("that ask and never read are cut off, and cost no memory: %s", async (_, port, path) => {
    const before = await residentBytes(gateway.child.pid ?? 0);
    const socket = open(port()).pause();
    const piece = `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(500);
    const timer = setInterval(() => socket.write(piece), 20);
    await waitFor(
      "the end of the connection",
      () => socket.destroyed || socket.closed || socket.errored !== null,
    );
    clearInterval(timer);
    socket.destroy();
    expect((await residentBytes(gateway.child.pid ?? 0)) - before).toBeLessThan(50 * MB);
  });

  it.concurrent.each(PORTS)(
    "that send a head a byte at a time are told 408 and cut off: %s",
    async (_, port, path) => {
      const socket = open(port());
      const head = `GET ${path} HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(10_000)}`;
      let at = 0;
      const timer = setInterval(() => socket.write(head[at++] ?? "y"), 200);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
      clearInterval(timer);
    },
  );

  it.concurrent.each([
    "/v1/chat/completions",
    "/v1/images/generations",
    "/v1/videoa/asset/create",
    "/api/session",
  ])("that send a body a byte in five seconds are told 408 and cut off: %s", async (path) => {
    const socket = open(PORTS[0][1]());
    const head = [`POST ${path} HTTP/1.1`, "host: a", `authorization: Bearer ${TEST_KEY}`];
    const more = ["content-type: application/json", "content-length: 1000", "", "{"];
    socket.write([...head, ...more].join("\r\n"));
    const timer = setInterval(() => socket.write(" "), 5_000);
    const heard = await text(socket);
    clearInterval(timer);
    expect(heard).toMatch(/^HTTP\/1\.1 408 /);
    expect(heard).toContain("request_timeout");
  });
});
