/** The content and size of a file: everything its bytes depend on, so that equal specs are one file. */
export type FileSpec = PictureSpec | VideoSpec | LastFrameSpec | SoundSpec;

interface Drawing {
  /** Sides in pixels; of videos one of the sizes that are stored. */
  width: number;
  height: number;
  /** Drawn on an image and written in its notes, a video's title; cut to MAX_DRAWN_CHARACTERS. */
  text: string;
  /** The description: a line at the bottom of an image, in a video's comment. */
  caption: string;
  /** An image's colours follow from it. */
  seed: number;
}

export interface PictureSpec extends Drawing {
  kind: "image";
  format: PictureFormat;
}

export interface VideoSpec extends Drawing {
  kind: "video";
  seconds: number;
  sound: boolean;
}

/** The image a video of these numbers ends with. */
export interface LastFrameSpec extends Omit<VideoSpec, "kind" | "sound"> {
  kind: "last-frame";
}

/** A WAV file with one tone. */
interface SoundSpec {
  kind: "sound";
  seconds: number;
}

export type PictureFormat = "png" | "jpeg" | "webp";

/** More would not be readable on the smallest image. */
const MAX_DRAWN_CHARACTERS = 400;

export function drawnText(text: string): string {
  return text.slice(0, MAX_DRAWN_CHARACTERS);
}

export interface MadeFile {
  bytes: Buffer;
  /** Strong validator: a digest of the bytes. */
  etag: string;
}

export const FRAMES_PER_SECOND = 24;
