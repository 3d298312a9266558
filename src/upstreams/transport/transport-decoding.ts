import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
  type Inflate,
  type InflateRaw,
} from "node:zlib";

/** Opens a body, chosen by its first byte if the coding's name is ambiguous. */
type Opener = (first: number) => Gunzip | Inflate | InflateRaw | BrotliDecompress;

/** The codings of proxies before an upstream, which compress although no compression was asked for. */
const CODINGS: Readonly<Record<string, Opener>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: (first) => (beginsZlib(first) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
};

/** The receiver of the decoded body. */
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

/**
 * `first` is the body's first byte. undefined = the body is plain, or in a coding that nobody here knows and that
 * some servers only claim.
 */
export function openDecoder(
  contentEncoding: string | undefined,
  first: number,
  sink: DecodedSink,
): Decoder | undefined {
  const coding = (contentEncoding ?? "").trim().toLowerCase();
  const open = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
  return open?.(first)
    .on("data", sink.data)
    .on("end", sink.ended)
    .on("error", sink.failed)
    .on("drain", sink.drained);
}

/** The standard wraps deflate in zlib's format; some servers send it bare, which never begins like this. */
function beginsZlib(first: number): boolean {
  return (first & 0x0f) === 8;
}
