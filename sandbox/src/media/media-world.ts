import { createLru, type Lru } from "../lru.ts";
import type { Asset } from "./asset.ts";
import { createStudio, type Studio } from "./files/studio.ts";
import { createLinks, type Links } from "./links.ts";
import type { Task } from "./task.ts";

/** The state of one sandbox: images, videos and assets. */
export interface MediaWorld {
  /** The newest come first to be kept; ids are unique among both. */
  tasks: Lru<Task>;
  assets: Lru<Asset>;
  studio: Studio;
  links: Links;
  /** The duration of a task or asset whose scenario states none. */
  takesMs: number;
  clear(): void;
}

/** Ten runs of ten thousand tasks, at about a kilobyte each. */
const MAX_TASKS = 200_000;
const MAX_ASSETS = 100_000;

export function createMediaWorld(secret: string, takesMs: number): MediaWorld {
  const tasks = createLru<Task>(MAX_TASKS);
  const assets = createLru<Asset>(MAX_ASSETS);
  return {
    tasks,
    assets,
    studio: createStudio(),
    links: createLinks(secret),
    takesMs,
    clear() {
      tasks.clear();
      assets.clear();
    },
  };
}
