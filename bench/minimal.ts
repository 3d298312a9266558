import type { Contestant } from "./contestant.ts";
import { startOwnServer } from "./programs.ts";

/** The measure of everything here: see minimal-proxy.ts. */
export async function startMinimalProxy(options: {
  readonly upstreamPort: number;
  readonly core: number | undefined;
}): Promise<Contestant> {
  const program = await startOwnServer(
    "minimal-proxy",
    [`http://127.0.0.1:${options.upstreamPort}`],
    options.core,
  );
  return {
    name: "minimal undici proxy",
    port: program.port,
    pid: program.pid,
    headers: {},
    parts: ["plain", "stream"],
    stop: async () => {
      await program.stop();
      return [];
    },
  };
}
