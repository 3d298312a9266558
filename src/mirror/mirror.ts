import { setMaxListeners } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Semaphore } from "../base/async/semaphore.ts";
import type { Clock } from "../base/clock.ts";
import type { ConnectThrough, SafeFetch } from "../base/fetch/safe-fetch.ts";
import { isDataUrl } from "../base/text.ts";
import type { Settings } from "../catalog/catalog.ts";
import type { Log } from "../observe/log.ts";
import type { TaskResult } from "../upstreams/task-apis/task-api.ts";
import { type BlobStore, isLasting, MirrorFailure } from "./blob-store.ts";
import { createCopier } from "./copier.ts";
import { createDiskBlobStore } from "./disk-blob-store.ts";
import { type MediaName, pathOf } from "./media-name.ts";
import { createRetention } from "./retention.ts";
import { createS3BlobStore } from "./s3-blob-store.ts";
import { createS3Door, type S3Keys, type S3Place } from "./s3-client.ts";

export interface MirrorOptions {
  readonly settings: () => Pick<Settings, "mirror" | "taskRetentionDays">;
  /** The keys of the bucket; undefined = the environment has none. */
  readonly s3Keys: S3Keys | undefined;
  readonly dataDir: string;
  /** The address at which callers reach this gateway, without a slash at the end; known once the port is open. */
  readonly publicUrl: () => Promise<string>;
  readonly guarded: Pick<SafeFetch, "open">;
  /** The connection through which a file of this upstream is fetched. */
  readonly through: (upstreamId: bigint | undefined) => ConnectThrough | undefined;
  readonly clock: Clock;
  /** The time by the database. */
  readonly databaseNowMs: () => Promise<number>;
  readonly log: Log;
}

/** Copies of what vendors made, under links that last as long as the task. */
export interface Mirror extends MirroredFiles {
  /**
   * The result with its links replaced by the gateway's own where the settings want that; what cannot be copied within
   * the time keeps the vendor's link. Rejects only when the mirror is closed.
   */
  keep(
    taskId: string,
    result: TaskResult,
    withinMs: number,
    upstreamId: bigint | undefined,
  ): Promise<TaskResult>;
  /** Files that are being copied now, and those that could not be since the start. */
  counts(): { readonly running: number; readonly failed: number };
  close(): Promise<void>;
}

export interface MirroredFiles {
  /** undefined = there is no such file, or no more. */
  find(name: MediaName): Promise<MirroredFile | undefined>;
}

export interface MirroredFile {
  readonly bytes: number;
  /** Both ends included; to be read to its end or destroyed. */
  read(first: number, last: number): Promise<Readable>;
}

/** Each takes a connection or two and a buffer; more at once would only make all of them slower. */
const MAX_AT_ONCE = 8;

const NO_KEYS =
  "settings.mirror names a bucket, and FAREGATE_S3_ACCESS_KEY or FAREGATE_S3_SECRET_KEY is not set";

/** A vendor's link may answer a moment after its task does; what fails three times will not come. */
const PAUSES_MS = [1_000, 5_000];

export function createMirror(options: MirrorOptions): Mirror {
  const { settings, publicUrl, clock, databaseNowMs, log } = options;
  const folder = join(options.dataDir, "media");
  const disk = createDiskBlobStore(folder);
  const door = options.s3Keys && createS3Door(options.s3Keys, clock);
  const copier = createCopier({ ...options, drafts: join(folder, "drafts") });
  const turns = new Semaphore({ maxRunning: MAX_AT_ONCE });
  const closing = new AbortController();
  // One for each task whose files are copied.
  setMaxListeners(0, closing.signal);
  let failed = 0;
  let known: { readonly place: S3Place; readonly blobStore: BlobStore } | undefined;
  /** The bucket that the settings name at this moment; the same blob store as long as they do, for it knows how far it is tidied. */
  const bucket = (): BlobStore | undefined => {
    const { mirror } = settings();
    if (mirror.kind !== "s3" || !door) return undefined;
    if (!isDeepStrictEqual(known?.place, mirror))
      known = { place: mirror, blobStore: createS3BlobStore(door, mirror) };
    return known?.blobStore;
  };
  // The disk first: it holds what was copied before the settings named a bucket, and costs nothing to ask.
  const blobStores = (): readonly BlobStore[] => [
    disk,
    ...[bucket()].flatMap((blobStore) => blobStore ?? []),
  ];
  const retention = createRetention({
    clock,
    databaseNowMs,
    log,
    drafts: join(folder, "drafts"),
    days: () => settings().taskRetentionDays,
    blobStores,
  });

  /** The store for a file of this link; undefined = it is not copied. */
  const blobStoreFor = (url: string): BlobStore | undefined => {
    const { kind } = settings().mirror;
    if (!/^(https?|data):/i.test(url)) return undefined;
    if (kind === "s3") {
      const blobStore = bucket();
      if (blobStore === undefined) throw new MirrorFailure(NO_KEYS, { lasting: true });
      return blobStore;
    }
    // A file without a link must get one: nobody needs megabytes of base64 with each read of a task.
    return kind === "disk" || isDataUrl(url) ? disk : undefined;
  };

  const copy = async (
    url: string,
    blobStore: BlobStore,
    signal: AbortSignal,
    through: ConnectThrough | undefined,
  ): Promise<MediaName> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await turns.run(() => copier.copy(url, blobStore, signal, through), { signal });
      } catch (error) {
        const pauseMs = PAUSES_MS[attempt];
        if (signal.aborted || isLasting(error) || pauseMs === undefined) throw error;
        await pause(pauseMs, undefined, { signal });
      }
    }
  };

  /** The lasting link, or the vendor's where there is no other. */
  const linkFor = async (
    taskId: string,
    url: string,
    signal: AbortSignal,
    through: ConnectThrough | undefined,
  ): Promise<string> => {
    try {
      const blobStore = blobStoreFor(url);
      if (blobStore === undefined) return url;
      const name = await copy(url, blobStore, signal, through);
      return `${await publicUrl()}/media/${pathOf(name)}`;
    } catch (error) {
      if (closing.signal.aborted) throw error;
      failed += 1;
      log.warn({ err: error, task: taskId }, "result copy failed; the task keeps the vendor's link");
      return url;
    }
  };

  return {
    async keep(taskId, result, withinMs, upstreamId) {
      const given = new AbortController();
      // One for each file and step of it.
      setMaxListeners(0, given.signal);
      const stop = (): void => given.abort(new MirrorFailure("it took too long", { lasting: true }));
      const timer = setTimeout(stop, withinMs);
      closing.signal.addEventListener("abort", stop, { once: true });
      try {
        const through = options.through(upstreamId);
        const link = (url: string): Promise<string> => linkFor(taskId, url, given.signal, through);
        const lastsUntil = Math.floor(clock.nowMs() / 1000) + settings().taskRetentionDays * 86_400;
        const { outputs, lastFrameUrl } = result;
        const [kept, lastFrame] = await Promise.all([
          Promise.all(
            outputs.map(async (output) => {
              const url = await link(output.url);
              return url === output.url ? output : { url, expiresAt: lastsUntil };
            }),
          ),
          lastFrameUrl === undefined ? undefined : link(lastFrameUrl),
        ]);
        return { ...result, outputs: kept, lastFrameUrl: lastFrame };
      } finally {
        clearTimeout(timer);
        closing.signal.removeEventListener("abort", stop);
      }
    },
    async find(name) {
      for (const blobStore of blobStores()) {
        const bytes = await blobStore.size(name);
        if (bytes !== undefined)
          return { bytes, read: (first, last) => blobStore.read(name, { first, last }) };
      }
      return undefined;
    },
    counts: () => ({ running: turns.running, failed }),
    async close() {
      closing.abort();
      await retention.close();
      await door?.close();
    },
  };
}
