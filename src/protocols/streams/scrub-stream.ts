import { writeExact } from "../../base/json/exact-json.ts";
import { openFrameScanner, readFrame } from "../../base/sse.ts";
import { type Scrub, scrubWords } from "../errors/scrub-words.ts";
import { asObject, parseWhole, withPlainLetters } from "../json.ts";
import { openArrayScanner } from "./array-scanner.ts";

/**
 * Removes the vendor's own words from whole frames of a stream (or items of a JSON array): comments, errors, and data that is
 * no event of the protocol. Returns the very bytes if nothing was found; frames with only model output stay as they are.
 */
export function scrubStream(bytes: Buffer, form: "sse" | "array", scrub: Scrub): Buffer {
  const pieces: Buffer[] = [];
  let isChanged = false;
  let at = 0;
  const pass = (end: number, scrubbed: string, original: string): void => {
    isChanged ||= scrubbed !== original;
    pieces.push(scrubbed === original ? bytes.subarray(at, end) : Buffer.from(scrubbed));
    at = end;
  };
  if (form === "array") {
    scanItems(bytes, (start, end) => {
      const between = bytes.toString("utf8", at, start);
      pass(start, scrub.text(between), between);
      const item = bytes.toString("utf8", start, end);
      pass(end, scrubEvent(item, "", scrub), item);
    });
    const rest = bytes.toString("utf8", at);
    pass(bytes.length, scrub.text(rest), rest);
  } else {
    // Signs of life repeat themselves, and may be many.
    let last = "";
    let lastTold = "";
    scanFrames(bytes, (end) => {
      const frame = bytes.toString("utf8", at, end);
      if (frame !== last) [last, lastTold] = [frame, scrubFrame(frame, scrub)];
      pass(end, lastTold, frame);
    });
  }
  return isChanged ? Buffer.concat(pieces) : bytes;
}

/**
 * Removes comments, on which some clients fail, from whole frames; a frame of comments alone goes with its blank line. Returns
 * the very bytes if there are none.
 */
export function dropComments(frames: Buffer): Buffer {
  const kept: Buffer[] = [];
  let isChanged = false;
  let at = 0;
  scanFrames(frames, (end) => {
    const frame = frames.toString("latin1", at, end);
    const rest = frame.replace(COMMENT_LINES, "");
    if (rest === frame) kept.push(frames.subarray(at, end));
    else if (ANY_LINE.test(rest)) kept.push(Buffer.from(rest, "latin1"));
    isChanged ||= rest !== frame;
    at = end;
  });
  return isChanged ? Buffer.concat(kept) : frames;
}

/** True if this is the beginning of a large event of a response: what a model wrote, or an image. */
export function beginsResponse(bytes: Buffer): boolean {
  return RESPONSE_FIELD.test(withPlainLetters(bytes.toString("latin1"))) && !beginsError(bytes);
}

/**
 * True if a large event begins as a vendor's error. Only how it begins is looked at: further in, the same words are as
 * likely a model's own, in the arguments of a call.
 */
export function beginsError(bytes: Buffer): boolean {
  return ERROR_BEGINNING.test(withPlainLetters(bytes.toString("latin1", 0, BEGINNING_BYTES)));
}

/** A plain response with the vendor's own words scrubbed; the very bytes where nothing was found. */
export function scrubResponse(body: Buffer, scrub: Scrub): Buffer {
  const text = body.toString("utf8");
  const scrubbed = scrubEvent(text, "", scrub);
  return scrubbed === text ? body : Buffer.from(scrubbed);
}

function scanItems(bytes: Buffer, item: (start: number, end: number) => void): void {
  // One buffer from beginning to end, so that offsets are its own.
  const scanner = openArrayScanner((_, start, end) => item(start, end), { maxItemBytes: bytes.length });
  scanner.write(bytes);
}

function scanFrames(bytes: Buffer, frame: (end: number) => void): void {
  let last = 0;
  const scanner = openFrameScanner(
    {
      frame(_, __, ___, next) {
        last = next;
        frame(next);
      },
    },
    bytes.length,
  );
  scanner.write(bytes);
  if (last < bytes.length) frame(bytes.length);
}

function scrubFrame(frame: string, scrub: Scrub): string {
  const { name, data } = readFrame(frame);
  const scrubbed = scrubEvent(data, name, scrub);
  let isTold = false;
  const lines = frame.split(LINE_END).flatMap((line, at) => {
    // Every second one is the line end that was split at.
    if (at % 2 === 1) return [line];
    const isData = line.replace(BYTE_ORDER_MARK, "").startsWith("data:");
    if (!isData) return [scrub.text(line)];
    if (scrubbed === data) return [line];
    if (isTold) return [];
    isTold = true;
    return [`data: ${scrubbed}`];
  });
  return lines.join("");
}

/** An event's JSON; text that is none is no model's either. */
function scrubEvent(data: string, name: string, scrub: Scrub): string {
  const parsed = parseWhole(data.replace(BYTE_ORDER_MARK, ""));
  const event = asObject(parsed);
  if (event !== undefined) {
    const scrubbed = scrubWords(event, name, scrub);
    return scrubbed === event ? data : (written(scrubbed) ?? scrub.text(data));
  }
  if (!Array.isArray(parsed)) return scrub.text(data);
  const scrubbed = parsed.map((each: unknown) => {
    const item = asObject(each);
    return item === undefined ? scrub.value(each) : scrubWords(item, name, scrub);
  });
  return scrubbed.every((each, at) => each === parsed[at]) ? data : (written(scrubbed) ?? scrub.text(data));
}

/** undefined = longer than a text can be, where escapes make it so: a nest of any depth is written. */
function written(value: unknown): string | undefined {
  try {
    return writeExact(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const RESPONSE_FIELD =
  /"(?:choices|delta|candidates|content_block|message|response|item|part|output|data|text|arguments|input|code|b64_json|partial_image_b64)"\s*:/;
const ERROR_BEGINNING =
  /^event:\s*error\b|^[\s,[]*(?:data:)?[\s[]*\{\s*(?:"type"\s*:\s*"error"|"(?:errors?|detail|base_resp)"\s*:\s*(?!null\b))/m;
/** Vendors name an error first. */
const BEGINNING_BYTES = 512;
const COMMENT_LINES = /^:[^\r\n]*(?:\r\n|\n|\r)/gm;
const ANY_LINE = /[^\r\n]/;
const LINE_END = /(\r\n|\n|\r)/;
const BYTE_ORDER_MARK = /^\ufeff/;
