import type { Contestant } from "./contestant.ts";
import { startOwnServer } from "./programs.ts";

/** What src/cli/commands/start.ts sets for the gateway; the bench shares no code with it. */
const REQUESTS_YOUNG = "--no-allocation-site-pretenuring";

interface Place {
  readonly upstreamPort: number;
  readonly core: number | undefined;
}

/** The measure of everything here, as Node runs it: see minimal-proxy.ts. */
export function startMinimalProxy(place: Place): Promise<Contestant> {
  return startProxy("minimal undici proxy", place, []);
}

/** The same with the gateway's own setting of V8: how much of the distance is that setting. */
export function startYoungProxy(place: Place): Promise<Contestant> {
  return startProxy("the same, requests kept young", place, [REQUESTS_YOUNG]);
}

async function startProxy(name: string, place: Place, flags: readonly string[]): Promise<Contestant> {
  const url = `http://127.0.0.1:${place.upstreamPort}`;
  const program = await startOwnServer("minimal-proxy", [url, ...flags], place.core);
  return {
    name,
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
