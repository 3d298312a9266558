import { createPromptCache, type PromptCache } from "./cache.ts";
import { type Clock, createClock } from "./clock.ts";
import { createKeyIssuer, type KeyIssuer } from "./clouds/aws-keys.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createMediaWorld, type MediaWorld } from "./media/media-world.ts";
import { createResponseStore, type ResponseStore } from "./protocols/responses/response-store.ts";
import { createScripts, type Scripts } from "./scripts.ts";
import { createMint, type Mint } from "./signature.ts";

export interface WorldOptions {
  /** Sandboxes of different names do not accept each other's signatures. */
  name?: string;
  /** Milliseconds between the chunks of every stream that sets no pace of its own. */
  paceMs?: number;
  /** Milliseconds an image, video or asset takes that sets no time of its own. */
  taskMs?: number;
  /** Also append every journal entry to this file. */
  journalFile?: string;
}

/** Everything one sandbox remembers; nothing outlives the process but the journal file. */
export interface World {
  name: string;
  clock: Clock;
  cache: PromptCache;
  store: ResponseStore;
  scripts: Scripts;
  journal: Journal;
  mint: Mint;
  /** Amazon's temporary keys. */
  keys: KeyIssuer;
  media: MediaWorld;
  paceMs: number;
  /** Requests that have arrived, those of them that have not ended, and the most that ran at once. */
  counters: { received: number; open: number; peak: number };
  /** Forgets everything but the numbering of the journal. */
  reset(): void;
}

/** Long enough to see a task run, short enough not to wait for. */
export const DEFAULT_TASK_MS = 2_000;

export function createWorld(options: WorldOptions = {}): World {
  const name = options.name ?? "sandbox";
  const clock = createClock();
  const cache = createPromptCache(clock);
  const store = createResponseStore();
  const scripts = createScripts();
  const journal = createJournal(options.journalFile);
  const media = createMediaWorld(`faregate-sandbox-links:${name}`, options.taskMs ?? DEFAULT_TASK_MS);
  const mint = createMint(`faregate-sandbox:${name}`);
  const counters = { received: 0, open: 0, peak: 0 };
  return {
    name,
    clock,
    cache,
    store,
    scripts,
    journal,
    mint,
    keys: createKeyIssuer(mint),
    paceMs: options.paceMs ?? 0,
    media,
    counters,
    reset() {
      clock.reset();
      cache.clear();
      store.clear();
      scripts.clear();
      journal.clear();
      media.clear();
      counters.peak = counters.open;
    },
  };
}
