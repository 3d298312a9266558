import { isObject, type Json, type JsonObject } from "./json.ts";
import type { UsageFault } from "./scenario.ts";

/** How far `cached_over` reports cached input above the whole input. */
export const CACHED_OVER_BY = 1_000;

/** 2^64 less a little: what a counter that went below zero looks like. */
const HUGE = "18446744073709551516";
/** Marks a string that must lose its quotes once the JSON is text: values JSON.stringify cannot write. */
const BARE = "@bare-number:";
const BARE_PATTERN = new RegExp(`"${BARE}([^"]*)"`, "g");

/** Spoils every number of a vendor's usage object; `omit` leaves the object out. */
export function spoilUsage(usage: JsonObject, fault: UsageFault | undefined): JsonObject | undefined {
  if (fault === undefined || fault === "cached_over") return usage;
  if (fault === "omit") return undefined;
  return spoilObject(usage, fault);
}

/** Finishes what `spoilUsage` began: call it on the JSON text of anything that holds a usage object. */
export function bareNumbers(text: string, fault: UsageFault | undefined): string {
  return fault === undefined ? text : text.replaceAll(BARE_PATTERN, "$1");
}

function spoilObject(object: JsonObject, fault: UsageFault): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, spoil(value, fault)]));
}

function spoil(value: Json | undefined, fault: UsageFault): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => spoil(item, fault) ?? null);
  if (isObject(value)) return spoilObject(value, fault);
  return typeof value === "number" ? spoilNumber(value, fault) : value;
}

function spoilNumber(value: number, fault: UsageFault): Json {
  switch (fault) {
    case "zero":
      return 0;
    case "negative":
      return value === 0 ? -1 : -value;
    case "fraction":
      return value + 0.5;
    case "string":
      return String(value);
    case "nan":
      return `${BARE}NaN`;
    case "infinite":
      return `${BARE}1e400`;
    case "huge":
      return `${BARE}${HUGE}`;
    default:
      return value;
  }
}
