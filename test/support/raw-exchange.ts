import { connect, type Socket } from "node:net";

/** How long an answer may be silent before what has come counts as all of it. */
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

/** The status codes of the answers in what a server sent. */
export function statusesIn(heard: string): number[] {
  return [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
