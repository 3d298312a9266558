import type { ServerResponse } from "node:http";
import { systemClock } from "../../base/clock.ts";

/**
 * A caller who takes nothing for so long is dropped: what upstream already sent waits in memory for it, and 200 such
 * callers must not become the gateway's memory.
 */
const SLOW_READER_MS = 60_000;

/** The number of checks of a reader in the time that it has. */
const LOOKS = 12;

const watched = new WeakSet<ServerResponse>();

/**
 * Cuts the connection of a response whose reader takes nothing of what waits for it. By the socket's own timer, as that knows
 * of bytes taken before a whole write is; it fires only after a full pause, so short ones are added up: a long one would begin
 * with the moment in which the kernel's buffers had taken something, and last twice as long. Gives what ends the watch.
 */
export function closeSlowReader(raw: ServerResponse, patienceMs = SLOW_READER_MS): () => void {
  if (watched.has(raw)) return () => undefined;
  watched.add(raw);
  const pauseMs = patienceMs / LOOKS;
  let deafMs = 0;
  let lookedAtMs = 0;
  const check = (): void => {
    const nowMs = systemClock.monotonicMs();
    // If more than a pause has passed, the timer had restarted: the reader took something.
    const isNext = nowMs - lookedAtMs < 1.5 * pauseMs;
    deafMs = isNext ? deafMs + pauseMs : pauseMs;
    lookedAtMs = nowMs;
    if (deafMs >= patienceMs) raw.destroy();
    else raw.setTimeout(pauseMs);
  };
  const stop = (): void => {
    if (!watched.delete(raw)) return;
    raw.off("timeout", check).off("finish", stop);
    raw.setTimeout(0);
  };
  raw.on("timeout", check);
  // Ahead of the server, which then sets its limit for idle connections.
  raw.prependListener("finish", stop);
  raw.setTimeout(pauseMs);
  return stop;
}
