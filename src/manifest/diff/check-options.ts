import { isAbsolute } from "node:path";
import type { Path } from "../../base/schema-issues.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { NEVER_REMOVED, RESERVED, SERVICE_FIELDS, TIER_FIELDS } from "../../upstreams/reserved-fields.ts";
import { caFileProblem } from "../../upstreams/transport/ca-files.ts";
import { isPlainService, readServiceWord } from "../../usage/service-terms.ts";
import type { FileUpstream } from "../file/schema.ts";

type Report = (path: Path, message: string) => void;

/** Rules of an upstream's options that a schema of single values can't state. */
export function checkOptions(report: Report, path: Path, upstream: FileUpstream): void {
  checkHeaders(report, [...path, "headers"], upstream);
  checkBody(report, [...path, "body"], upstream);
  const { ca_file: caFile } = upstream;
  if (caFile === undefined) return;
  const problem = isAbsolute(caFile) ? caFileProblem(caFile) : "must be an absolute path";
  if (problem !== undefined) report([...path, "ca_file"], problem);
}

function checkBody(report: Report, path: Path, { body, unasked_tiers: tiers }: FileUpstream): void {
  if (body === undefined) return;
  const { set, default: ifAbsent, remove } = body;
  const seen = new Set<string>();
  const once = (place: Path, name: string): void => {
    if (seen.has(name)) report(place, "is changed twice; name each field once");
    seen.add(name);
  };
  for (const [kind, values] of [
    ["set", set],
    ["default", ifAbsent],
  ] as const) {
    for (const [name, value] of Object.entries(values)) {
      const place = [...path, kind, name];
      once(place, name);
      if (hasEmptyObject(value)) report(place, "must not contain an empty object");
      if (kind === "default" && isAmong(TIER_FIELDS, name)) checkTier(report, place, value, tiers);
      else if (isAmong(RESERVED, name) || isAmong(SERVICE_FIELDS, name)) report(place, RESERVED_WHY);
    }
  }
  remove.forEach((name, index) => {
    const place = [...path, "remove", index];
    once(place, name);
    if (isAmong(NEVER_REMOVED, name) || isAmong(SERVICE_FIELDS, name)) report(place, RESERVED_WHY);
  });
}

/** In any case, as some servers read names. */
function isAmong(fields: ReadonlySet<string>, name: string): boolean {
  return [...fields].some((field) => field.toLowerCase() === name.toLowerCase());
}

const RESERVED_WHY = "can't be changed here: the gateway relies on it for cost or access. Remove it";

/** A tier that the vendor is asked for must be held for, as one in which it serves unasked. */
function checkTier(report: Report, place: Path, value: unknown, tiers: readonly string[]): void {
  const word = typeof value === "string" ? readServiceWord(value) : undefined;
  const held = tiers.some((tier) => readServiceWord(tier) === word);
  if (typeof value === "string" && (isPlainService(value) || (word !== undefined && held))) return;
  report(place, "must be a tier in unasked_tiers, which the hold covers; add it there, or remove it here");
}

/** JSON that a database and a catalog file don't give back as it was. */
function hasEmptyObject(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasEmptyObject);
  if (typeof value !== "object" || value === null) return false;
  const inner = Object.values(value);
  return inner.length === 0 || inner.some(hasEmptyObject);
}

/** The number of headers that servers accept beside the gateway's own. */
const MOST_HEADERS = 32;
const MOST_BYTES = 8 * 1024;

/** Sent by the gateway itself, or about the connection and the framing, which are its own. */
const OWN_HEADERS = new Set([
  ...["authorization", "x-api-key", "x-goog-api-key", "x-request-id"],
  ...["accept", "accept-encoding", "content-encoding", "content-length", "content-type", "user-agent"],
  ...["connection", "expect", "host", "http2-settings", "keep-alive", "te", "trailer", "transfer-encoding"],
  ...["proxy-authorization", "proxy-connection", "upgrade"],
]);

function checkHeaders(report: Report, path: Path, { headers, kind, preset }: FileUpstream): void {
  const { versionHeader, betaHeader } = kindOf(kind, preset) ?? {};
  const own = new Set([...OWN_HEADERS, versionHeader, betaHeader]);
  const seen = new Set<string>();
  let bytes = 0;
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    if (own.has(name)) report([...path, written], "is sent by the gateway itself; remove it");
    if (seen.has(name)) report([...path, written], "is already in this list, in other letters");
    seen.add(name);
    bytes += name.length + value.length + ": \r\n".length;
  }
  if (seen.size > MOST_HEADERS) report(path, `has more than ${MOST_HEADERS} headers`);
  if (bytes > MOST_BYTES) report(path, `takes more than ${MOST_BYTES} bytes`);
}
