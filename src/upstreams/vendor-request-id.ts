import { PLAIN_TEXT } from "../base/text.ts";
import type { RawHeaders } from "./transport/raw-headers.ts";

/** Headers in which vendors name a request, for their support to find it; the most specific first. */
const HEADERS = [
  "request-id",
  "x-request-id",
  "apim-request-id",
  "x-amzn-requestid",
  "x-goog-request-id",
  "x-ms-request-id",
  "cf-ray",
] as const;

/** Longer than any vendor's. */
const MAX_CHARACTERS = 200;

/** The vendor's own id of a request; null = its response has none. */
export function vendorRequestId(headers: RawHeaders): string | null {
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value !== undefined && value !== "" && value.length <= MAX_CHARACTERS && PLAIN_TEXT.test(value))
      return value;
  }
  return null;
}
