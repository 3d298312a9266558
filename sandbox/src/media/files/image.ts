import { type Drawing, drawPicture } from "./draw.ts";
import type { PictureSpec } from "./file-spec.ts";
import { writeJpeg } from "./jpeg.ts";
import { writePng } from "./png.ts";
import { writeWebp } from "./webp.ts";

/** An image of exactly the pixels asked, without alpha. */
export function makePicture(spec: PictureSpec): Promise<Buffer> | Buffer {
  const image = drawPicture(spec);
  switch (spec.format) {
    case "png":
      return writePng(image, notesOf(spec));
    case "jpeg":
      return writeJpeg(image);
    case "webp":
      return writeWebp(image);
  }
}

/**
 * The notes inside of a file: the whole text, of which small images show only the beginning, and the facts that
 * distinguish it.
 */
export function notesOf({ text, caption, seed }: Pick<Drawing, "text" | "caption" | "seed">) {
  return { Title: text, Comment: `${caption}, seed ${seed}` };
}
