import { createServer } from "node:net";
import type { Config } from "../config.ts";

/**
 * Rejects as listening would where the port cannot be had, so that a start which must fail does so before it has
 * changed anything. Whoever takes the port after this look is met when it is opened in earnest.
 */
export async function refuseTakenPort({ host, port }: Pick<Config, "host" | "port">): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, resolve);
  });
  await new Promise((closed) => server.close(closed));
}
