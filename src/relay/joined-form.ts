/**
 * The form in which several answers of one upstream travel through the relay as one (`fan-out.ts` writes
 * it). Plain answers are the elements of one JSON array. Of streams each chunk begins with one byte, the
 * number of the answer that it belongs to.
 */

export const ARRAY_OPEN = Buffer.from("[");
export const ARRAY_NEXT = Buffer.from(",");
export const ARRAY_CLOSE = Buffer.from("]");

/** A chunk of the stream of this answer. */
export function tag(answer: number, chunk: Buffer): Buffer {
  return Buffer.concat([Buffer.of(answer), chunk]);
}

export interface Untagged {
  readonly answer: number;
  readonly chunk: Buffer;
}

export function untag(tagged: Uint8Array): Untagged {
  const bytes = Buffer.from(tagged.buffer, tagged.byteOffset, tagged.byteLength);
  return { answer: bytes[0] ?? 0, chunk: bytes.subarray(1) };
}
