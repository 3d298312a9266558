import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { freePort } from "./free-port.ts";
import { waitFor } from "./wait.ts";

/** Redis comes from the system's packages, not from npm. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Kills it; nothing is kept. */
  end(): Promise<void>;
}

/** On a port of its own, or on that of one that was ended. */
export async function startRedis(atPort?: number): Promise<RedisServer> {
  const port = atPort ?? (await freePort());
  const child = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", ""], {
    stdio: "pipe",
  });
  const ended = once(child, "exit");
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  await waitFor("Redis", () => said.includes("Ready to accept connections"));
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    child,
    async end() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
