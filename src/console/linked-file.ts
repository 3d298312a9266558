import { definedFields } from "../base/defined-fields.ts";
import { createSafeFetch, type FetchOptions, type SafeFetch } from "../base/fetch/safe-fetch.ts";
import { FetchFailure } from "../base/fetch/safe-fetch-failure.ts";
import type { Upstream } from "../catalog/catalog.ts";
import { GatewayError } from "../errors.ts";
import type { ConsoleDeps } from "./deps.ts";
import type { FileResponse } from "./operation.ts";

export interface LinkedFile {
  /** The URL as a vendor or a caller stated it. */
  readonly url: string;
  /**
   * The upstream that made it and said where it is: what the gateway asks anyway may be asked for a file too, though it be
   * private. undefined = callers have a say in the link.
   */
  readonly upstream: Upstream | undefined;
  /** The request's `Range` header. */
  readonly range: string | undefined;
  /** Keep it under this name; undefined = show it. */
  readonly saveAs: string | undefined;
  readonly gone: AbortSignal;
}

export type OpenLinked = (file: LinkedFile) => Promise<FileResponse>;

/** The limit of the gateway's own copies. */
const MAX_BYTES = 1024 ** 3;
/** A player reads as slowly as it plays, and pauses. */
const MAX_MS = 3_600_000;
/** Each takes a connection and a buffer; a page loads six at once. */
const MAX_AT_ONCE = 100;

/**
 * Opens files behind links for pages to show, through the guarded client: the page asks nobody but the gateway, and
 * vendors learn nothing of who looks. Files that the gateway keeps itself are where it serves them.
 */
export function linkedFiles({
  catalog,
  publicUrl,
  transport,
}: Pick<ConsoleDeps, "catalog" | "publicUrl" | "transport">): OpenLinked {
  let open = 0;
  return async ({ url, upstream, range, saveAs, gone }) => {
    const own = `${await publicUrl()}/media/`;
    if (saveAs === undefined && url.startsWith(own)) return redirectTo(`/media/${url.slice(own.length)}`);
    if (open >= MAX_AT_ONCE) throw busy();
    const allow = () => [
      ...catalog.current().settings.egressAllow,
      ...(upstream === undefined ? [] : [endpointOf(upstream.baseUrl)]),
    ];
    open += 1;
    try {
      const through = upstream && transport.through(upstream);
      const options = { maxBytes: MAX_BYTES, signal: gone, limits: { totalMs: MAX_MS }, through };
      const found = await fetchPart(createSafeFetch({ allow }), url, wantedRange(range), options);
      return {
        status: found.status,
        headers: headersOf(found, saveAs),
        body: counted(found.body, () => {
          open -= 1;
        }),
      };
    } catch (error) {
      open -= 1;
      // The client is gone and needs no response; the vendor's link is not to blame.
      if (gone.aborted)
        throw new GatewayError("request_timeout", "The client disconnected before the file was loaded.");
      throw error instanceof FetchFailure ? unreachable(error) : error;
    }
  };
}

type Found = Awaited<ReturnType<SafeFetch["open"]>>;
type Range = { readonly first: number; readonly last: number };

/** One range from a byte on; anything else counts as not said, which RFC 9110 allows. */
function wantedRange(header: string | undefined): Range | undefined {
  const [, from, to] = /^bytes=(\d{1,12})-(\d{0,12})$/i.exec(header?.trim() ?? "") ?? [];
  if (from === undefined) return undefined;
  const first = Number(from);
  const last = to === undefined || to === "" ? first + MAX_BYTES - 1 : Number(to);
  return last < first ? undefined : { first, last: Math.min(last, first + MAX_BYTES - 1) };
}

async function fetchPart(client: SafeFetch, url: string, range: Range | undefined, options: FetchOptions) {
  if (range === undefined) return client.open(url, options);
  const part = await client.open(url, { ...options, range });
  if (part.status === 206) return part;
  // It knows no ranges, and would be read from its start up to the range's length.
  part.close();
  return client.open(url, options);
}

async function* counted(body: AsyncIterable<Buffer>, done: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } finally {
    done();
  }
}

/** Browsers show these and run none of them; anything else is only ever kept. */
const SHOWN =
  /^(image\/(png|jpeg|webp|gif|avif)|video\/(mp4|quicktime|webm)|audio\/(mpeg|mp4|wav|x-wav|ogg|aac|flac))$/;

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  avif: "image/avif",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  wav: "audio/wav",
  ogg: "audio/ogg",
  aac: "audio/aac",
};

/** Strangers made the file, and it comes from the gateway's own address: it may be shown and nothing else. */
function headersOf({ status, headers, finalUrl }: Found, saveAs: string | undefined) {
  const ending = /\.(\w{3,4})$/.exec(new URL(finalUrl).pathname)?.[1]?.toLowerCase() ?? "";
  const said = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const type = SHOWN.test(said) ? said : (TYPES[ending] ?? "application/octet-stream");
  const kept = saveAs ?? (SHOWN.test(type) ? undefined : "file");
  const name = `${kept ?? ""}${TYPES[ending] === undefined ? "" : `.${ending}`}`;
  const length = headers["content-length"];
  const part = headers["content-range"];
  return definedFields({
    "content-type": type,
    "content-disposition": kept === undefined ? "inline" : `attachment; filename="${name}"`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    // Results never change.
    "cache-control": "private, max-age=3600",
    vary: "range",
    "content-length": length !== undefined && /^\d+$/.test(length) ? length : undefined,
    "content-range": status === 206 ? part : undefined,
    "accept-ranges": "bytes",
  });
}

function redirectTo(location: string): FileResponse {
  return { status: 302, headers: { location, "content-length": "0" }, body: nothing() };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** `host:port` of an upstream's address. */
function endpointOf(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}

function unreachable(failure: FetchFailure): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The file cannot be fetched from where it was made: ${failure.message} Links of vendors expire; settings.mirror keeps copies.`,
    { cause: failure },
  );
}

function busy(): GatewayError {
  return new GatewayError("service_unavailable", "Too many files are being loaded. Try again.", {
    retryAfterSeconds: 2,
  });
}

/**
 * A line of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe in front, as
 * names of keys and models may come from anybody.
 */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
