import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { dropDeafReader } from "./slow-reader.ts";

/**
 * Sends a file behind a head that was written, to a reader that takes some of it in any such time: a bucket has so many
 * connections, and browsers keep theirs for as long as a film is paused. Closes the file in any case. Rejects where the
 * reader left or was dropped, or the file broke off.
 */
export async function sendFile(raw: ServerResponse, file: Readable, patienceMs?: number): Promise<void> {
  dropDeafReader(raw, patienceMs);
  await pipeline(file, raw);
}
