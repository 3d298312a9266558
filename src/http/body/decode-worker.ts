import { parentPort } from "node:worker_threads";
import * as zlib from "node:zlib";
import { type DecodeResponse, unzstd } from "./unzstd.ts";

/** Content codings by the decoders' names. */
export type Coding = "gzip" | "br" | "deflate" | "zstd";

/** A complete compressed body and the maximum number of decoded bytes. */
export interface DecodeMessage {
  readonly coding: Coding;
  readonly body: Uint8Array;
  readonly limitBytes: number;
}

parentPort?.on("message", ({ coding, body, limitBytes }: DecodeMessage) => {
  const response = coding === "zstd" ? unzstd(body, limitBytes) : unpack(coding, body, limitBytes);
  parentPort?.postMessage(response, "body" in response ? [response.body.buffer] : []);
});

/** zlib's result if it is asked for more than the bytes. */
interface Unpacked {
  readonly buffer: Buffer<ArrayBuffer>;
  readonly engine: { readonly bytesWritten: number };
}

/** Decodes into one preallocated buffer; the first byte beyond it ends decoding. */
function unpack(coding: Exclude<Coding, "zstd">, body: Uint8Array, limitBytes: number): DecodeResponse {
  const options = { chunkSize: limitBytes + 1, maxOutputLength: limitBytes, info: true };
  try {
    const { buffer, engine } = decoderOf(coding, body)(body, options) as unknown as Unpacked;
    // Bytes behind the end of the compressed data are an error, except further members of gzip: zlib leaves other bytes
    // unread.
    return engine.bytesWritten === body.length ? { body: buffer } : { fault: "broken" };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return { fault: isTooLarge ? "too-large" : "broken" };
  }
}

function decoderOf(coding: Exclude<Coding, "zstd">, body: Uint8Array): typeof zlib.gunzipSync {
  if (coding === "gzip") return zlib.gunzipSync;
  if (coding === "br") return zlib.brotliDecompressSync;
  return isWrapped(body) ? zlib.inflateSync : zlib.inflateRawSync;
}

/** "deflate" is zlib's format (RFC 9110, 8.4.1.2). Some clients send the bare stream, which its first bytes reveal. */
function isWrapped([first = 0, second]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (second === undefined || (first * 256 + second) % 31 === 0);
}
