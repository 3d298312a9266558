import { writeFrame } from "../../base/sse.ts";
import type { WireFrame } from "../../protocols/translation.ts";

/** Puts a stream's frames on the wire. */
export interface FrameWriter {
  frame(frame: WireFrame): string;
  /** What closes the stream, or "". */
  end(): string;
}

/** Server-sent events. */
export const EVENT_WRITER: FrameWriter = {
  frame: ({ data, name }) => writeFrame(data, name === "" ? undefined : name),
  end: () => "",
};

/** The elements of one JSON array: the native protocol's stream without `alt=sse`. */
export function openArrayWriter(): FrameWriter {
  let begun = false;
  return {
    frame({ data }) {
      const head = begun ? ",\r\n" : "[";
      begun = true;
      return head + data;
    },
    end: () => (begun ? "]" : "[]"),
  };
}
