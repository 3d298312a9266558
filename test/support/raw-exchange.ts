import { connect, type Socket } from "node:net";

/** The silence after which the bytes so far count as the whole response. */
const SILENCE_MS = 700;

/**
 * Writes these very bytes to a server and gives all that comes back until it closes, or has said
 * something and fallen silent.
 */
export function rawExchange(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname);
    let heard = "";
    let silence: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(silence);
      socket.destroy();
      resolve(heard);
    };
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
      clearTimeout(silence);
      silence = setTimeout(done, SILENCE_MS);
    });
    socket.on("error", () => undefined);
    socket.on("close", done);
    socket.write(bytes);
  });
}

/** A connection on which a test speaks and listens as it likes. */
export interface RawConnection {
  write(bytes: string): void;
  /** All that has come back so far. */
  heard(): string;
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>;
  /** Ends its own side and goes on listening. */
  finish(): void;
  leave(): void;
}

/** It never closes by itself, not even when the server has. */
export function openRaw(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  return {
    write: (bytes) => void socket.write(bytes),
    heard: () => heard,
    ended: new Promise((resolve) => {
      socket.on("end", resolve);
      socket.on("close", () => resolve());
    }),
    finish: () => void socket.end(),
    leave: () => socket.destroy(),
  };
}

/** The status codes of the responses in what a server sent. */
export function statusesIn(heard: string): number[] {
  return [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
