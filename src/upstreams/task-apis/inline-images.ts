import type { Clock } from "../../base/clock.ts";
import { mimeTypeOfBytes } from "../../base/media-signatures.ts";
import type { MediaOrder } from "../../families/family.ts";

/** Fetches a caller's link; throws an error whose message is fit for the caller. */
export type ReadFile = (
  url: string,
  options: { readonly maxBytes: number; readonly limits: { readonly totalMs: number } },
) => Promise<{ readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> }>;

export type InlinedOrder =
  | { readonly type: "inlined"; readonly order: MediaOrder }
  /** Why it cannot be: the caller's link is at fault. */
  | { readonly type: "refused"; readonly reason: string };

/** The specification's limit for one reference image. */
const IMAGE_BYTES = 20 * 1024 * 1024;

/** All images of an order together: they stand in memory, and again in the request's body. */
const ORDER_BYTES = 64 * 1024 * 1024;

const IMAGE_MS = 60_000;

/** So many bytes take less on any line that is worth waiting for; meanwhile no other task is in this one's place. */
const ORDER_MS = 120_000;

/** The time that is left, by a clock. */
export interface InliningTime {
  readonly withinMs: number;
  readonly clock: Clock;
}

/** The order with its linked images as data URLs, fetched one after the other. */
export async function inlineImages(
  order: MediaOrder,
  read: ReadFile,
  { withinMs, clock }: InliningTime,
): Promise<InlinedOrder> {
  if (order.medium !== "image") return { type: "inlined", order };
  const images: string[] = [];
  let leftBytes = ORDER_BYTES;
  const endMs = clock.monotonicMs() + Math.min(withinMs, ORDER_MS);
  for (const [index, url] of order.images.entries()) {
    if (!/^https?:/i.test(url)) {
      images.push(url);
      continue;
    }
    const name = `Reference image ${index + 1}`;
    const leftMs = Math.floor(endMs - clock.monotonicMs());
    if (leftMs <= 0)
      return { type: "refused", reason: `${name} can't be fetched: earlier ones took too long.` };
    try {
      const { bytes, headers } = await read(url, {
        maxBytes: Math.min(IMAGE_BYTES, leftBytes),
        limits: { totalMs: Math.min(IMAGE_MS, leftMs) },
      });
      const type = typeOf(bytes, headers["content-type"]);
      if (type === undefined) return { type: "refused", reason: `${name} isn't an image.` };
      leftBytes -= bytes.length;
      images.push(`data:${type};base64,${Buffer.from(bytes).toString("base64")}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { type: "refused", reason: `${name} can't be fetched: ${why}` };
    }
  }
  return { type: "inlined", order: { ...order, images } };
}

/**
 * The type by the first bytes, since file hosts name types as they like; the host's word counts only if the bytes are
 * of no known type.
 */
function typeOf(bytes: Uint8Array, declared: string | undefined): string | undefined {
  const type = mimeTypeOfBytes(bytes) ?? /^[\w.+-]+\/[\w.+-]+/.exec(declared ?? "")?.[0].toLowerCase();
  return type?.startsWith("image/") ? type : undefined;
}
