/**
 * Bytes that are gathered at one place outside the collector's heap. What waits there costs nothing while it
 * waits; as strings, some thousand lines would be copied at every collection until they are sent.
 */
export class ByteWriter {
  #room: Buffer;
  #length = 0;

  constructor(roomBytes = FIRST_ROOM_BYTES) {
    this.#room = Buffer.allocUnsafeSlow(roomBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** Forgets what was written behind the first `length` bytes. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#room[this.#length] = value;
    this.#length += 1;
  }

  bytes(piece: Uint8Array): void {
    const { length } = piece;
    this.#reserve(length);
    const room = this.#room;
    const start = this.#length;
    // A loop over few is faster than the call.
    if (length > SHORT_BYTES) room.set(piece, start);
    else for (let index = 0; index < length; index += 1) room[start + index] = piece[index] ?? 0;
    this.#length = start + length;
  }

  /** In UTF-8. */
  text(piece: string): void {
    this.#reserve(piece.length * MAX_BYTES_OF_A_CHARACTER);
    if (piece.length > SHORT_CHARACTERS || !this.#ascii(piece))
      this.#length += this.#room.write(piece, this.#length);
  }

  /** A number in decimal digits. */
  digits(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) {
      this.text(String(value));
      return;
    }
    this.#reserve(MAX_DIGITS);
    // Divided as small numbers, which the processor does at once.
    const high = Math.floor(value / LOW_DIGITS);
    if (high > 0) this.#digits(high, lengthOf(high));
    const low = value - high * LOW_DIGITS;
    this.#digits(low, high > 0 ? LOW_DIGITS_LENGTH : lengthOf(low));
  }

  /** Eight hexadecimal digits of a whole number of 32 bits, in place of what stands at `start`. */
  hexAt(start: number, value: number): void {
    for (let index = 0; index < 8; index += 1)
      this.#room[start + index] = HEX_DIGITS[(value >>> (28 - 4 * index)) & 0xf] ?? 0;
  }

  /** A view of what has been gathered, good until it is cleared. */
  view(start = 0, end = this.#length): Buffer {
    return this.#room.subarray(start, end);
  }

  /** Forgets everything and keeps the room. */
  clear(): void {
    this.#length = 0;
  }

  /** Character by character, which for a few is faster than a call of the engine; false for others than ASCII. */
  #ascii(piece: string): boolean {
    const room = this.#room;
    const start = this.#length;
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index);
      if (code > LAST_ASCII) return false;
      room[start + index] = code;
    }
    this.#length = start + piece.length;
    return true;
  }

  #digits(value: number, length: number): void {
    let rest = value | 0;
    for (let at = this.#length + length - 1; at >= this.#length; at -= 1) {
      const tenth = (rest / 10) | 0;
      this.#room[at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    this.#length += length;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#room.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#room.length * 2));
    this.#room.copy(larger, 0, 0, this.#length);
    this.#room = larger;
  }
}

function lengthOf(value: number): number {
  let length = 1;
  for (let limit = 10; limit <= value; limit *= 10) length += 1;
  return length;
}

const FIRST_ROOM_BYTES = 4 * 1024;

/** The longest form of a UTF-16 code unit in UTF-8. */
const MAX_BYTES_OF_A_CHARACTER = 3;

const SHORT_BYTES = 48;
const SHORT_CHARACTERS = 32;
const LAST_ASCII = 0x7f;
const ZERO = 0x30;
const HEX_DIGITS = Buffer.from("0123456789abcdef");

/** The digits of a safe integer: at most 9 above these 7. */
const MAX_DIGITS = 16;
const LOW_DIGITS_LENGTH = 7;
const LOW_DIGITS = 10 ** LOW_DIGITS_LENGTH;
