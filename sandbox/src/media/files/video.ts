import HME from "h264-mp4-encoder";
import {
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from "mediabunny";
import { AAC_CONFIG, SAMPLE_RATE, SAMPLES_PER_FRAME, SILENT_AAC_FRAME } from "./audio.ts";
import { FRAMES_PER_SECOND, type LastFrameSpec, type VideoSpec } from "./file-spec.ts";
import { drawPixels, encodePixels } from "./image.ts";
import { decodeYuv, encodeYuv } from "./yuv.ts";

/**
 * Frames that are truly encoded; the rest of a video repeats them. A frame of 720p takes 10 ms, so that
 * thirty seconds cost what half a second costs. A frame later than the first adds some hundred bytes.
 */
const GROUP_FRAMES = FRAMES_PER_SECOND / 2;
/** Coarse enough that a full HD picture takes 20 KB, fine enough that text stays sharp. */
const QUANTIZATION = 30;
const FASTEST = 10;
/** What a bar at the bottom shows in: a frame's place in its group. */
const BAR_LUMA = 235;

/** The encoded group, and what a player must know to decode it. */
interface Group {
  packets: EncodedPacket[];
  config: Awaited<ReturnType<typeof readConfig>>;
}

/** An MP4 of exactly these seconds and pixels: H.264, and a silent AAC track where sound is wanted. */
export async function makeVideo(spec: VideoSpec): Promise<Buffer> {
  const group = await encodeGroup(spec);
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const picture = new EncodedVideoPacketSource("avc");
  output.addVideoTrack(picture, { frameRate: FRAMES_PER_SECOND });
  const sound = spec.sound ? new EncodedAudioPacketSource("aac") : undefined;
  if (sound !== undefined) output.addAudioTrack(sound);
  await output.start();
  // A track that ends lets the other go on: writers wait for the slower one.
  await Promise.all([addPicture(picture, group, spec.seconds), addSound(sound, spec.seconds)]);
  await output.finalize();
  if (target.buffer === null) throw new Error("the MP4 writer gave no bytes");
  return Buffer.from(target.buffer);
}

/** The picture the video of the same numbers ends with, as a PNG. */
export async function makeLastFrame(spec: LastFrameSpec): Promise<Buffer> {
  const { width, height } = spec;
  const frame = encodeYuv(await drawPixels(spec), width, height);
  const frames = Math.round(spec.seconds * FRAMES_PER_SECOND);
  for (let index = 0; index <= (frames - 1) % GROUP_FRAMES; index += 1)
    advanceBar(frame, width, height, index);
  return encodePixels(decodeYuv(frame, width, height), width, height);
}

async function addPicture(source: EncodedVideoPacketSource, group: Group, seconds: number): Promise<void> {
  const frames = Math.round(seconds * FRAMES_PER_SECOND);
  for (let index = 0; index < frames; index += 1) {
    const packet = group.packets[index % GROUP_FRAMES];
    if (packet === undefined) throw new Error("the encoder gave fewer frames than it was given");
    const at = packet.clone({ timestamp: index / FRAMES_PER_SECOND, duration: 1 / FRAMES_PER_SECOND });
    await source.add(at, index === 0 ? { decoderConfig: group.config } : undefined);
  }
  source.close();
}

async function addSound(source: EncodedAudioPacketSource | undefined, seconds: number): Promise<void> {
  if (source === undefined) return;
  const decoderConfig = {
    codec: "mp4a.40.2",
    sampleRate: SAMPLE_RATE,
    numberOfChannels: 1,
    description: AAC_CONFIG,
  };
  const samples = Math.round(seconds * SAMPLE_RATE);
  for (let at = 0; at < samples; at += SAMPLES_PER_FRAME) {
    // The last frame is shown for as long as the video lasts, not for all that it holds.
    const shown = Math.min(SAMPLES_PER_FRAME, samples - at);
    const packet = new EncodedPacket(SILENT_AAC_FRAME, "key", at / SAMPLE_RATE, shown / SAMPLE_RATE);
    await source.add(packet, at === 0 ? { decoderConfig } : undefined);
  }
  source.close();
}

async function encodeGroup(spec: VideoSpec): Promise<Group> {
  const { width, height } = spec;
  const frame = encodeYuv(await drawPixels(spec), width, height);
  const encoder = await HME.createH264MP4Encoder();
  try {
    encoder.width = width;
    encoder.height = height;
    encoder.frameRate = FRAMES_PER_SECOND;
    encoder.speed = FASTEST;
    encoder.quantizationParameter = QUANTIZATION;
    encoder.groupOfPictures = GROUP_FRAMES;
    encoder.initialize();
    for (let index = 0; index < GROUP_FRAMES; index += 1) {
      advanceBar(frame, width, height, index);
      encoder.addFrameYuv(frame);
    }
    encoder.finalize();
    const bytes = encoder.FS.readFile(encoder.outputFilename, { encoding: "binary" });
    encoder.FS.unlink(encoder.outputFilename);
    return await readGroup(bytes);
  } finally {
    encoder.delete();
  }
}

/** Lengthens a bar at the bottom by one step, so that the picture moves. */
function advanceBar(frame: Uint8Array, width: number, height: number, index: number): void {
  const from = Math.floor((index * width) / GROUP_FRAMES);
  const to = Math.floor(((index + 1) * width) / GROUP_FRAMES);
  const top = height - Math.max(2, Math.floor(height / 90));
  for (let row = top; row < height; row += 1) frame.fill(BAR_LUMA, row * width + from, row * width + to);
}

async function readGroup(bytes: Uint8Array): Promise<Group> {
  using input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error("the encoder wrote no video track");
  const packets: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  return { packets, config: await readConfig(track) };
}

async function readConfig(track: NonNullable<Awaited<ReturnType<Input["getPrimaryVideoTrack"]>>>) {
  const config = await track.getDecoderConfig();
  if (config === null) throw new Error("the encoder wrote no decoder configuration");
  return config;
}
