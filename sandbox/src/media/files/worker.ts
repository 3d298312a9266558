import { parentPort } from "node:worker_threads";
import { makeWave } from "./audio.ts";
import type { FileSpec } from "./file-spec.ts";
import { makePicture } from "./image.ts";
import { makeLastFrame, makeVideo } from "./video.ts";

/**
 * The thread in which files are made: the pixels of a large image take a tenth of a second, which does not belong where
 * requests are answered.
 */
export interface FileOrder {
  number: number;
  spec: FileSpec;
}

export type FileDelivery = { number: number; bytes: Uint8Array } | { number: number; failure: string };

parentPort?.on("message", (order: FileOrder) => {
  queue = queue.then(() => deliver(order));
});

/** One at a time: the memory of one video is what the thread needs at most. */
let queue: Promise<void> = Promise.resolve();

async function deliver({ number, spec }: FileOrder): Promise<void> {
  try {
    const bytes = Uint8Array.from(await makeFile(spec));
    const delivery: FileDelivery = { number, bytes };
    parentPort?.postMessage(delivery, [bytes.buffer]);
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const delivery: FileDelivery = { number, failure };
    parentPort?.postMessage(delivery);
  }
}

function makeFile(spec: FileSpec): Promise<Buffer> | Buffer {
  switch (spec.kind) {
    case "image":
      return makePicture(spec);
    case "video":
      return makeVideo(spec);
    case "last-frame":
      return makeLastFrame(spec);
    case "sound":
      return makeWave(spec.seconds);
  }
}
