import { rm } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import type { ConnectThrough, SafeFetch } from "../base/fetch/safe-fetch.ts";
import { isDataUrl } from "../base/text.ts";
import { type BlobStore, MirrorFailure, type TempFile, writeTempFile } from "./blob-store.ts";
import { type MediaName, newMediaName } from "./media-name.ts";

/** Ten times the largest video that a family makes; what is larger is a mistake or a trap. */
const MAX_BYTES = 1024 ** 3;

/** One attempt: the file behind a link, fetched through a proxy where there is one, goes to a draft, and the draft to a blob store under a new name. */
export interface Copier {
  copy(
    url: string,
    blobStore: BlobStore,
    signal: AbortSignal,
    through: ConnectThrough | undefined,
  ): Promise<MediaName>;
}

export interface CopierOptions {
  readonly guarded: Pick<SafeFetch, "open">;
  /** Folder of temporary files. */
  readonly drafts: string;
  readonly clock: Clock;
}

export function createCopier({ guarded, drafts, clock }: CopierOptions): Copier {
  const fetchDraft = async (
    url: string,
    signal: AbortSignal,
    through: ConnectThrough | undefined,
  ): Promise<TempFile> => {
    // The signal is the limit of the whole.
    const limits = { totalMs: MAX_FETCH_MS };
    const file = await guarded.open(url, { maxBytes: MAX_BYTES, signal, limits, through });
    try {
      return await writeTempFile(drafts, file.body);
    } finally {
      file.close();
    }
  };
  return {
    async copy(url, blobStore, signal, through) {
      const draft = isDataUrl(url)
        ? await writeTempFile(drafts, piecesOf(readDataUrl(url)))
        : await fetchDraft(url, signal, through);
      try {
        const name = newMediaName(clock.nowMs(), draft.type);
        await blobStore.put(name, draft, signal);
        return name;
      } finally {
        await rm(draft.path, { force: true });
      }
    },
  };
}

const MAX_FETCH_MS = 600_000;

/** Takes what vendors' adapters write, which is base64 alone. */
function readDataUrl(url: string): Buffer {
  const comma = url.indexOf(",");
  if (!/;base64$/i.test(url.slice(0, Math.max(0, comma)))) {
    throw new MirrorFailure("it is a data URL without base64", { lasting: true });
  }
  return Buffer.from(url.slice(comma + 1), "base64");
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
