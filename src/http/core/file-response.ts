import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { closeSlowReader } from "./slow-reader.ts";

/**
 * Sends a file behind a head that was written, to a reader that takes some of it in any such time: a bucket has so many
 * connections, and browsers keep theirs for as long as a video is paused. Closes the file in any case. Rejects where the
 * reader left or was dropped, or the file broke off.
 */
export async function sendFile(raw: ServerResponse, file: Readable, patienceMs?: number): Promise<void> {
  closeSlowReader(raw, patienceMs);
  await pipeline(file, raw);
}

/** The requested bytes of a file, both ends included; `all` = the whole, `none` = no byte of it. */
export type WantedBytes = "all" | "none" | { readonly first: number; readonly last: number };

/**
 * Reads a `Range` header for a file of so many bytes. What is no single range of bytes counts as not said, as RFC 9110
 * allows: several ranges in one response are a way to make a server send a file many times over.
 */
export function readByteRange(header: string | undefined, size: number): WantedBytes {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? "") ?? [];
  if (from === "" && to === "") return "all";
  if (from === "") {
    const wanted = Math.min(Number(to), size);
    return wanted === 0 ? "none" : { first: size - wanted, last: size - 1 };
  }
  const first = Number(from);
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  // The wrong way round it is no range at all; beyond the end it is one that holds nothing.
  if (to !== "" && Number(to) < first) return "all";
  return first >= size ? "none" : { first, last };
}
