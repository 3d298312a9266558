import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";

/** The facts in a file, read by none of the code that wrote it. */
export interface PictureProbe {
  format: "png" | "jpeg" | "webp";
  width: number;
  height: number;
}

/** Reads an image's header byte by byte. */
export function probePicture(bytes: Buffer): PictureProbe {
  if (bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex")))
    return { format: "png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  // Without losses: each side less one, in 14 bits behind the signature.
  if (bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 12, 16) === "VP8L")
    return {
      format: "webp",
      width: (bytes.readUInt32LE(21) & 0x3fff) + 1,
      height: ((bytes.readUInt32LE(21) >> 14) & 0x3fff) + 1,
    };
  if (bytes.readUInt16BE(0) !== 0xffd8) throw new Error("this is no image");
  let at = 2;
  while (at < bytes.length) {
    const marker = bytes.readUInt16BE(at);
    // Start of frame: the marker that holds the size (0xffc4 and 0xffcc are tables).
    if (marker >= 0xffc0 && marker <= 0xffc3)
      return { format: "jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  throw new Error("the JPEG has no frame");
}

export interface BoxProbe {
  /** Seconds, as the movie header and each track's media header say. */
  movieSeconds: number;
  tracks: { codec: string; seconds: number; samples: number; width: number; height: number }[];
}

/** Walks an MP4's boxes: durations, codecs and sizes as they are written down. */
export function probeBoxes(bytes: Buffer): BoxProbe {
  const moov = one(boxes(bytes), "moov");
  const movie = durationOf(one(boxes(moov), "mvhd"));
  const tracks = boxes(moov).flatMap(([type, trak]) => {
    if (type !== "trak") return [];
    const header = one(boxes(trak), "tkhd");
    const media = boxes(one(boxes(trak), "mdia"));
    const table = boxes(one(boxes(one(media, "minf")), "stbl"));
    return [
      {
        codec: one(table, "stsd").toString("latin1", 12, 16),
        seconds: durationOf(one(media, "mdhd")),
        samples: one(table, "stsz").readUInt32BE(8),
        width: header.readUInt32BE(header.length - 8) / 65_536,
        height: header.readUInt32BE(header.length - 4) / 65_536,
      },
    ];
  });
  return { movieSeconds: movie, tracks };
}

type Box = [type: string, content: Buffer];

function boxes(bytes: Buffer): Box[] {
  const found: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) throw new Error(`a box at ${at} does not fit`);
    found.push([bytes.toString("latin1", at + 4, at + 8), bytes.subarray(at + 8, at + size)]);
    at += size;
  }
  return found;
}

function one(among: readonly Box[], type: string): Buffer {
  const found = among.find(([known]) => known === type);
  if (found === undefined) throw new Error(`there is no ${type} box`);
  return found[1];
}

/** Reads the duration of an mvhd or mdhd box of version 0 or 1. */
function durationOf(header: Buffer): number {
  if (header[0] === 1) return Number(header.readBigUInt64BE(24)) / header.readUInt32BE(20);
  return header.readUInt32BE(16) / header.readUInt32BE(12);
}

export interface VideoProbe {
  videoCodec: string | null;
  audioCodec: string | null;
  width: number;
  height: number;
  seconds: number;
  /** From the codec's own parameter sets. */
  codecString: string | null;
  keyFrames: number;
  frames: number;
  title: string | undefined;
  comment: string | undefined;
}

/** Reads a video as a player would. */
export async function probeVideo(bytes: Buffer): Promise<VideoProbe> {
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  if (video === null) throw new Error("there is no video track");
  const { title, comment } = await input.getMetadataTags();
  let [frames, keyFrames] = [0, 0];
  for await (const packet of new EncodedPacketSink(video).packets(undefined, undefined, {
    verifyKeyPackets: true,
  })) {
    frames += 1;
    if (packet.type === "key") keyFrames += 1;
  }
  return {
    videoCodec: video.codec,
    audioCodec: audio?.codec ?? null,
    width: video.displayWidth,
    height: video.displayHeight,
    seconds: await input.computeDuration(),
    codecString: await video.getCodecParameterString(),
    keyFrames,
    frames,
    title,
    comment,
  };
}
