import type { Readable } from "node:stream";
import type { MediaName } from "./media-name.ts";
import type { TempFile } from "./temp-file.ts";

/** Where copied files stand: a folder or a bucket. A file is there whole or not at all, and never changes. */
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
