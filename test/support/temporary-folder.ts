import { statfsSync } from "node:fs";

const IN_MEMORY = "/dev/shm";

/** The bytes that all tests that run at once may write, with plenty to spare. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Has tests and what they start keep their temporary files in memory, where the machine has a file system there with
 * enough room and nobody named another place in TMPDIR. A start of the embedded database waits for the disk for a third of
 * its time, and no test ends the machine itself, which is all that a disk would survive.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env["TMPDIR"] === undefined && freeBytes(IN_MEMORY) >= ENOUGH_BYTES)
    process.env["TMPDIR"] = IN_MEMORY;
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
