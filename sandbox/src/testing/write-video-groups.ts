import HME from "h264-mp4-encoder";
import { BufferSource, EncodedPacketSink, Input, MP4 } from "mediabunny";
import { type Image, paintRow } from "../media/files/draw.ts";
import { FRAMES_PER_SECOND } from "../media/files/file-spec.ts";
import { drawFrame, GROUP_FRAMES, type StoredGroup } from "../media/files/video.ts";
import { VIDEO_RATIOS, VIDEO_RESOLUTIONS, videoSize } from "../media/pixels.ts";

/**
 * Writes `sandbox/video-groups.json` to the standard output: of every size that a video can have the frames that the sandbox
 * repeats, encoded once so that no encoder is needed where it runs. With a size, "480x480", only that.
 */

/** Coarse enough that a frame of full HD takes few KB, fine enough that text stays readable. */
const QUANTIZATION = 40;
/** The slowest: it runs once. */
const SPEED = 0;

const [only] = process.argv.slice(2);
const groups: Record<string, StoredGroup> = {};
for (const resolution of VIDEO_RESOLUTIONS)
  for (const ratio of VIDEO_RATIOS) {
    const { width, height } = videoSize(resolution, ratio);
    const name = `${width}x${height}`;
    if (only === undefined || only === name) groups[name] = await encodeGroup(width, height);
  }
process.stdout.write(`${JSON.stringify(groups, null, 2)}\n`);

async function encodeGroup(width: number, height: number): Promise<StoredGroup> {
  const encoder = await HME.createH264MP4Encoder();
  encoder.width = width;
  encoder.height = height;
  encoder.frameRate = FRAMES_PER_SECOND;
  encoder.speed = SPEED;
  encoder.quantizationParameter = QUANTIZATION;
  encoder.groupOfPictures = GROUP_FRAMES;
  encoder.initialize();
  for (let index = 0; index < GROUP_FRAMES; index += 1)
    encoder.addFrameYuv(encodeYuv(drawFrame(width, height, index)));
  encoder.finalize();
  const bytes = encoder.FS.readFile(encoder.outputFilename, { encoding: "binary" });
  encoder.FS.unlink(encoder.outputFilename);
  encoder.delete();
  return readGroup(bytes);
}

/**
 * Encodes planar YUV 4:2:0 in BT.601 of limited range, 8 fractional bits: players assume it if a file does not state
 * its own.
 */
function encodeYuv({ width, height, row }: Image): Uint8Array {
  const colors = new Uint32Array(width * height);
  for (let y = 0; y < height; y += 1) paintRow(row(y), width, colors, y * width);
  const weighted = (color: number, red: number, green: number, blue: number): number =>
    (red * (color >> 16) + green * ((color >> 8) & 255) + blue * (color & 255) + 128) >> 8;
  // One of four pixels has the differences of colour.
  const quarter = colors.filter((_, pixel) => pixel % 2 === 0 && Math.floor(pixel / width) % 2 === 0);
  return Buffer.concat([
    Uint8Array.from(colors, (color) => 16 + weighted(color, 66, 129, 25)),
    Uint8Array.from(quarter, (color) => 128 + weighted(color, -38, -74, 112)),
    Uint8Array.from(quarter, (color) => 128 + weighted(color, 112, -94, -18)),
  ]);
}

async function readGroup(bytes: Uint8Array): Promise<StoredGroup> {
  using input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const description = (await track?.getDecoderConfig())?.description;
  if (track === null || !(description instanceof Uint8Array))
    throw new Error("the encoder wrote no video track that can be decoded");
  const frames: string[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) frames.push(base64(packet.data));
  if (frames.length !== GROUP_FRAMES)
    throw new Error("the encoder gave another number of frames than it was given");
  return { config: base64(description), frames };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
