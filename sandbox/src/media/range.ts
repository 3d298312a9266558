import type { IncomingHttpHeaders } from "node:http";
import type { MadeFile } from "./files/file-spec.ts";

/** The part of a file that a request asks for: `end` is the last byte's index. */
export type Part =
  | { type: "whole" }
  | { type: "unchanged" }
  | { type: "part"; start: number; end: number }
  | { type: "outside" };

/** Reads Range, If-Range and If-None-Match. Several ranges at once are answered with the whole file, as the RFC allows. */
export function rangeOf(headers: IncomingHttpHeaders, file: MadeFile): Part {
  if (headers["if-none-match"] !== undefined && lists(headers["if-none-match"], file.etag))
    return { type: "unchanged" };
  const condition = headers["if-range"];
  if (headers.range === undefined || (condition !== undefined && condition !== file.etag))
    return { type: "whole" };
  const [, first = "", last = ""] = /^bytes=\s*(\d*)-(\d*)$/.exec(headers.range) ?? [];
  if (first === "" && last === "") return { type: "whole" };
  const { length } = file.bytes;
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return { type: "whole" };
  return start >= length || (first === "" && Number(last) === 0)
    ? { type: "outside" }
    : { type: "part", start, end };
}

function lists(header: string, etag: string): boolean {
  return header === "*" || header.split(",").some((value) => value.trim().replace(/^W\//, "") === etag);
}
