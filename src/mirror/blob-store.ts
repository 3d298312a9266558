import { createHash } from "node:crypto";
import { mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { FetchFailure, type FetchReason } from "../base/fetch/safe-fetch-failure.ts";
import { SIGNATURE_BYTES } from "../base/media-signatures.ts";
import { randomText } from "../base/random.ts";
import type { MediaName } from "./media-name.ts";
import { type MediaType, mediaTypeOf } from "./media-type.ts";

/** Why a file could not be copied; `lasting`: trying again would end the same way. */
export class MirrorFailure extends Error {
  override readonly name = "MirrorFailure";
  readonly lasting: boolean;

  constructor(message: string, { lasting }: { readonly lasting: boolean }) {
    super(message);
    this.lasting = lasting;
  }
}

const LASTING: readonly FetchReason[] = ["invalid-url", "forbidden", "redirects", "too-large"];

export function isLasting(error: unknown): boolean {
  if (error instanceof FetchFailure) return LASTING.includes(error.reason);
  return error instanceof MirrorFailure && error.lasting;
}

/** A whole file under a temporary name, which nobody is shown. */
export interface TempFile {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly type: MediaType;
}

/** The folder is on the database's and the journal's disk as a rule: what pays for files must not run out for them. */
const FREE_BYTES_KEPT = 1024 ** 3;

/**
 * Writes a file as it comes, in little memory, and flushes it to the disk. Throws with nothing left behind:
 * MirrorFailure where it is no image or video or the disk is nearly full, and what reading and writing throw.
 */
export async function writeTempFile(folder: string, chunks: AsyncIterable<Buffer>): Promise<TempFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await assertRoom(folder);
  const path = join(folder, randomText(32));
  const file = await open(path, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    let bytes = 0;
    let head = Buffer.alloc(0);
    for await (const chunk of chunks) {
      if (head.length < SIGNATURE_BYTES) {
        head = Buffer.concat([head, chunk.subarray(0, SIGNATURE_BYTES - head.length)]);
        // Not after the whole of something that will be thrown away.
        if (head.length === SIGNATURE_BYTES) typeOf(head);
      }
      bytes += chunk.length;
      hash.update(chunk);
      await file.appendFile(chunk);
    }
    const type = typeOf(head);
    await file.sync();
    await file.close();
    return { path, bytes, sha256: hash.digest("hex"), type };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

function typeOf(head: Buffer): MediaType {
  const type = mediaTypeOf(head);
  if (type === undefined) throw new MirrorFailure("it is neither an image nor a video", { lasting: true });
  return type;
}

async function assertRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < FREE_BYTES_KEPT) {
    throw new MirrorFailure("less than 1 GB free in the data folder; free some space", { lasting: true });
  }
}

/** The place of copied files: a folder or a bucket. A file is there whole or not at all, and never changes. */
export interface BlobStore {
  /** Takes the draft over: it is gone afterwards, also when this throws. */
  put(name: MediaName, draft: TempFile, signal: AbortSignal): Promise<void>;
  /** Bytes of the file; undefined = there is none. */
  size(name: MediaName): Promise<number | undefined>;
  /** These bytes of a file that is there, both ends included. To be read to its end or destroyed. */
  read(name: MediaName, range: { readonly first: number; readonly last: number }): Promise<Readable>;
  /** Removes the files of this day and of all before it; gives how many. */
  dropUpTo(day: string): Promise<number>;
}
