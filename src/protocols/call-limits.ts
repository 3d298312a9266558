import type { BodyScan, FoundValue } from "../base/json/json-scan.ts";
import type { BodyFeatures, HoldTable } from "./body-features.ts";

/** The most calls of tools that the caller allows the upstream; undefined = unlimited. */
export interface AllowedCalls {
  /** The limit of the tools that the request offers. */
  readonly offered: number | undefined;
  /** The limit of any tools, those that come with stored content included. */
  readonly any: number | undefined;
}

/** Reads the limits of calls: one of all tools together, otherwise those of each tool, which add up if every tool has one. */
export function allowedCalls(
  { callLimits: { together, each = [] } = {} }: HoldTable,
  scan: BodyScan,
  { vendorTools, mayBringTools }: BodyFeatures,
): AllowedCalls {
  const ofAll = together === undefined ? [] : scan.all(together);
  if (ofAll.length > 0) {
    const most = finite(Math.max(...ofAll.map(callsIn)));
    return { offered: most, any: most };
  }
  // A limit that is written twice counts once, as the larger.
  const limits = new Map<number, number>();
  for (const limit of each.flatMap((path) => scan.all(path)))
    limits.set(limit.parent, Math.max(limits.get(limit.parent) ?? 0, callsIn(limit)));
  const sum = vendorTools.reduce((total, tool) => total + (limits.get(tool) ?? Number.POSITIVE_INFINITY), 0);
  return { offered: finite(sum), any: mayBringTools ? undefined : finite(sum) };
}

/** A value that is no number of calls limits nothing. */
function callsIn({ value }: FoundValue): number {
  return isCalls(value) ? value : Number.POSITIVE_INFINITY;
}

function finite(calls: number): number | undefined {
  return Number.isFinite(calls) ? calls : undefined;
}

function isCalls(value: FoundValue["value"]): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
