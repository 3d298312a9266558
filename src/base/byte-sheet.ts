/**
 * Bytes that are gathered at one place outside the collector's heap. What waits there costs nothing while it
 * waits; as strings, some thousand lines would be copied at every collection until they are sent.
 */
export class ByteSheet {
  #room: Buffer;
  #length = 0;

  constructor(roomBytes = FIRST_ROOM_BYTES) {
    this.#room = Buffer.allocUnsafeSlow(roomBytes);
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#room[this.#length] = value;
    this.#length += 1;
  }

  bytes(piece: Uint8Array): void {
    this.#reserve(piece.length);
    this.#room.set(piece, this.#length);
    this.#length += piece.length;
  }

  /** In UTF-8. */
  text(piece: string): void {
    this.#reserve(piece.length * MOST_BYTES_OF_A_CHARACTER);
    this.#length += this.#room.write(piece, this.#length);
  }

  /** A view of what has been gathered, good until it is cleared. */
  view(start = 0, end = this.#length): Buffer {
    return this.#room.subarray(start, end);
  }

  /** Forgets everything and keeps the room. */
  clear(): void {
    this.#length = 0;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#room.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#room.length * 2));
    this.#room.copy(larger, 0, 0, this.#length);
    this.#room = larger;
  }
}

const FIRST_ROOM_BYTES = 4 * 1024;

/** Of a UTF-16 code unit in UTF-8. */
const MOST_BYTES_OF_A_CHARACTER = 3;
