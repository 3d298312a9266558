import type { MediaPart } from "../../conversation/request.ts";
import { readModelName } from "../model-name.ts";
import type { OutputText } from "../protocol.ts";

/** Gathers generated text, visible and thought apart, and counts generated media. What is not a string is ignored. */
export interface TextSink {
  visible(text: unknown): void;
  reasoning(text: unknown): void;
  media(part: Pick<MediaPart, "media" | "source">): void;
  /** The model of the tool that makes images, where its definition names one. */
  imageModel(name: unknown): void;
  /** An image that this tool has made. */
  toolImage(): void;
  /** What it has kept so far. */
  text(): OutputText;
}

/** A sink that keeps at most KEPT_CHARS of each kind and the length of the rest. */
export function openTextSink(): TextSink {
  const visible = openKeeper();
  const reasoning = openKeeper();
  let images = 0;
  let audioBytes = 0;
  let toolImages = 0;
  let imageModel: string | undefined;
  return {
    visible: visible.add,
    reasoning: reasoning.add,
    media({ media, source }) {
      if (media === "image") images += 1;
      else if (media === "audio" && source.from === "base64")
        audioBytes += Math.floor((source.data.length * 3) / 4);
    },
    imageModel(name) {
      if (typeof name === "string") imageModel = readModelName(name);
    },
    toolImage() {
      toolImages += 1;
    },
    text: () => ({
      visible: visible.kept(),
      reasoning: reasoning.kept(),
      visibleMore: visible.more() > 0 ? visible.more() : undefined,
      reasoningMore: reasoning.more() > 0 ? reasoning.more() : undefined,
      images: images > 0 ? images : undefined,
      audioBytes: audioBytes > 0 ? audioBytes : undefined,
      toolImages: toolImages > 0 ? { count: toolImages, model: imageModel } : undefined,
    }),
  };
}

function openKeeper() {
  let kept = "";
  let more = 0;
  return {
    add(text: unknown): void {
      if (typeof text !== "string") return;
      const room = KEPT_CHARS - kept.length;
      // A whole string is appended as it is: cutting would copy.
      kept += text.length <= room ? text : text.slice(0, room);
      more += Math.max(0, text.length - room);
    },
    kept: () => kept,
    more: () => more,
  };
}

/**
 * What a stream may hold of its text, as slow readers must stay below 1 MB each. It is 16k tokens of
 * English; an estimate of a longer text goes by the ratio of this much.
 */
const KEPT_CHARS = 64 * 1024;
