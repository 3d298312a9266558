import type { ImageOrder, MediaOrder, VideoOrder } from "../../families/family.ts";

/** The order as one of a video; a kind serves only the families of its table, so anything else is a bug. */
export function wantVideo(order: MediaOrder, api: string): VideoOrder {
  if (order.medium === "video") return order;
  throw new RangeError(`${api} makes no pictures`);
}

export function wantImage(order: MediaOrder, api: string): ImageOrder {
  if (order.medium === "image") return order;
  throw new RangeError(`${api} makes no videos`);
}
