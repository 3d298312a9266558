export interface Size {
  width: number;
  height: number;
}

type Tier = "1k" | "2k" | "4k";

/** Pixels of an image by ratio and tier, as the specification lists them. */
const PICTURE_SIZES: Readonly<Record<string, Record<Tier, string>>> = {
  "1:1": { "1k": "1248x1248", "2k": "2048x2048", "4k": "2880x2880" },
  "16:9": { "1k": "1680x944", "2k": "2048x1152", "4k": "3840x2160" },
  "9:16": { "1k": "944x1680", "2k": "1152x2048", "4k": "2160x3840" },
  "4:3": { "1k": "1024x768", "2k": "2048x1536", "4k": "3312x2480" },
  "3:4": { "1k": "768x1024", "2k": "1536x2048", "4k": "2480x3312" },
  "3:2": { "1k": "1536x1024", "2k": "2048x1360", "4k": "3520x2336" },
  "2:3": { "1k": "1024x1536", "2k": "1360x2048", "4k": "2336x3520" },
  "5:4": { "1k": "1440x1088", "2k": "2560x2048", "4k": "3216x2576" },
  "4:5": { "1k": "1120x1408", "2k": "2048x2560", "4k": "2576x3216" },
  "21:9": { "1k": "1920x816", "2k": "2688x1152", "4k": "3840x1648" },
  "9:21": { "1k": "816x1920", "2k": "1152x2688", "4k": "1648x3840" },
  "2:1": { "1k": "1776x880", "2k": "2688x1344", "4k": "3840x1920" },
  "1:2": { "1k": "880x1776", "2k": "1344x2688", "4k": "1920x3840" },
  "3:1": { "1k": "1536x512", "2k": "3072x1024", "4k": "3840x1280" },
  "1:3": { "1k": "512x1536", "2k": "1024x3072", "4k": "1280x3840" },
};

/** Below nothing can be drawn; above one image would take more memory than everything else. */
const MIN_SIDE = 16;
const MAX_SIDE = 8_192;

/** Pixels of an image whose size is a listed ratio or `<width>x<height>`; undefined for anything else. */
export function pictureSize(size: string, tier: string): Size | undefined {
  const listed = PICTURE_SIZES[size]?.[tier as Tier];
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(listed ?? size) ?? [];
  const found = { width: Number(width), height: Number(height) };
  const sides = [found.width, found.height];
  return sides.every((side) => side >= MIN_SIDE && side <= MAX_SIDE) ? found : undefined;
}

/** Those of which groups of images are stored; a family takes some of them. */
export const VIDEO_RESOLUTIONS: readonly string[] = ["480p", "720p", "768p", "1080p"];
export const VIDEO_RATIOS: readonly string[] = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];

/** The ratio a video can have that is closest to these sides. */
export function nearestRatio({ width, height }: Size): string {
  const distance = (ratio: string): number => Math.abs(Math.log(width / height / shareOf(ratio)));
  return VIDEO_RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** Width by height. */
function shareOf(ratio: string): number {
  const [across = 1, down = 1] = ratio.split(":").map(Number);
  return across / down;
}

/** Pixels of a video of a listed ratio: the short side is the resolution's number, the other the nearest even number. */
export function videoSize(resolution: string, ratio: string): Size {
  if (!VIDEO_RESOLUTIONS.includes(resolution)) throw new Error(`no video of ${resolution} is stored`);
  const short = Number.parseInt(resolution, 10);
  const share = shareOf(ratio);
  const long = 2 * Math.round((short * Math.max(share, 1 / share)) / 2);
  return share >= 1 ? { width: long, height: short } : { width: short, height: long };
}
