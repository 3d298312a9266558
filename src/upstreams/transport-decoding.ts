import { createBrotliDecompress, createGunzip } from "node:zlib";

/** What proxies before an upstream compress with, although no compression was asked for. */
const CODINGS: Readonly<Record<string, typeof createGunzip | typeof createBrotliDecompress>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  br: createBrotliDecompress,
};

/** Where a body goes as it is decoded. */
export interface DecodedSink {
  data(chunk: Buffer): void;
  ended(): void;
  failed(error: Error): void;
  /** All that was written is worked off. */
  drained(): void;
}

/**
 * Decodes a body a few KB at a time, and none while it is paused: a bomb becomes no larger than what its
 * receiver takes, whose bounds count decoded bytes.
 */
export interface Decoder {
  /** False asks to wait until it is drained. */
  write(chunk: Buffer): boolean;
  end(): void;
  pause(): void;
  resume(): void;
  destroy(): void;
}

/** undefined = the body is plain, or in a coding that nobody here knows and that some servers only claim. */
export function openDecoder(
  contentEncoding: string | string[] | undefined,
  sink: DecodedSink,
): Decoder | undefined {
  const coding = String(contentEncoding ?? "")
    .trim()
    .toLowerCase();
  const open = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
  return open?.()
    .on("data", sink.data)
    .on("end", sink.ended)
    .on("error", sink.failed)
    .on("drain", sink.drained);
}
