import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TEST_KEY } from "./gateway.ts";
import { TEXT_PROTOCOLS, type Wish, wireForm } from "./text-caller.ts";
import type { VendorCall } from "./vendor-upstream.ts";
import { VENDOR_WIRES } from "./vendor-wire.ts";

/** Each frame of a flood; small enough to be many, large enough to be much. */
const FRAME_TEXT = "flood ".repeat(2_000);

/** The bytes that an upstream has sent in floods, as its own kernel took them. */
export class Flood {
  sent = 0;

  /** Streams as fast as it is read from, for ever. */
  pour({ protocol, model, response }: VendorCall): void {
    const wire = VENDOR_WIRES[protocol];
    const frame = Buffer.from(wire.delta(FRAME_TEXT));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(wire.opening(model));
    const pump = (): void => {
      while (!response.destroyed) {
        this.sent += frame.length;
        if (!response.write(frame)) return;
      }
    };
    response.on("drain", pump);
    pump();
  }
}

/** Callers of the four protocols that ask for a stream and never read a byte of it. */
export async function deafCallers(url: string, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const protocol = TEXT_PROTOCOLS[index % TEXT_PROTOCOLS.length] ?? "messages";
    sockets.push(await deafCaller(url, { protocol, prompt: "Hello" }));
  }
  return sockets;
}

/** One of them. */
export async function deafCaller(url: string, wish: Wish): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const { path, body } = wireForm({ streamed: true, ...wish });
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  // Never resumed: what comes stays in the kernel, and no more of it is taken than that.
  socket.pause();
  await once(socket, "connect");
  const lines = [
    "host: a",
    `authorization: Bearer ${TEST_KEY}`,
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  socket.write([`POST ${path} HTTP/1.1`, ...lines, "", text].join("\r\n"));
  return socket;
}

/** Waits until a figure has stopped growing for this long, and gives it. */
export async function settled(read: () => number, stillMs: number): Promise<number> {
  let last = read();
  let sinceMs = performance.now();
  while (performance.now() - sinceMs < stillMs) {
    await sleep(100);
    const now = read();
    if (now === last) continue;
    last = now;
    sinceMs = performance.now();
  }
  return last;
}
