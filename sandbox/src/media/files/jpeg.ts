import { createByteList } from "./byte-list.ts";
import { type Image, paintRow } from "./draw.ts";

/** Pixels of a block's side. */
const SIDE = 8;
const BLOCK = SIDE * SIDE;
/** A coefficient's place in its block by its place in the file: along the diagonals, as ITU-T T.81 draws it. */
const ZIGZAG: readonly number[] = Array.from({ length: BLOCK }, (_, place) => place).sort(
  (left, right) => diagonalOf(left) - diagonalOf(right) || alongDiagonal(left) - alongDiagonal(right),
);
/** Steps that coefficients are rounded to: finer than an eye sees for low frequencies, coarser for high ones. */
const STEPS: readonly number[] = ZIGZAG.map((place) => 2 + 2 * diagonalOf(place));
/** Cosines of the transform, by frequency and then by place, each with its frequency's scale. */
const WAVES = Float64Array.from({ length: BLOCK }, (_, index) => {
  const [frequency, place] = [index >> 3, index & 7];
  const scale = frequency === 0 ? Math.SQRT1_2 / 2 : 1 / 2;
  return scale * Math.cos(((2 * place + 1) * frequency * Math.PI) / (2 * SIDE));
});

/** Zeros before a coefficient stand in the high half of its symbol, the bits of it in the low one; 0 is the end. */
const SIXTEEN_ZEROS = 0xf0;
const COEFFICIENTS = codesOf(9, [
  SIXTEEN_ZEROS,
  ...Array.from({ length: 160 }, (_, index) => (Math.floor(index / 10) << 4) | ((index % 10) + 1)),
]);
/** Differences of averages, by how many bits they have. */
const AVERAGES = codesOf(
  5,
  Array.from({ length: 11 }, (_, index) => index + 1),
);

/** A baseline JPEG of an image, in full colour resolution. */
export function writeJpeg(image: Image): Buffer {
  const { width, height } = image;
  const components = [1, 2, 3].flatMap((id) => [id, 0x11, 0]);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xdb, [0, ...STEPS]),
    segment(0xc0, [8, height >> 8, height & 255, width >> 8, width & 255, 3, ...components]),
    segment(0xc4, [0x00, ...AVERAGES.table]),
    segment(0xc4, [0x10, ...COEFFICIENTS.table]),
    segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, BLOCK - 1, 0]),
    writeBlocks(image),
    Buffer.of(0xff, 0xd9),
  ]);
}

interface Codes {
  /** The number of codes of each length, then their symbols. */
  table: number[];
  codes: number[];
  bits: number[];
}

/**
 * Prefix codes: one bit for 0, "as before" or "no more", since most blocks have one colour; so many for every other symbol
 * that none gets the code of ones alone, which the format forbids.
 */
function codesOf(length: number, others: readonly number[]): Codes {
  const counts = new Array<number>(16).fill(0);
  counts[0] = 1;
  counts[length - 1] = others.length;
  const made: Codes = { table: [...counts, 0, ...others], codes: [0], bits: [1] };
  others.forEach((symbol, index) => {
    made.codes[symbol] = (1 << (length - 1)) + index;
    made.bits[symbol] = length;
  });
  return made;
}

function segment(marker: number, content: readonly number[]): Buffer {
  const length = content.length + 2;
  return Buffer.of(0xff, marker, length >> 8, length & 255, ...content);
}

function writeBlocks({ width, height, row }: Image): Buffer {
  const bits = createBits();
  // Blocks reach beyond the last row and column: what stands there repeats them.
  const stride = Math.ceil(width / SIDE) * SIDE;
  const colors = new Uint32Array(stride * SIDE);
  const planes = [0, 1, 2].map(() => new Float64Array(BLOCK));
  const rows = new Float64Array(BLOCK);
  const before = [0, 0, 0];
  for (let top = 0; top < height; top += SIDE) {
    for (let y = 0; y < SIDE; y += 1)
      paintRow(row(Math.min(height - 1, top + y)), stride, colors, y * stride);
    let flat = false;
    for (let left = 0; left < stride; left += SIDE) {
      // Most blocks equal their neighbour, whose computed values then hold.
      if (left === 0 || !sameBlock(colors, stride, left, left - SIDE)) {
        flat = readBlock(colors, stride, left, planes);
        if (!flat) for (const plane of planes) transform(plane, rows);
      }
      planes.forEach((plane, index) => {
        before[index] = writeBlock(bits, plane, before[index] ?? 0, flat);
      });
    }
  }
  return bits.finish();
}

function sameBlock(colors: Uint32Array, stride: number, left: number, other: number): boolean {
  for (let place = 0; place < BLOCK; place += 1) {
    const at = (place >> 3) * stride + (place & 7);
    if (colors[at + left] !== colors[at + other]) return false;
  }
  return true;
}

/**
 * Takes a block as brightness and two differences of colour (BT.601, full range, around 0). True where it has one colour: then
 * only what its transform has, the average, is there.
 */
function readBlock(
  colors: Uint32Array,
  stride: number,
  left: number,
  planes: readonly Float64Array[],
): boolean {
  const [luma, blueness, redness] = planes as [Float64Array, Float64Array, Float64Array];
  const first = colors[left] ?? 0;
  let flat = true;
  for (let place = 0; place < BLOCK && flat; place += 1)
    flat = colors[(place >> 3) * stride + left + (place & 7)] === first;
  const scale = flat ? SIDE : 1;
  for (let place = 0; place < (flat ? 1 : BLOCK); place += 1) {
    const color = colors[(place >> 3) * stride + left + (place & 7)] ?? 0;
    const [red, green, blue] = [color >> 16, (color >> 8) & 255, color & 255];
    const light = 0.299 * red + 0.587 * green + 0.114 * blue;
    luma[place] = scale * (light - 128);
    blueness[place] = (scale * (blue - light)) / 1.772;
    redness[place] = (scale * (red - light)) / 1.402;
  }
  return flat;
}

/** The cosine transform in two dimensions, in place: rows, then columns. */
function transform(plane: Float64Array, rows: Float64Array): void {
  for (let y = 0; y < BLOCK; y += SIDE) turn(plane, y, 1, rows);
  for (let x = 0; x < SIDE; x += 1) turn(rows, x, SIDE, plane);
}

/** The transform of eight numbers that stand `step` apart. */
function turn(from: Float64Array, at: number, step: number, to: Float64Array): void {
  for (let frequency = 0; frequency < SIDE; frequency += 1) {
    let sum = 0;
    for (let place = 0; place < SIDE; place += 1)
      sum += (from[at + place * step] ?? 0) * (WAVES[frequency * SIDE + place] ?? 0);
    to[at + frequency * step] = sum;
  }
}

/** Writes a block and gives its average, from which the next one's is counted. */
function writeBlock(bits: Bits, coefficients: Float64Array, before: number, flat: boolean): number {
  const average = Math.round((coefficients[0] ?? 0) / (STEPS[0] ?? 1));
  writeNumber(bits, AVERAGES, 0, average - before);
  let zeros = 0;
  for (let index = 1; index < BLOCK && !flat; index += 1) {
    const value = Math.round((coefficients[ZIGZAG[index] ?? 0] ?? 0) / (STEPS[index] ?? 1));
    if (value === 0) {
      zeros += 1;
      continue;
    }
    for (; zeros > 15; zeros -= 16) writeSymbol(bits, COEFFICIENTS, SIXTEEN_ZEROS);
    writeNumber(bits, COEFFICIENTS, zeros << 4, value);
    zeros = 0;
  }
  if (zeros > 0 || flat) writeSymbol(bits, COEFFICIENTS, 0);
  return average;
}

/** A symbol that says how many bits a number has, then these; a negative one is one less, its sign bit 0. */
function writeNumber(bits: Bits, codes: Codes, high: number, value: number): void {
  const size = 32 - Math.clz32(Math.abs(value));
  writeSymbol(bits, codes, high | size);
  if (size > 0) bits.put(value < 0 ? value + (1 << size) - 1 : value, size);
}

function writeSymbol(bits: Bits, { codes, bits: sizes }: Codes, symbol: number): void {
  bits.put(codes[symbol] ?? 0, sizes[symbol] ?? 0);
}

type Bits = ReturnType<typeof createBits>;

/** Bits from the highest on; a byte of ones is followed by a zero, so that it is no marker. */
function createBits() {
  const list = createByteList();
  let [kept, count] = [0, 0];
  const put = (value: number, size: number): void => {
    kept = (kept << size) | value;
    for (count += size; count >= 8; count -= 8) {
      const byte = (kept >> (count - 8)) & 255;
      list.put(byte);
      if (byte === 0xff) list.put(0);
    }
    kept &= (1 << count) - 1;
  };
  return {
    put,
    /** All bytes; the last one is filled up with ones. */
    finish(): Buffer {
      if (count > 0) put((1 << (8 - count)) - 1, 8 - count);
      return list.bytes();
    },
  };
}

function diagonalOf(place: number): number {
  return (place >> 3) + (place & 7);
}

/** Even diagonals go up, odd ones down. */
function alongDiagonal(place: number): number {
  return diagonalOf(place) % 2 === 0 ? place & 7 : place >> 3;
}
