import { AAC_CONFIG, SAMPLE_RATE, SAMPLES_PER_FRAME, SILENT_AAC_FRAME } from "./audio.ts";
import { FRAMES_PER_SECOND } from "./file-spec.ts";

export interface EncodedGroup {
  /** The content of an `avcC` box. */
  config: Buffer;
  /** The first is a key frame, and none is shown in another order. */
  frames: readonly Buffer[];
}

export interface Movie {
  width: number;
  height: number;
  seconds: number;
  sound: boolean;
  /** Repeated until the movie is over. */
  group: EncodedGroup;
  title: string;
  comment: string;
}

/** A track as its samples, and by how many of them at a time they lie in the file. */
interface Track {
  kind: "image" | "sound";
  /** Units of a second, and how many of them a sample is shown. */
  timescale: number;
  step: number;
  /** The duration of the whole track: the last sample is shown for the rest. */
  duration: number;
  samples: readonly Buffer[];
  /** Sizes of its chunks, in samples. */
  chunks: readonly number[];
  description: Buffer;
  width: number;
  height: number;
}

interface Chunk {
  track: Track;
  bytes: Buffer;
}

const MOVIE_TIMESCALE = 1_000;
/** Units of a frame: any number, as long as there are no fractions. */
const FRAME_STEP = 1_000;
/** Neither rotated nor scaled: 16.16 and 2.30 fixed point. */
const UNITY = uint32s([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]);
const UNDETERMINED_LANGUAGE = 0x55c4;

/**
 * An MP4 (ISO 14496-12) whose tables stand before its samples, so that a player can begin before it has all. Image and sound
 * alternate, a group of images at a time.
 */
export function writeMp4(movie: Movie): Buffer {
  const tracks = [pictureTrack(movie), ...(movie.sound ? [soundTrack(movie)] : [])];
  const chunks = interleaved(tracks);
  const type = box("ftyp", text("isom"), uint32s([0x200]), text("isomiso2avc1mp41"));
  // Tables are as long wherever the samples lie.
  const samplesAt = type.length + moov(movie, tracks, chunks, 0).length + BOX_HEAD;
  return Buffer.concat([
    type,
    moov(movie, tracks, chunks, samplesAt),
    box("mdat", ...chunks.map(({ bytes }) => bytes)),
  ]);
}

function pictureTrack({ width, height, seconds, group }: Movie): Track {
  const count = Math.round(seconds * FRAMES_PER_SECOND);
  const samples = Array.from({ length: count }, (_, index) => group.frames[index % group.frames.length]);
  return {
    kind: "image",
    timescale: FRAMES_PER_SECOND * FRAME_STEP,
    step: FRAME_STEP,
    duration: count * FRAME_STEP,
    samples: samples.filter((sample) => sample !== undefined),
    chunks: chunked(count, group.frames.length),
    description: videoDescription(width, height, group.config),
    width,
    height,
  };
}

function soundTrack({ seconds, group }: Movie): Track {
  const duration = Math.round(seconds * SAMPLE_RATE);
  const count = Math.ceil(duration / SAMPLES_PER_FRAME);
  const perGroup = (group.frames.length / FRAMES_PER_SECOND) * (SAMPLE_RATE / SAMPLES_PER_FRAME);
  return {
    kind: "sound",
    timescale: SAMPLE_RATE,
    step: SAMPLES_PER_FRAME,
    duration,
    samples: new Array<Buffer>(count).fill(Buffer.from(SILENT_AAC_FRAME)),
    chunks: chunked(count, Math.ceil(perGroup)),
    description: soundDescription(),
    width: 0,
    height: 0,
  };
}

function chunked(count: number, most: number): number[] {
  return Array.from({ length: Math.ceil(count / most) }, (_, index) => Math.min(most, count - index * most));
}

/** Chunks in the order of the file: one of each track in turn. */
function interleaved(tracks: readonly Track[]): Chunk[] {
  const rounds = Math.max(...tracks.map(({ chunks }) => chunks.length));
  const taken = new Map(tracks.map((track) => [track, 0]));
  return Array.from({ length: rounds }, (_, round) => round).flatMap((round) =>
    tracks.flatMap((track) => {
      const [size, from] = [track.chunks[round], taken.get(track) ?? 0];
      if (size === undefined) return [];
      taken.set(track, from + size);
      return [{ track, bytes: Buffer.concat(track.samples.slice(from, from + size)) }];
    }),
  );
}

function moov(movie: Movie, tracks: readonly Track[], chunks: readonly Chunk[], samplesAt: number): Buffer {
  const offsets = new Map<Track, number[]>(tracks.map((track) => [track, []]));
  let at = samplesAt;
  for (const { track, bytes } of chunks) {
    offsets.get(track)?.push(at);
    at += bytes.length;
  }
  const duration = Math.round(movie.seconds * MOVIE_TIMESCALE);
  const header = fullBox(
    "mvhd",
    0,
    uint32s([0, 0, MOVIE_TIMESCALE, duration]),
    // Rate and volume 1, then reserved bytes.
    uint32s([0x10000, 0x1000000, 0, 0]),
    UNITY,
    uint32s([0, 0, 0, 0, 0, 0, tracks.length + 1]),
  );
  const traks = tracks.map((track, index) => trak(track, index + 1, duration, offsets.get(track) ?? []));
  return box("moov", header, ...traks, box("udta", notes(movie)));
}

function trak(track: Track, id: number, movieDuration: number, offsets: readonly number[]): Buffer {
  const sound = track.kind === "sound";
  const header = fullBox(
    "tkhd",
    // Enabled, in the movie.
    3,
    uint32s([0, 0, id, 0, movieDuration, 0, 0]),
    uint16s([0, sound ? 1 : 0, sound ? 0x100 : 0, 0]),
    UNITY,
    uint32s([track.width * 0x10000, track.height * 0x10000]),
  );
  const media = fullBox("mdhd", 0, uint32s([0, 0, track.timescale, track.duration]), LANGUAGE);
  const handler = fullBox(
    "hdlr",
    0,
    uint32s([0]),
    text(sound ? "soun" : "vide"),
    uint32s([0, 0, 0]),
    text("\0"),
  );
  const kindHeader = sound ? fullBox("smhd", 0, uint32s([0])) : fullBox("vmhd", 1, uint32s([0, 0]));
  // The samples are in this file.
  const reference = box("dinf", fullBox("dref", 0, uint32s([1]), fullBox("url ", 1)));
  const table = sampleTable(track, offsets);
  return box("trak", header, box("mdia", media, handler, box("minf", kindHeader, reference, table)));
}

function sampleTable(
  { kind, samples, chunks, step, duration, description }: Track,
  offsets: readonly number[],
) {
  const count = samples.length;
  const last = duration - (count - 1) * step;
  const times = [count - 1, step, 1, last].slice(count === 1 ? 2 : 0);
  const sizes = chunks.flatMap((size, index) => (size === chunks[index - 1] ? [] : [[index + 1, size, 1]]));
  const keys = samples.flatMap((sample, index) => (sample === samples[0] ? [index + 1] : []));
  return box(
    "stbl",
    fullBox("stsd", 0, uint32s([1]), description),
    fullBox("stts", 0, uint32s([times.length / 2, ...times])),
    // Without this table every sample is a key, as in sound.
    ...(kind === "image" ? [fullBox("stss", 0, uint32s([keys.length, ...keys]))] : []),
    fullBox("stsc", 0, uint32s([sizes.length, ...sizes.flat()])),
    fullBox("stsz", 0, uint32s([0, count, ...samples.map(({ length }) => length)])),
    fullBox("stco", 0, uint32s([offsets.length, ...offsets])),
  );
}

/** The beginning of every description: reserved bytes, and the first data reference. */
const ENTRY_HEAD = uint16s([0, 0, 0, 1]);
const LANGUAGE = uint16s([UNDETERMINED_LANGUAGE, 0]);

function videoDescription(width: number, height: number, config: Buffer): Buffer {
  return box(
    "avc1",
    ENTRY_HEAD,
    Buffer.alloc(16),
    uint16s([width, height]),
    // 72 dots an inch both ways, one frame a sample, no name, 24 bits deep, no table of colours.
    uint32s([0x480000, 0x480000, 0]),
    uint16s([1]),
    Buffer.alloc(32),
    uint16s([24, 0xffff]),
    box("avcC", config),
  );
}

/** One channel of AAC; what a player must know stands in descriptors within each other (ISO 14496-1). */
function soundDescription(): Buffer {
  const stream = [0x40, 0x15, 0, 0, 0, ...uint32s([0, 0]), ...descriptor(5, [...AAC_CONFIG])];
  const element = descriptor(3, [0, 1, 0, ...descriptor(4, stream), ...descriptor(6, [2])]);
  const head = [uint32s([0, 0]), uint16s([1, 16, 0, 0]), uint32s([SAMPLE_RATE * 0x10000])];
  return box("mp4a", ENTRY_HEAD, ...head, fullBox("esds", 0, Buffer.from(element)));
}

function descriptor(tag: number, content: readonly number[]): number[] {
  return [tag, content.length, ...content];
}

/** Title and comment where players look for them. */
function notes({ title, comment }: Movie): Buffer {
  const note = (name: string, value: string) =>
    box(name, box("data", uint32s([1, 0]), Buffer.from(value, "utf8")));
  const handler = fullBox("hdlr", 0, uint32s([0]), text("mdirappl"), uint32s([0, 0]), text("\0"));
  return fullBox("meta", 0, handler, box("ilst", note("\xa9nam", title), note("\xa9cmt", comment)));
}

const BOX_HEAD = 8;

function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const length = contents.reduce((sum, content) => sum + content.length, BOX_HEAD);
  return Buffer.concat([uint32s([length]), text(type), ...contents]);
}

/** A box of version 0 with flags. */
function fullBox(type: string, flags: number, ...contents: readonly Buffer[]): Buffer {
  return box(type, uint32s([flags]), ...contents);
}

function text(characters: string): Buffer {
  return Buffer.from(characters, "latin1");
}

function uint32s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function uint16s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}
