import { isAbsolute } from "node:path";
import type { Path } from "../../base/schema-issues.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { caFileProblem } from "../../upstreams/transport/ca-files.ts";
import type { FileUpstream } from "../file/schema.ts";

type Report = (path: Path, message: string) => void;

/** What a schema of single values can't say of an upstream's options. */
export function checkOptions(report: Report, path: Path, upstream: FileUpstream): void {
  checkHeaders(report, [...path, "headers"], upstream);
  const { ca_file: caFile } = upstream;
  if (caFile === undefined) return;
  const problem = isAbsolute(caFile) ? caFileProblem(caFile) : "must be an absolute path";
  if (problem !== undefined) report([...path, "ca_file"], problem);
}

/** As much as servers take beside what the gateway sends itself. */
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
