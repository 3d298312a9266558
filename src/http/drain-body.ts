import type { IncomingMessage } from "node:http";
import { MEDIA_BODY_BYTES } from "./body.ts";
import { hasTinyChunks } from "./body-pace.ts";

/** Twice the largest body that is taken: whoever sends more will not be talked to. */
const READ_OUT_BYTES = 2 * MEDIA_BODY_BYTES;

/** Enough for such a body on any line that is worth waiting for. */
const READ_OUT_MS = 10_000;

/**
 * Reads the rest of a refused body, throws it away and then calls `done`. Closing at once would reset the
 * connection under a caller that is still sending, and most clients then report a broken pipe and never
 * our answer.
 */
export function drainBody(request: IncomingMessage, done: () => void): void {
  const { socket } = request;
  const firstByte = socket.bytesRead;
  const lastByte = firstByte + READ_OUT_BYTES;
  let chunks = 0;
  const timer = setTimeout(() => socket.destroy(), READ_OUT_MS);
  request.on("data", () => {
    chunks += 1;
    if (socket.bytesRead > lastByte || hasTinyChunks(chunks, socket.bytesRead - firstByte)) socket.destroy();
  });
  request.on("error", () => undefined);
  const over = (): void => {
    clearTimeout(timer);
    done();
  };
  request.on("close", over);
  request.on("end", over);
  request.resume();
}
