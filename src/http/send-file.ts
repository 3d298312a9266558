import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * Sends a file behind a head that was written, to a reader that takes some of it in any such time: a bucket has so many
 * connections, and browsers keep theirs for as long as a film is paused. Closes the file in any case. Rejects where the
 * reader left or was dropped, or the file broke off.
 */
export async function sendFile(raw: ServerResponse, file: Readable, patienceMs: number): Promise<void> {
  raw.setTimeout(patienceMs);
  // Ahead of the server, which then sets its limit for idle connections.
  raw.prependListener("finish", () => raw.setTimeout(0));
  await pipeline(file, raw);
}
