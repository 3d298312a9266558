import { readFile } from "node:fs/promises";
import { drawPicture, type Image } from "./draw.ts";
import { FRAMES_PER_SECOND, type LastFrameSpec, type VideoSpec } from "./file-spec.ts";
import { notesOf } from "./image.ts";
import { type EncodedGroup, writeMp4 } from "./mp4.ts";
import { writePng } from "./png.ts";

/** Frames of a stored group of images: half a second, so that whole groups make whole seconds. */
export const GROUP_FRAMES = FRAMES_PER_SECOND / 2;

/** The groups by size, "1280x720"; the script beside the tests that writes them is `npm run sandbox:videos`. */
const STORED = new URL("../../../video-groups.json", import.meta.url);

/** A group in the file's form, binary parts in Base64. */
export interface StoredGroup {
  /** The parameters that a player needs to decode the frames: the content of an `avcC` box. */
  config: string;
  /** H.264, each unit behind its length; the first is a key frame. */
  frames: readonly string[];
}

/** An MP4 of exactly these seconds and pixels: the stored group over and over, and a silent track where sound is wanted. */
export async function makeVideo(spec: VideoSpec): Promise<Buffer> {
  const { width, height, seconds, sound } = spec;
  const group = await storedGroup(width, height);
  const { Title: title, Comment: comment } = notesOf(spec);
  return writeMp4({ width, height, seconds, sound, group, title, comment });
}

/** The image the video of the same numbers ends with, as a PNG. */
export function makeLastFrame(spec: LastFrameSpec): Promise<Buffer> {
  const frames = Math.round(spec.seconds * FRAMES_PER_SECOND);
  const image = drawFrame(spec.width, spec.height, (frames - 1) % GROUP_FRAMES);
  return writePng(image, notesOf(spec));
}

/** A frame of the stored group of this size: nothing of it depends on an order but its size; a bar grows from frame to frame. */
export function drawFrame(width: number, height: number, index: number): Image {
  return drawPicture({
    width,
    height,
    text: "Faregate sandbox",
    caption: `${width}x${height}`,
    seed: width * height,
    bar: (index + 1) / GROUP_FRAMES,
  });
}

async function storedGroup(width: number, height: number): Promise<EncodedGroup> {
  const groups = JSON.parse(await readFile(STORED, "utf8")) as Readonly<Record<string, StoredGroup>>;
  const stored = groups[`${width}x${height}`];
  if (stored === undefined) throw new Error(`no video of ${width}x${height} is stored`);
  const bytesOf = (text: string): Buffer => Buffer.from(text, "base64");
  return { config: bytesOf(stored.config), frames: stored.frames.map(bytesOf) };
}
