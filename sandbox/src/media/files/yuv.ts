/** BT.601 in limited range with 8 fractional bits: what a player assumes where a file does not say. */

/** RGB pixels as planar YUV 4:2:0, what the encoder takes; sides must be even. */
export function encodeYuv(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const area = width * height;
  const yuv = new Uint8Array((area * 3) / 2);
  for (let pixel = 0; pixel < area; pixel += 1) {
    const [red, green, blue] = pixelAt(rgb, pixel);
    yuv[pixel] = 16 + ((66 * red + 129 * green + 25 * blue + 128) >> 8);
  }
  const halfWidth = width / 2;
  for (let row = 0; row < height / 2; row += 1) {
    for (let column = 0; column < halfWidth; column += 1) {
      const [red, green, blue] = pixelAt(rgb, row * 2 * width + column * 2);
      const at = area + row * halfWidth + column;
      yuv[at] = 128 + ((-38 * red - 74 * green + 112 * blue + 128) >> 8);
      yuv[at + area / 4] = 128 + ((112 * red - 94 * green - 18 * blue + 128) >> 8);
    }
  }
  return yuv;
}

/** The way back. */
export function decodeYuv(yuv: Uint8Array, width: number, height: number): Buffer {
  const area = width * height;
  const rgb = Buffer.alloc(area * 3);
  const halfWidth = width / 2;
  for (let pixel = 0; pixel < area; pixel += 1) {
    const row = Math.floor(pixel / width);
    const at = area + (row >> 1) * halfWidth + ((pixel - row * width) >> 1);
    const luma = 298 * ((yuv[pixel] ?? 0) - 16);
    const [blueness, redness] = [(yuv[at] ?? 0) - 128, (yuv[at + area / 4] ?? 0) - 128];
    rgb[pixel * 3] = clipped((luma + 409 * redness + 128) >> 8);
    rgb[pixel * 3 + 1] = clipped((luma - 100 * blueness - 208 * redness + 128) >> 8);
    rgb[pixel * 3 + 2] = clipped((luma + 516 * blueness + 128) >> 8);
  }
  return rgb;
}

function pixelAt(rgb: Uint8Array, pixel: number): [red: number, green: number, blue: number] {
  return [rgb[pixel * 3] ?? 0, rgb[pixel * 3 + 1] ?? 0, rgb[pixel * 3 + 2] ?? 0];
}

function clipped(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}
