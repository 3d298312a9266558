import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** A request needs a second descriptor for its upstream, and the process some for its database and files. */
const SPARE_SHARE = 0.1;
const LEAST_SPARE = 32;
const MAX_SPARE = 1_000;

/** Whether a connection may be served: beyond the last descriptor the kernel takes connections only to reset them. */
export class Descriptors {
  private readonly limit: number;
  private readonly spare: number;

  /** `limit` of open files; Infinity where nothing tells it. */
  constructor(limit = openFilesLimit()) {
    this.limit = limit;
    this.spare = Math.min(MAX_SPARE, Math.max(LEAST_SPARE, SPARE_SHARE * limit));
  }

  /** "none": too few are left even to wait for its request. Each new one is the lowest that is free, so its number tells how many are taken. */
  left(socket: Socket & { readonly _handle?: { readonly fd?: number } | null }): "enough" | "few" | "none" {
    const left = this.limit - (socket._handle?.fd ?? 0);
    if (left > this.spare) return "enough";
    return left > this.spare / 2 ? "few" : "none";
  }
}

/** Node raises its own limit to the highest it may have, so what is in force is read where the kernel says it. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Not on Linux: the kernel refuses by itself.
    return Number.POSITIVE_INFINITY;
  }
}
