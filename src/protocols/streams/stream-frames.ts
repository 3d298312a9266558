import { openFrameScanner, readFrame, writeFrame } from "../../base/sse.ts";
import type { WireFrame } from "../translation.ts";

/** Cuts an upstream's bytes, as they come, into the frames that `decodeStream` reads. */
export interface FrameReader {
  write(chunk: Buffer): readonly WireFrame[];
  /** No more bytes: what was begun counts as a frame. */
  end(): readonly WireFrame[];
}

/** As a plain answer: images of the largest kind come to 25 MB in one event. */
const LARGEST_FRAME_BYTES = 96 * 1024 * 1024;

/** More than any answer is, of which nothing can be left out: the caller would miss it without a word. */
export class OversizedResponse extends RangeError {
  override readonly name = "OversizedAnswer";
}

/** `write` throws OversizedAnswer. */
export function openFrameReader(): FrameReader {
  let frames: WireFrame[] = [];
  const scanner = openFrameScanner(
    {
      frame(buffer, start, end) {
        const frame = readFrame(buffer.toString("utf8", start, end));
        if (frame.data !== "") frames.push(frame);
      },
      oversized() {
        throw new OversizedResponse(`an event of more than ${LARGEST_FRAME_BYTES} bytes`);
      },
    },
    LARGEST_FRAME_BYTES,
  );
  function take(): readonly WireFrame[] {
    const taken = frames;
    frames = [];
    return taken;
  }
  return {
    write(chunk) {
      scanner.write(chunk);
      return take();
    },
    end() {
      scanner.end();
      return take();
    },
  };
}

/** Frames as a caller's bytes. */
export function writeFrames(frames: readonly WireFrame[]): string {
  return frames.map(({ name, data }) => writeFrame(data, name)).join("");
}
