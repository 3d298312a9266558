import { createByteList } from "./byte-list.ts";
import { type Image, type Stretch, sameRow } from "./draw.ts";

/** Values of a colour, before the codes of lengths in the alphabet of green. */
const VALUES = 256;
const LENGTH_CODES = 24;
/** Green values that keep the longer codes: 208 and the lengths have 8 bits, 48 have 9, and no code is left over. */
const SHORT_VALUES = 208;
/** The longest copy. */
const MAX_COPY = 4_096;
/** Symbols of the two distances that are used, whose codes are one bit: the pixel above, and the one to the left. */
const ABOVE = 0;
const LEFT = 1;
/** In which order a code of code lengths gives them. */
const LENGTH_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9];

/** A lossless WebP of an image (RFC 9649): each stretch is a pixel and a copy, each repeated row a copy. */
export function writeWebp({ width, height, row }: Image): Buffer {
  const bits = createBits();
  bits.put(0x2f, 8);
  bits.put(width - 1, 14);
  bits.put(height - 1, 14);
  // No alpha, version 0; no transform, no cache of colours, one group of codes.
  bits.put(0, 1 + 3 + 1 + 1 + 1);
  writeCodes(bits);
  let above: readonly Stretch[] = [];
  for (let y = 0; y < height; y += 1) {
    const stretches = row(y);
    if (sameRow(stretches, above)) writeCopy(bits, width, ABOVE);
    else
      stretches.forEach(({ from, color }, index) => {
        writePixel(bits, color);
        writeCopy(bits, (stretches[index + 1]?.from ?? width) - from - 1, LEFT);
      });
    above = stretches;
  }
  return framed(bits.finish());
}

/** The five codes: green with lengths, red, blue, alpha, distances. */
function writeCodes(bits: Bits): void {
  writeLengthCode(bits, [8, 9]);
  for (let symbol = 0; symbol < VALUES + LENGTH_CODES; symbol += 1) bits.put(greenOf(symbol).bits - 8, 1);
  // Red and blue have 8 bits throughout, which takes none to say.
  for (let color = 0; color < 2; color += 1) writeLengthCode(bits, [8]);
  // Simple codes (1), of one symbol (0) of eight bits (1): alpha is always 255; of two (1), the first of one bit (0).
  bits.put(0b101, 3);
  bits.put(255, 8);
  bits.put(0b011, 3);
  bits.put(ABOVE, 1);
  bits.put(LEFT, 8);
}

/** A normal code whose lengths are among these: one bit tells which of two, none the only one. */
function writeLengthCode(bits: Bits, lengths: readonly number[]): void {
  bits.put(0, 1);
  bits.put(LENGTH_ORDER.length - 4, 4);
  for (const length of LENGTH_ORDER) bits.put(lengths.includes(length) ? 1 : 0, 3);
  // The lengths of all symbols follow.
  bits.put(0, 1);
}

function writePixel(bits: Bits, color: number): void {
  const green = greenOf((color >> 8) & 255);
  bits.putCode(green.code, green.bits);
  bits.putCode(color >> 16, 8);
  bits.putCode(color & 255, 8);
}

/** Repeats pixels from a distance: a length is the class it falls in, and which of that class it is. */
function writeCopy(bits: Bits, pixels: number, distance: number): void {
  for (let left = pixels; left > 0; left -= MAX_COPY) {
    const rest = Math.min(left, MAX_COPY) - 1;
    const high = 31 - Math.clz32(rest | 1);
    const extra = Math.max(0, high - 1);
    const { code, bits: size } = greenOf(VALUES + (rest < 4 ? rest : 2 * high + (rest >> extra) - 2));
    bits.putCode(code, size);
    if (rest >= 4) bits.put(rest & ((1 << extra) - 1), extra);
    bits.put(distance, 1);
  }
}

/** The canonical code: shorter ones first, each in the order of symbols. */
function greenOf(symbol: number): { code: number; bits: number } {
  if (symbol < SHORT_VALUES) return { code: symbol, bits: 8 };
  if (symbol >= VALUES) return { code: symbol - VALUES + SHORT_VALUES, bits: 8 };
  return { code: 2 * LENGTH_CODES + symbol + SHORT_VALUES, bits: 9 };
}

type Bits = ReturnType<typeof createBits>;

/** Bits from the lowest on; the bits of a code from its highest on. */
function createBits() {
  const list = createByteList();
  let [kept, count] = [0, 0];
  const put = (value: number, size: number): void => {
    kept |= value << count;
    for (count += size; count >= 8; count -= 8) {
      list.put(kept & 255);
      kept >>>= 8;
    }
  };
  return {
    put,
    putCode(code: number, size: number): void {
      for (let bit = size - 1; bit >= 0; bit -= 1) put((code >> bit) & 1, 1);
    },
    finish(): Buffer {
      if (count > 0) put(0, 8 - count);
      return list.bytes();
    },
  };
}

/** In the container; content of odd length is filled up. */
function framed(content: Buffer): Buffer {
  const padding = content.length % 2;
  const head = Buffer.alloc(20);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(12 + content.length + padding, 4);
  head.write("WEBPVP8L", 8, "latin1");
  head.writeUInt32LE(content.length, 16);
  return Buffer.concat([head, content, Buffer.alloc(padding)]);
}
