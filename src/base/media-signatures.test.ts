import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageTypeOf, mimeTypeOfBytes, SIGNATURE_BYTES } from "./media-signatures.ts";

const FILES: readonly (readonly [head: string, type: string | undefined, isPicture: boolean])[] = [
  ["\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png", true],
  ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg", true],
  ["GIF87a\x01\0", "image/gif", true],
  ["GIF89a\x01\0", "image/gif", true],
  ["RIFF\x24\0\0\0WEBPVP8 ", "image/webp", true],
  ["\0\0\0\x1cftypavif\0\0\0\0", "image/avif", true],
  ["\0\0\0\x1cftypavis\0\0\0\0", "image/avif", true],
  ["\0\0\0\x20ftypmif1\0\0\0\0mif1avifmiaf", "image/avif", true],
  ["\0\0\0\x2cftypmsf1\0\0\0\0mif1msf1miafisoiavis", "image/avif", true],
  ["\0\0\0\x1cftypheic\0\0\0\0", "image/heic", false],
  ["\0\0\0\x18ftypheic\0\0\0\0mif1heic", "image/heic", false],
  ["\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "image/heic", false],
  ["\0\0\0\x18ftypmsf1\0\0\0\0hevcmsf1", "image/heic", false],
  ["BM\x36\0\0\0", "image/bmp", false],
  ["II*\0\x08\0", "image/tiff", false],
  ["MM\0*\0\x08", "image/tiff", false],
  ["\0\0\0\x18ftypisom", "video/mp4", false],
  ["\0\0\0\x14ftypqt  ", "video/quicktime", false],
  ["\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x82\x84webm", "video/webm", false],
  ["RIFF\x24\0\0\0WAVEfmt ", "audio/wav", false],
  ["%PDF-1.7\n", "application/pdf", false],
  ["ID3\x04\0", "audio/mpeg", false],
  ["OggS\0\x02", "audio/ogg", false],
  ["fLaC\0\0", "audio/flac", false],
  ["<html><script>alert(1)</script>", undefined, false],
  ['<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">', undefined, false],
  ["<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", undefined, false],
  ['{"error":"no image today"}', undefined, false],
  ["GIF8 is no GIF", undefined, false],
  ["\x89PNG", undefined, false],
  ["\0\0\0", undefined, false],
  ["", undefined, false],
];

describe("the first bytes of a file", () => {
  it.each(FILES)("of %j tell its type", (head, type, isPicture) => {
    const bytes = Buffer.from(head, "latin1");
    expect(mimeTypeOfBytes(bytes)).toBe(type);
    expect(mimeTypeOfBytes(Buffer.concat([bytes, Buffer.alloc(10_000, 1)]))).toBe(type);
    for (const encoding of ["base64", "base64url"] as const)
      expect(imageTypeOf(bytes.toString(encoding))).toBe(isPicture ? type : undefined);
  });

  it("tell the same whatever follows them", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FILES.filter(([head]) => head.length > 8)),
        fc.uint8Array({ minLength: SIGNATURE_BYTES, maxLength: SIGNATURE_BYTES * 4 }),
        ([head, type, isPicture], rest) => {
          const bytes = Buffer.concat([Buffer.from(head, "latin1"), rest]);
          const base64 = bytes.toString("base64");
          expect(imageTypeOf(base64)).toBe(isPicture ? type : undefined);
          expect(imageTypeOf(base64.replace(/.{76}/g, "$&\r\n"))).toBe(imageTypeOf(base64));
        },
      ),
    );
  });
});
