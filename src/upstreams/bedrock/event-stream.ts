import { crc32 } from "node:zlib";
import { packChunk } from "../../base/pack-chunk.ts";
import { MalformedResponse } from "./malformed-response.ts";

/** One message of a body of type `application/vnd.amazon.eventstream`. */
export interface StreamMessage {
  /** Values of its string headers, by their names: `:message-type`, `:event-type` ... */
  readonly headers: ReadonlyMap<string, string>;
  /** A view of the bytes that were given, where it came in one piece. */
  readonly payload: Buffer;
}

/** Length of the whole and of the headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** The maximum of AWS's own clients. A length is trusted only if its checksum is right. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/**
 * Cuts a body into messages as its bytes come, cut anywhere, and checks both checksums of each.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
export class EventStreamReader {
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Length of the message that is arriving; 0 until its prelude is complete. */
  #dueBytes = 0;

  /** The messages that are whole now. Throws MalformedResponse for what is no such stream. */
  *read(chunk: Buffer): Generator<StreamMessage> {
    this.#heldBytes += chunk.length;
    packChunk(this.#held, chunk, this.#heldBytes);
    for (;;) {
      if (this.#dueBytes === 0) {
        if (this.#heldBytes < PRELUDE_BYTES) return;
        this.#dueBytes = messageBytes(this.#first(PRELUDE_BYTES));
      }
      if (this.#heldBytes < this.#dueBytes) return;
      const whole = this.#first(this.#dueBytes);
      const [joined = whole] = this.#held;
      this.#held = joined.length > this.#dueBytes ? [joined.subarray(this.#dueBytes)] : this.#held.slice(1);
      this.#heldBytes -= this.#dueBytes;
      this.#dueBytes = 0;
      yield messageOf(whole);
    }
  }

  /** True if the body ended within a message. */
  get isCut(): boolean {
    return this.#heldBytes > 0;
  }

  /** The first bytes of what is held. They are joined at most twice for each message: for its prelude and when it is whole. */
  #first(bytes: number): Buffer {
    let [first = Buffer.alloc(0)] = this.#held;
    if (first.length < bytes) {
      first = Buffer.concat(this.#held, this.#heldBytes);
      this.#held = [first];
    }
    return first.subarray(0, bytes);
  }
}

function messageBytes(prelude: Buffer): number {
  const bytes = prelude.readUInt32BE(0);
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8))
    throw new MalformedResponse("a message's length does not fit its checksum");
  if (bytes < PRELUDE_BYTES + prelude.readUInt32BE(4) + CHECKSUM_BYTES || bytes > MAX_MESSAGE_BYTES)
    throw new MalformedResponse(`a message of ${bytes} bytes is not possible`);
  return bytes;
}

function messageOf(whole: Buffer): StreamMessage {
  const end = whole.length - CHECKSUM_BYTES;
  if (crc32(whole.subarray(0, end)) !== whole.readUInt32BE(end))
    throw new MalformedResponse("a message does not fit its checksum");
  const payloadStart = PRELUDE_BYTES + whole.readUInt32BE(4);
  return {
    headers: headersOf(whole.subarray(PRELUDE_BYTES, payloadStart)),
    payload: whole.subarray(payloadStart, end),
  };
}

/** Types of header values that state their length themselves. */
const BYTES_VALUE = 6;
const STRING_VALUE = 7;

/** Lengths of all other values, by their type: true, false, byte, short, integer, long; timestamp, uuid. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

function headersOf(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const type = bytes[nameEnd];
    if (type === undefined) throw cutHeader();
    const isStated = type === BYTES_VALUE || type === STRING_VALUE;
    const start = nameEnd + (isStated ? 3 : 1);
    if (start > bytes.length) throw cutHeader();
    const length = isStated ? bytes.readUInt16BE(nameEnd + 1) : VALUE_BYTES[type];
    if (length === undefined) throw new MalformedResponse(`a header has a value of unknown type ${type}`);
    if (start + length > bytes.length) throw cutHeader();
    if (type === STRING_VALUE)
      headers.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", start, start + length));
    at = start + length;
  }
  return headers;
}

function cutHeader(): MalformedResponse {
  return new MalformedResponse("a header is longer than all of them");
}
