import { setFlagsFromString } from "node:v8";

/**
 * Tells V8 not to place new objects among the old ones by what became of their like. A gateway's requests all
 * live a while and all die; what V8 concludes from it keeps whole requests until the next full collection,
 * 14 KB of each, and costs a quarter of the time of a plain request. Call it before any request.
 */
export function enlargeYoungGeneration(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
