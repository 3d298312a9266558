/**
 * The form in which several responses of one upstream travel through the relay as one (`fan-out.ts` writes
 * it). Answers that are collected whole are the elements of one JSON array: an object as it came, or a string that holds the
 * events of one that came as a stream. Of streams each chunk begins with one byte, the number of the response that it belongs to.
 */

export const ARRAY_OPEN = Buffer.from("[");
export const ARRAY_NEXT = Buffer.from(",");
export const ARRAY_CLOSE = Buffer.from("]");

export const QUOTE = Buffer.from('"');

/** A chunk of a response as part of a JSON string, wherever it is cut: no byte of a longer character is one that is escaped. */
export function quoted(chunk: Buffer): Buffer {
  return Buffer.from(chunk.toString("latin1").replace(ESCAPED, escapeOf), "latin1");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON wants escaped.
const ESCAPED = /["\\\u0000-\u001f]/g;

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** True if answers in the joined form are collected whole, by its first byte: numbers of responses are below it. */
export function isCollected(beginning: Buffer): boolean {
  return beginning[0] === ARRAY_OPEN[0];
}

/** A chunk of the stream of this response. */
export function withResponseNumber(response: number, chunk: Buffer): Buffer {
  return Buffer.concat([Buffer.of(response), chunk]);
}

export interface NumberedChunk {
  readonly response: number;
  readonly chunk: Buffer;
}

export function splitResponseNumber(numbered: Uint8Array): NumberedChunk {
  const bytes = Buffer.from(numbered.buffer, numbered.byteOffset, numbered.byteLength);
  return { response: bytes[0] ?? 0, chunk: bytes.subarray(1) };
}
