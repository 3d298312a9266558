import type { MediaPart } from "../../conversation/request.ts";
import { readModelName } from "../json.ts";
import type { OutputText } from "../protocol.ts";

/** Gathers generated text, visible and thought apart, and counts generated media and hidden thoughts. What is not a string is ignored. */
export interface TextSink {
  visible(text: unknown): void;
  reasoning(text: unknown): void;
  media(part: Pick<MediaPart, "media" | "source">): void;
  /** Thoughts of which only this comes, encrypted and in base64. */
  hidden(data: unknown): void;
  /** State of thoughts, which stands for them where no word of any has come. */
  state(data: unknown): void;
  /** The model of the tool that makes images, where its definition names one. */
  imageModel(name: unknown): void;
  /** An image that this tool has made. */
  toolImage(): void;
  /** Returns the text kept so far. */
  text(): OutputText;
}

/** A sink that keeps at most KEPT_CHARS of each kind and the length of the rest. */
export function openTextSink(): TextSink {
  const visible = openKeeper();
  const reasoning = openKeeper();
  let images = 0;
  let audioBytes = 0;
  let toolImages = 0;
  let hiddenLetters = 0;
  let stateLetters = 0;
  let imageModel: string | undefined;
  return {
    visible: visible.add,
    reasoning: reasoning.add,
    media({ media, source }) {
      if (media === "image") images += 1;
      else if (media === "audio" && source.from === "base64") audioBytes += bytesOf(source.data.length);
    },
    hidden(data) {
      if (typeof data === "string") hiddenLetters += data.length;
    },
    state(data) {
      if (typeof data === "string") stateLetters += data.length;
    },
    imageModel(name) {
      if (typeof name === "string") imageModel = readModelName(name);
    },
    toolImage() {
      toolImages += 1;
    },
    text: () => {
      const thoughts = reasoning.kept();
      const hiddenBytes = bytesOf(hiddenLetters + (thoughts === "" ? stateLetters : 0));
      return {
        visible: visible.kept(),
        reasoning: thoughts,
        visibleMore: visible.more() > 0 ? visible.more() : undefined,
        reasoningMore: reasoning.more() > 0 ? reasoning.more() : undefined,
        images: images > 0 ? images : undefined,
        audioBytes: audioBytes > 0 ? audioBytes : undefined,
        hiddenBytes: hiddenBytes > 0 ? hiddenBytes : undefined,
        toolImages: toolImages > 0 ? { count: toolImages, model: imageModel } : undefined,
      };
    },
  };
}

/** Returns the bytes that this many base64 characters encode. */
function bytesOf(letters: number): number {
  return Math.floor((letters * 3) / 4);
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
 * Maximum text kept of a stream, as slow readers must stay below 1 MB each. It is 16k tokens of English; the estimate of a
 * longer text uses the ratio of this part.
 */
const KEPT_CHARS = 64 * 1024;
