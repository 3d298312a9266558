import type { Call } from "../call.ts";
import type { MediaProtocolName } from "../prompt.ts";
import type { World } from "../world.ts";
import { serveAssetCreate, serveAssetRead } from "./asset-route.ts";
import { serveFile } from "./file-route.ts";
import { FILES_PREFIX } from "./links.ts";
import { servePoll, serveSubmit } from "./task-route.ts";

export interface MediaRoute {
  protocol: MediaProtocolName;
  response(world: World, call: Call): Promise<void>;
}

const POSTS: Readonly<Record<string, MediaRoute>> = {
  "/v1/images/generations": {
    protocol: "image-submit",
    response: (world, call) => serveSubmit(world, call, "image"),
  },
  "/v2/videos/generations": {
    protocol: "video-submit",
    response: (world, call) => serveSubmit(world, call, "video"),
  },
  "/v1/videoa/asset/create": { protocol: "asset-create", response: serveAssetCreate },
};

type Reader = (id: string) => MediaRoute;

/** Paths that end in an id. */
const GETS: readonly (readonly [prefix: string, route: Reader])[] = [
  [
    "/v1/images/tasks/",
    (id) => ({ protocol: "image-poll", response: (world, call) => servePoll(world, call, "image", id) }),
  ],
  [
    "/v2/videos/generations/",
    (id) => ({ protocol: "video-poll", response: (world, call) => servePoll(world, call, "video", id) }),
  ],
  [
    "/v1/videoa/asset/",
    (id) => ({ protocol: "asset-read", response: (world, call) => serveAssetRead(world, call, id) }),
  ],
  [FILES_PREFIX, (name) => ({ protocol: "file", response: (world, call) => serveFile(world, call, name) })],
];

/** The route of an image, video, asset or file; undefined for everything else. */
export function mediaRoute(method: string, path: string): MediaRoute | undefined {
  if (method === "POST") return POSTS[path];
  if (method !== "GET" && (method !== "HEAD" || !path.startsWith(FILES_PREFIX))) return undefined;
  const found = GETS.find(([prefix]) => path.startsWith(prefix));
  return found?.[1](path.slice(found[0].length));
}
