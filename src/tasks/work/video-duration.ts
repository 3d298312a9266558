import type { ConnectThrough, SafeFetch } from "../../base/fetch/safe-fetch.ts";
import type { ReadDuration } from "./finish.ts";

/** Size of one read, many times that of a header at the beginning of a file. */
const PIECE_BYTES = 64 * 1024;
/** A file with the header at its end takes two reads; one that needs more than a few is leading us around. */
const MAX_PIECES = 6;
const PIECE_MS = 5_000;

/** Returns the connection settings of the upstream that made a file. */
export type ThroughOf = (upstreamId: bigint | undefined) => ConnectThrough | undefined;

/** Reads the length of a video from the header of its file (MP4 and MOV), without its frames. */
export function createDurationReader(guarded: Pick<SafeFetch, "read">, through: ThroughOf): ReadDuration {
  return async (url, upstreamId) => {
    let first = 0;
    for (let piece = 0; piece < MAX_PIECES; piece += 1) {
      const range = { first, last: first + PIECE_BYTES - 1 };
      const read = await guarded
        .read(url, {
          maxBytes: PIECE_BYTES,
          range,
          limits: { totalMs: PIECE_MS },
          through: through(upstreamId),
        })
        .catch(() => undefined);
      // A server that doesn't support ranges always sends the beginning.
      if (read === undefined || (first > 0 && read.status !== 206)) return undefined;
      const found = findDuration(read.bytes);
      if ("seconds" in found) return found.seconds;
      if (found.skipBytes <= 0) return undefined;
      first += found.skipBytes;
    }
    return undefined;
  };
}

/** Returns the length, or where the next box that is not read yet begins; 0 = this is no such file. */
function findDuration(bytes: Buffer): { readonly seconds: number } | { readonly skipBytes: number } {
  let at = 0;
  for (;;) {
    const box = boxAt(bytes, at);
    if (box === undefined) return { skipBytes: at };
    if (box.type === "moov") {
      const seconds = secondsOf(bytes.subarray(at + box.headerBytes));
      if (seconds !== undefined) return { seconds };
      // The header may be incomplete: read again from its start.
      return { skipBytes: at };
    }
    if (box.bytes < box.headerBytes) return { skipBytes: 0 };
    at += box.bytes;
  }
}

interface Box {
  readonly type: string;
  readonly headerBytes: number;
  readonly bytes: number;
}

function boxAt(bytes: Buffer, at: number): Box | undefined {
  if (at + 16 > bytes.length) return undefined;
  const small = bytes.readUInt32BE(at);
  const type = bytes.toString("latin1", at + 4, at + 8);
  if (small !== 1) return { type, headerBytes: 8, bytes: small };
  return { type, headerBytes: 16, bytes: Number(bytes.readBigUInt64BE(at + 8)) };
}

/** Reads the movie header, which vendors and encoders write first inside `moov`. */
function secondsOf(moov: Buffer): number | undefined {
  const box = boxAt(moov, 0);
  if (box?.type !== "mvhd" || moov.length < box.headerBytes + 32) return undefined;
  const header = moov.subarray(box.headerBytes);
  const long = header[0] === 1;
  const scale = header.readUInt32BE(long ? 20 : 12);
  const duration = long ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  return scale > 0 && duration > 0 ? duration / scale : undefined;
}
