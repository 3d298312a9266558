import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DecoderTerms, decoderOf } from "./body-codings.ts";

const LIMIT = 4 * 1024 * 1024;

const TERMS: DecoderTerms = { limitBytes: LIMIT, owner: "acme", reserve: () => undefined };

/** A chat request of 3 KB, as the reference encoder streams it. */
const ZSTD_BODY = Buffer.from(
  "KLUv/QRolQIAwgUSEpDPARu0uLHCLlhb/XTd3HcHTNnkA9EacyA1CHpRQOeJYL4qgWzLJOhFPk5f0wfRw2XP+vFuUB6X8dnqzNnu4fQ2/XjrBN1xAQDYSIuvopaaWtc=",
  "base64",
);

/** Decodes it as it comes in pieces of that size; rejects as the decoder does. */
function decode(coding: string, body: Uint8Array, piece = 65_536): Promise<Buffer> {
  const open = decoderOf(coding);
  if (open === undefined || open === "unknown") throw new Error(`no decoder of ${coding}`);
  const decoder: Transform = open(TERMS);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    decoder.on("error", reject).on("end", () => resolve(Buffer.concat(chunks)));
    decoder.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LIMIT) decoder.destroy(new Error("too much"));
      else chunks.push(chunk);
    });
    for (let at = 0; at < body.length; at += piece) decoder.write(body.subarray(at, at + piece));
    decoder.end();
  });
}

/** A frame of blocks as RFC 8878 has them; `window`: its window's descriptor. */
function frame(blocks: readonly Buffer[], window = 0x58): Buffer {
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]), ...blocks]);
}

function block(type: "raw" | "repeated", size: number, bytes: Buffer, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type === "raw" ? 0 : 2) | Number(isLast), 0, 3);
  return Buffer.concat([header, bytes]);
}

/** By the encoder that Node has since 22.15; else in a frame of its bytes as they are. */
function encodeZstd(body: Buffer): Buffer {
  const { zstdCompressSync: encode } = zlib as Partial<{ zstdCompressSync(body: Buffer): Buffer }>;
  if (encode !== undefined) return encode(body);
  const blocks: Buffer[] = [];
  for (let at = 0; at < body.length; at += 100_000) {
    const piece = body.subarray(at, at + 100_000);
    blocks.push(block("raw", piece.length, piece, at + piece.length === body.length));
  }
  return frame(blocks);
}

const CODERS: readonly (readonly [coding: string, encode: (body: Uint8Array) => Buffer])[] = [
  ["gzip", (body) => zlib.gzipSync(body)],
  ["X-GZIP", (body) => zlib.gzipSync(body)],
  ["br", (body) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ["deflate", (body) => zlib.deflateSync(body)],
  ["deflate", (body) => zlib.deflateRawSync(body)],
  ["zstd", (body) => frame([block("raw", body.length, Buffer.from(body), true)])],
];

describe("a compressed body", () => {
  it.each(CODERS)(
    "is what it was before it was compressed, however it is cut: %s",
    async (coding, encode) => {
      const property = fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 5_000 }),
        fc.integer({ min: 1, max: 300 }),
        async (body, piece) => {
          expect(Buffer.compare(await decode(coding, encode(body), piece), body)).toBe(0);
        },
      );
      await fc.assert(property, { numRuns: 25 });
    },
  );

  it("of zstd is read in every form of frame, one after the other, what may be skipped aside", async () => {
    const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
    const spaces = frame([block("repeated", 5, Buffer.from(" "), true)]);
    const text = (await decode("zstd", Buffer.concat([skipped, ZSTD_BODY, spaces]), 7)).toString();
    expect(JSON.parse(text)).toMatchObject({ model: "text", messages: [{ role: "user" }] });
    expect(text.endsWith("     ")).toBe(true);
  });

  it.each(CODERS)("that is cut off or no such thing is an error: %s", async (coding, encode) => {
    const whole = encode(Buffer.from("The river runs past the old mill."));
    await expect(decode(coding, whole.subarray(0, whole.length - 3))).rejects.toThrow();
    await expect(decode(coding, Buffer.from('{"model":"text"}'))).rejects.toThrow();
  });

  it.each(CODERS)(
    "with anything behind its end is an error, however it is cut: %s",
    async (coding, encode) => {
      const whole = encode(Buffer.from("The river runs past the old mill."));
      const property = fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 300 }),
        async (behind, piece) => {
          await expect(decode(coding, Buffer.concat([whole, behind]), piece)).rejects.toThrow();
        },
      );
      await fc.assert(property, { numRuns: 25, examples: [[new Uint8Array(1), whole.length]] });
    },
  );

  it.each(CODERS)("whose decoder is closed on its way gives nothing more: %s", async (coding, encode) => {
    const open = decoderOf(coding);
    if (open === undefined || open === "unknown") throw new Error(`no decoder of ${coding}`);
    const decoder = open(TERMS);
    const chunks: Buffer[] = [];
    decoder.on("data", (chunk: Buffer) => chunks.push(chunk));
    decoder.write(encode(Buffer.alloc(2_000_000, "words")));
    await new Promise((resolve) => decoder.once("close", resolve).destroy());
    const bytes = chunks.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(chunks.length).toBe(bytes);
  });

  it("of zstd that holds more than it may is refused before memory is taken for it", async () => {
    const megabyte = Array.from({ length: 8 }, () => block("repeated", 131_072, Buffer.from("a"), false));
    const bomb = frame([...Array(8).fill(megabyte).flat(), block("raw", 0, Buffer.alloc(0), true)]);
    expect(bomb.length).toBeLessThan(300);
    await expect(decode("zstd", bomb)).rejects.toThrow();
    // A window of 2 GB, and a content of as much.
    await expect(decode("zstd", frame([block("raw", 1, Buffer.from("a"), true)], 0xa8))).rejects.toThrow();
    const huge = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x70, 9, 0, 0, 1]);
    await expect(decode("zstd", huge)).rejects.toThrow();
  });

  it("of zstd is read as the reference encoder writes it, in one frame or several", async () => {
    const property = fc.asyncProperty(
      fc.array(fc.string({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 2_000 }),
      async (texts, times) => {
        const frames = texts.map((text) => encodeZstd(Buffer.from(text.repeat(times).slice(0, 200_000))));
        const read = await decode("zstd", Buffer.concat(frames));
        expect(read.toString()).toBe(texts.map((text) => text.repeat(times).slice(0, 200_000)).join(""));
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  it("of zstd in countless tiny blocks, each of which would move a large window, is refused", async () => {
    const tiny = Array.from({ length: 100_000 }, () => block("repeated", 1, Buffer.from("a"), false));
    const slow = frame([...tiny, block("raw", 0, Buffer.alloc(0), true)], 0x68);
    await expect(decode("zstd", slow)).rejects.toThrow();
  });

  it.each(CODERS)("is decoded no further than memory was reserved for: %s", async (coding, encode) => {
    const open = decoderOf(coding);
    if (open === undefined || open === "unknown") throw new Error(`no decoder of ${coding}`);
    const body = encode(Buffer.alloc(1_000_000, "words"));
    let reserved = 0;
    const reserve = (bytes: number): void => {
      if (bytes > 500_000) throw new Error("no memory");
      reserved = bytes;
    };
    const decoder = open({ limitBytes: LIMIT, owner: "acme", reserve });
    let bytes = 0;
    decoder.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    const failed = new Promise((resolve) => decoder.once("error", resolve));
    decoder.end(body);
    expect(await failed).toMatchObject({ message: "no memory" });
    expect(bytes).toBeLessThanOrEqual(reserved);
  });

  it.each(["compress", "gzip, gzip", "toString", "zstd2"])("of another coding is none: %s", (coding) => {
    expect(decoderOf(coding)).toBe("unknown");
  });
});
