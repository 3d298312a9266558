import { Readable, type Transform } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { constants, crc32, createDeflate } from "node:zlib";
import { type Image, type Stretch, sameRow } from "./draw.ts";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
/** Filters of a row, from the specification: each byte less the pixel to its left, or less the row above. */
const SUB = 1;
const UP = 2;
/** Rows are compressed in strips of about so many bytes: however large an image is, no more of it is in memory. */
const STRIP_BYTES = 131_072;

/** A PNG of an image: 8 bits a colour, no alpha; `notes` are texts in it by their keyword. */
export async function writePng(image: Image, notes: Readonly<Record<string, string>>): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(image.width, 0);
  header.writeUInt32BE(image.height, 4);
  // 8 bits, true colour; the other three bytes have one value each that is allowed.
  header.set([8, 2], 8);
  const deflate: Transform = createDeflate({ level: constants.Z_BEST_SPEED });
  const [pixels] = await Promise.all([buffer(deflate), pipeline(Readable.from(strips(image)), deflate)]);
  return Buffer.concat([
    SIGNATURE,
    ...chunk("IHDR", header),
    ...Object.entries(notes).flatMap(([keyword, text]) => chunk("iTXt", noteOf(keyword, text))),
    ...chunk("IDAT", pixels),
    ...chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The filtered rows. A stretch of one colour is zeros but for its first pixel, and a row like the last one all zeros. */
function* strips({ width, height, row }: Image): Generator<Buffer> {
  const rowBytes = 1 + width * 3;
  const stripRows = Math.max(1, Math.floor(STRIP_BYTES / rowBytes));
  let above: readonly Stretch[] = [];
  for (let top = 0; top < height; top += stripRows) {
    const rows = Math.min(stripRows, height - top);
    const strip = Buffer.alloc(rows * rowBytes);
    for (let index = 0; index < rows; index += 1) {
      const stretches = row(top + index);
      const at = index * rowBytes;
      if (sameRow(stretches, above)) strip[at] = UP;
      else {
        strip[at] = SUB;
        writeSteps(strip, at + 1, stretches);
      }
      above = stretches;
    }
    yield strip;
  }
}

/** The difference that each stretch begins with; bytes wrap. */
function writeSteps(strip: Buffer, at: number, stretches: readonly Stretch[]): void {
  let left = 0;
  for (const { from, color } of stretches) {
    const pixel = at + from * 3;
    strip[pixel] = (color >> 16) - (left >> 16);
    strip[pixel + 1] = (color >> 8) - (left >> 8);
    strip[pixel + 2] = color - left;
    left = color;
  }
}

/** Keyword, not compressed, of no language, UTF-8; a zero would end the text. */
function noteOf(keyword: string, text: string): Buffer {
  return Buffer.from(`${keyword}\0\0\0\0\0${text.replaceAll("\0", " ")}`);
}

function chunk(type: string, content: Buffer): Buffer[] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length, 0);
  head.write(type, 4, "latin1");
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content, crc32(head.subarray(4))), 0);
  return [head, content, check];
}
