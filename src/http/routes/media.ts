import { definedFields } from "../../base/defined-fields.ts";
import { GatewayError } from "../../errors.ts";
import { readMediaName } from "../../mirror/media-name.ts";
import { MEDIA_TYPES } from "../../mirror/media-type.ts";
import type { RequestContext } from "../core/endpoint.ts";
import { readByteRange, sendFile } from "../core/file-response.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";

/** Copied results of tasks. No key is asked for: whoever has the link was given it by who has the key. */
export function mediaRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/media/:day/:file", (context) => serveFile(deps, context));
}

async function serveFile({ files, log }: HttpDeps, { request, raw, headers }: RequestContext): Promise<void> {
  const { day = "", file = "" } = request.params;
  const name = readMediaName(day, file);
  const found = name && (await reached(files.find(name)));
  if (name === undefined || found === undefined) {
    throw new GatewayError("not_found", "File not found, or past retention.");
  }
  const { bytes } = found;
  // A file never changes, and no other one has its name.
  const etag = `"${name.id}"`;
  const common = { ...headers, ...EMBEDDABLE, etag, "accept-ranges": "bytes" };
  if (isNamed(request.raw.headers["if-none-match"], etag)) {
    raw.writeHead(304, common).end();
    return;
  }
  const reading = request.method === "GET" && (request.raw.headers["if-range"] ?? etag) === etag;
  const wanted = readByteRange(reading ? request.raw.headers.range : undefined, bytes);
  if (wanted === "none") {
    raw.writeHead(416, { ...common, "content-range": `bytes */${bytes}`, "content-length": "0" }).end();
    return;
  }
  const { first, last } = wanted === "all" ? { first: 0, last: bytes - 1 } : wanted;
  const stream = request.method === "HEAD" ? undefined : await reached(found.read(first, last));
  const partHeaders = {
    ...common,
    "content-type": MEDIA_TYPES[name.type],
    "content-length": String(last - first + 1),
    "content-disposition": `inline; filename="${name.id}.${name.type}"`,
    "content-range": wanted === "all" ? undefined : `bytes ${first}-${last}/${bytes}`,
  };
  raw.writeHead(wanted === "all" ? 200 : 206, definedFields(partHeaders));
  if (stream === undefined) {
    raw.end();
    return;
  }
  try {
    await sendFile(raw, stream);
  } catch (error) {
    // The reader left or took nothing, or the store failed midway; either way the connection is cut, and a status was sent long ago.
    log.debug({ err: error, file }, "result copy was not sent completely");
  }
}

/** Pages of any origin may show, fetch and keep it; what it is, is what the type says. */
const EMBEDDABLE = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-disposition, content-length, content-range, etag",
  "cache-control": "private, max-age=86400, immutable",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
} as const;

/** A bucket may be away for a while. */
function reached<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((cause: unknown) => {
    const message = "Copied files are temporarily unavailable. Try again in a moment.";
    throw new GatewayError("service_unavailable", message, { cause, retryAfterSeconds: 5 });
  });
}

function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === etag);
}
