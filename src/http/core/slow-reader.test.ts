import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { closeSlowReader } from "./slow-reader.ts";

const MB = 1024 * 1024;

/** Longer than a busy machine keeps a reader from reading. */
const PATIENCE_MS = 3_000;

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** A response far larger than the kernel's buffers, to a caller who reads when told. */
async function responseTo(
  reader: (socket: Socket) => void,
): Promise<{ raw: ServerResponse; socket: Socket }> {
  const server = createServer((_request, response) => {
    response.end(Buffer.alloc(64 * MB));
    closeSlowReader(response, PATIENCE_MS);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const answered = once(server, "request");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  open.push({
    close() {
      socket.destroy();
      server.close();
      server.closeAllConnections();
    },
  });
  reader(socket);
  const [, raw] = (await answered) as [unknown, ServerResponse];
  return { raw, socket };
}

it("cuts who takes nothing once the patience is over, not twice that", async () => {
  // The kernel's buffers take something at first, which must not count as reading. A busy machine is late now and then.
  let leastMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && leastMs >= 1.8 * PATIENCE_MS; tries += 1) {
    const { raw } = await responseTo((socket) => socket.pause());
    const startedMs = performance.now();
    await once(raw, "close");
    leastMs = Math.min(leastMs, performance.now() - startedMs);
    expect(leastMs).toBeGreaterThan(0.9 * PATIENCE_MS);
  }
  expect(leastMs).toBeLessThan(1.8 * PATIENCE_MS);
});

it("lets who reads a little now and then have all of it", async () => {
  let bytes = 0;
  let pauseAt = 0;
  const startedMs = performance.now();
  await responseTo((socket) =>
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes < pauseAt) return;
      // More than the kernel keeps back from the sender until there is room again.
      pauseAt = bytes + 6 * MB;
      socket.pause();
      setTimeout(() => socket.resume(), PATIENCE_MS / 6);
    }),
  );
  while (bytes < 64 * MB) await sleep(20);
  expect(performance.now() - startedMs).toBeGreaterThan(1.2 * PATIENCE_MS);
});
