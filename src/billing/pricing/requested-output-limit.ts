import type { BodyScan, FoundValue } from "../../base/json/json-scan.ts";

/** The paths of a protocol's output limits. */
export interface LimitPaths {
  /**
   * Paths at which this protocol's vendors read an output limit, in any spelling they take; never one
   * that they ignore, since an ignored limit limits nothing.
   */
  readonly outputLimits: readonly string[];
  /** A limit of 0 asks for no output; elsewhere it means that there is no limit. */
  readonly zeroIsALimit?: true | undefined;
}

/** A request as far as its output limits are concerned. */
interface LimitedRequest {
  readonly scan: BodyScan;
  readonly forward: LimitPaths;
}

/**
 * The largest output limit that the request states, at most `ceiling`; anything that is no whole number
 * counts as the ceiling, since vendors differ in what they make of it. Undefined where none is stated, or nothing but 0 and
 * less where that is no limit.
 */
export function requestedOutputLimit({ scan, forward }: LimitedRequest, ceiling: number): number | undefined {
  let largest: number | undefined;
  let isOpen = false;
  for (const path of forward.outputLimits) {
    const values = scan.all(path);
    if (values.length < scan.count(path)) return ceiling;
    for (const value of values) {
      if (isNoLimit(forward, value)) isOpen = true;
      else if (value.type !== "null") largest = Math.max(largest ?? 0, asCount(value, ceiling));
    }
  }
  // If a request states several limits, vendors differ in which one they use.
  return largest !== undefined && isOpen ? ceiling : largest;
}

/**
 * True if it says in a number that there is no limit: servers that take 0 and less write on without end (llama.cpp, Ollama),
 * and clients mean that by them.
 */
export function isNoLimit(
  { zeroIsALimit }: Pick<LimitPaths, "zeroIsALimit">,
  { value }: FoundValue,
): boolean {
  return (
    typeof value === "number" && Number.isSafeInteger(value) && value <= (zeroIsALimit === true ? -1 : 0)
  );
}

/** A limit of 0 counts as 1, the least that it can be written as in another protocol. */
function asCount({ value }: FoundValue, ceiling: number): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? Math.min(Math.max(value, 1), ceiling)
    : ceiling;
}
