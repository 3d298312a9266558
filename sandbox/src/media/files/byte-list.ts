/** Bytes one after the other, of which nobody knows beforehand how many there will be. */
export interface ByteList {
  put(byte: number): void;
  /** All so far. */
  bytes(): Buffer;
}

/** The bytes of the smallest image; the list doubles when it is full. */
const FIRST_BYTES = 4_096;

export function createByteList(): ByteList {
  let kept = Buffer.alloc(FIRST_BYTES);
  let length = 0;
  return {
    put(byte) {
      if (length === kept.length) kept = Buffer.concat([kept], 2 * length);
      kept[length] = byte;
      length += 1;
    },
    bytes: () => kept.subarray(0, length),
  };
}
