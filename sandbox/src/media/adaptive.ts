import { FILES_PREFIX } from "./links.ts";
import type { MediaOrder } from "./order.ts";
import { nearestRatio, type Size, videoSize } from "./pixels.ts";
import { taskIdOf } from "./task.ts";

/** The ratio of an adaptive video that has no reference. */
const USUAL_RATIO = "16:9";

/**
 * Settles the ratio and size of an adaptive video by its first reference that is a file of the sandbox's
 * own, as in a chain from last frame to first frame. Other references are never fetched.
 */
export function settledOrder(
  order: MediaOrder,
  sizeOf: (taskId: string) => Size | undefined,
): MediaOrder & { size: Size } {
  if (order.size !== undefined) return { ...order, size: order.size };
  const [first] = order.references.flatMap((url) => {
    const [, name] = url.split(FILES_PREFIX);
    const size = name === undefined ? undefined : sizeOf(taskIdOf(name.replace(/\?.*$/s, "")));
    return size === undefined ? [] : [size];
  });
  const ratio = first === undefined ? USUAL_RATIO : nearestRatio(first);
  return { ...order, ratio, size: videoSize(order.resolution, ratio) };
}
