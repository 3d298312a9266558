import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { sendFile } from "./file-response.ts";

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

/** A server whose responses are sent so, and a caller that has asked and reads nothing. */
async function deafCaller(send: (raw: ServerResponse) => void): Promise<Socket> {
  const server = createServer((_, raw) => send(raw)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  socket.on("error", () => undefined);
  closings.push(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  return socket;
}

it("a file is let go of where its reader takes nothing, as a film that was paused", async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(64 * 1024);
    })(),
  );
  const closed = new Promise((resolve) => endless.on("error", () => undefined).on("close", resolve));
  await deafCaller((raw) => {
    raw.writeHead(200, { "content-type": "video/mp4" });
    void sendFile(raw, endless, 100).catch(() => undefined);
  });
  await closed;
});

it("a connection is not cut after its file because the next answer on it takes long", async () => {
  const responses = [
    (raw: ServerResponse) => void sendFile(raw, Readable.from([Buffer.from("file")]), 1_000),
    (raw: ServerResponse) => void setTimeout(() => raw.end("late"), 2_500),
  ];
  const socket = await deafCaller((raw) => responses.shift()?.(raw));
  socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  let heard = "";
  for await (const chunk of socket) heard += String(chunk);
  expect(heard).toMatch(/file[\s\S]*late/);
});
