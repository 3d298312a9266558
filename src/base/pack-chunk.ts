/** A chunk of this size is worth an object of its own, and the read of 64 KB that it is a part of. */
const OWN_BYTES = 32 * 1024;

/** Blocks that small chunks are copied into grow with the body, so that no more than half of its memory is empty. */
const LEAST_BLOCK_BYTES = 1024;
const LARGEST_BLOCK_BYTES = 64 * 1024;

/**
 * Adds a chunk to the chunks of a body. A small one, unless it is the first, is copied to the end of the one before:
 * each chunk costs two hundred bytes beside its own and keeps all of the read that brought it, so that a body sent
 * byte by byte would take a hundred times its size. `bytes` is the length of all of them, this one included.
 */
export function packChunk(chunks: Buffer[], chunk: Buffer, bytes: number): void {
  const last = chunks.at(-1);
  if (last === undefined || chunk.length >= OWN_BYTES) {
    chunks.push(chunk);
    return;
  }
  const { buffer, byteOffset, length } = last;
  const end = byteOffset + length;
  if (blocks.has(buffer) && end + chunk.length <= buffer.byteLength) {
    new Uint8Array(buffer, end, chunk.length).set(chunk);
    chunks[chunks.length - 1] = Buffer.from(buffer, byteOffset, length + chunk.length);
    return;
  }
  const block = new ArrayBuffer(Math.min(LARGEST_BLOCK_BYTES, Math.max(LEAST_BLOCK_BYTES, bytes)));
  blocks.add(block);
  new Uint8Array(block).set(chunk);
  chunks.push(Buffer.from(block, 0, chunk.length));
}

/** Those that were made here: of any other the rest is somebody else's. */
const blocks = new WeakSet<ArrayBufferLike>();
