import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

const MB = 1024 * 1024;

/** A caller that sends a body on a connection of its own; what it is told is read as it comes. */
export class BodySender {
  heard = "";
  closed = false;
  private readonly socket: Socket;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on("data", (chunk) => {
      this.heard += chunk.toString("latin1");
    });
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.closed = true;
    });
  }

  /** Sends a head with these headers beside its key. */
  head(path: string, key: string, lines: readonly string[]): this {
    const all = [`POST ${path} HTTP/1.1`, "host: a", `authorization: Bearer ${key}`, ...lines];
    this.socket.write(`${all.join("\r\n")}\r\n\r\n`);
    return this;
  }

  /** Sends as fast as it is taken, until all is sent or a response is there. */
  async send(bytes: Buffer): Promise<this> {
    for (let at = 0; at < bytes.length && this.heard === "" && !this.closed; at += MB) {
      this.socket.write(bytes.subarray(at, at + MB));
      while (this.socket.writableNeedDrain && this.heard === "" && !this.closed) await sleep(5);
    }
    return this;
  }

  /** 0 as long as there is none. */
  get status(): number {
    const found = [...this.heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    return found.find((status) => status >= 200) ?? 0;
  }

  /** Resolves with the status once there is one; 0 where the connection ends without. */
  async answered(): Promise<number> {
    while (this.status === 0 && !this.closed) await sleep(20);
    return this.status;
  }

  leave(): void {
    this.socket.destroy();
  }
}

/** The beginning of a chat request of this size, which is all prompt; `end` of it is missing. */
export function promptOf(bytes: number, model = "text"): { whole: Buffer; stalled: Buffer } {
  const [before = "", after = ""] = JSON.stringify({
    model,
    max_tokens: 10,
    messages: [{ role: "user", content: "HERE" }],
  }).split("HERE");
  const room = bytes - before.length - after.length;
  const whole = Buffer.concat([Buffer.from(before), Buffer.alloc(room, "lorem ipsum "), Buffer.from(after)]);
  return { whole, stalled: whole.subarray(0, -1) };
}

export function zipped(bytes: Buffer): Buffer {
  return gzipSync(bytes, { level: 9 });
}
