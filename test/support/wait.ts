import { setTimeout as sleep } from "node:timers/promises";

/** Far beyond anything that is merely slow. */
const LIMIT_MS = 120_000;

/** Asks again until there is a response (not undefined or false); fails with what was waited for. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs += 20) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(20);
  }
  throw new Error(`waited in vain for ${what}`);
}
