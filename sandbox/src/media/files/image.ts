import sharp from "sharp";
import { drawSvg } from "./draw.ts";
import type { PictureSpec } from "./file-spec.ts";

/** No drawing comes twice, and files are made one at a time: what sharp would keep for that only fills memory. */
sharp.cache(false);
sharp.concurrency(1);

/** Flat colours compress well at any level: the lowest takes a third of the time. */
const PNG = { compressionLevel: 3, adaptiveFiltering: false } as const;
const JPEG = { quality: 85 } as const;
const WEBP = { quality: 80, effort: 0 } as const;

/** A picture of exactly the pixels asked, without alpha. */
export async function makePicture(spec: PictureSpec): Promise<Buffer> {
  const drawn = sharp(Buffer.from(drawSvg(spec))).removeAlpha();
  if (spec.format === "jpeg") return drawn.jpeg(JPEG).toBuffer();
  if (spec.format === "webp") return drawn.webp(WEBP).toBuffer();
  return drawn.png(PNG).toBuffer();
}

/** The bare pixels of a drawing: three bytes each, row by row. */
export async function drawPixels(spec: Parameters<typeof drawSvg>[0]): Promise<Buffer> {
  return sharp(Buffer.from(drawSvg(spec)))
    .removeAlpha()
    .raw()
    .toBuffer();
}

/** Bare pixels as a PNG. */
export async function encodePixels(pixels: Buffer, width: number, height: number): Promise<Buffer> {
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png(PNG)
    .toBuffer();
}
