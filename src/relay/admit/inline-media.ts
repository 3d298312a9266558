import { Semaphore } from "../../base/async/semaphore.ts";
import type { FetchLimits, SafeFetch } from "../../base/fetch/safe-fetch.ts";
import { FetchFailure } from "../../base/fetch/safe-fetch-failure.ts";
import { mimeTypeOfBytes } from "../../base/media-signatures.ts";
import { packChunk } from "../../base/pack-chunk.ts";
import type { ProtocolCapabilities } from "../../conversation/lower/capabilities.ts";
import { type LinkedMedia, mediaToInline, replaceMedia } from "../../conversation/lower/inline.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import { mediaOfType, mimeTypeOfUrl } from "../../conversation/media.ts";
import type { ChatRequest, MediaPart } from "../../conversation/request.ts";
import { GatewayError } from "../../errors.ts";
import { shuttingDown } from "../failures.ts";

/**
 * Returns the type of a fetched file. Recognizable bytes outrank the server's `content-type`, which may be anything; but one
 * container holds audio or video, so the server's word decides there.
 */
function fileType(stated: string | undefined, bytes: Buffer, url: string): string | undefined {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (/^\s*<(!doctype html|html[\s>])/i.test(head.toString("latin1"))) return "text/html";
  const sniffed = mimeTypeOfBytes(head);
  if (sniffed !== undefined && !/^(audio|video)\//.test(sniffed)) return sniffed;
  return usefulType(stated) ?? mimeTypeOfUrl(url) ?? sniffed;
}

/** True if a file of this type can stand where the caller put it. Of documents only a stated PDF is held to its word. */
function isOfKind(type: string | undefined, { media, mimeType }: MediaPart): boolean {
  if (media !== "document") return type !== undefined && mediaOfType(type) === media;
  return mimeType !== PDF || type === PDF;
}

/** The type in a Content-Type header; undefined where it says "some bytes". */
function usefulType(stated: string | undefined): string | undefined {
  const type = stated?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^(application|binary)\/(octet-stream|x-download|force-download)$/.test(type) || !type.includes("/")
    ? undefined
    : type;
}

const PDF = "application/pdf";

/** Every signature is in the first bytes; a page may have a blank line and a comment before it. */
const HEAD_BYTES = 256;

/** Fetches the media that upstreams need inline. The process has one, because it bounds the memory of all requests. */
export interface InlineMedia {
  /** For one request: each address is fetched at most once, however many candidates need it. */
  begin(): Inlining;
}

export interface Inlining {
  /**
   * The request with all media inline that this upstream does not fetch itself; at once where that is
   * none. Throws GatewayError: invalid_request for media that cannot be had.
   */
  inline(
    request: ChatRequest,
    capabilities: ProtocolCapabilities,
    quirks: Quirks,
  ): ChatRequest | Promise<ChatRequest>;
  /** Cancels running fetches and frees what was fetched. */
  end(): void;
}

/** The largest file that any of the vendors takes inline without other conditions (20 MB of base64 and more). */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** All files of a request: as much as a body may have that brings them along (`http/body/body.ts`). */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

/** More images than this are frames of a video, which is better sent as one file. */
const MAX_FILES = 64;

/** At once for one request: a page's worth, as browsers do; a request is no load generator. */
const MAX_AT_ONCE = 6;

/** All requests together: each byte lives about three times until its request is answered. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

/** A caller waits meanwhile, and its own time-out is seldom below a minute. */
const LIMITS: FetchLimits = { connectMs: 5_000, firstByteMs: 10_000, totalMs: 30_000 };

/** Seconds after which another request has most likely let go of its files. */
const RETRY_AFTER_SECONDS = 5;

export function createInlineMedia(client: SafeFetch): InlineMedia {
  let heldBytes = 0;

  return {
    begin() {
      const abort = new AbortController();
      const files = new Map<string, Promise<File>>();
      let bytes = 0;
      const turns = new Semaphore({ maxRunning: MAX_AT_ONCE });

      return {
        inline(request, capabilities, quirks) {
          const parts = mediaToInline(request, capabilities, quirks);
          return parts.length === 0 ? request : inlineParts(request, parts);
        },
        end() {
          abort.abort();
          heldBytes -= bytes;
          bytes = 0;
          files.clear();
        },
      };

      async function inlineParts(request: ChatRequest, parts: readonly LinkedMedia[]): Promise<ChatRequest> {
        const refuse = (why: string): GatewayError =>
          new GatewayError("invalid_request", why, { param: request.fieldNames.media ?? "media" });
        const urls = new Set(parts.map(({ source }) => source.url));
        if (urls.size > MAX_FILES) {
          throw refuse(`The request links ${urls.size} files; the limit is ${MAX_FILES}.`);
        }
        const inlined = await Promise.all(
          parts.map(async (part) => [part, await inlinePart(part, refuse)] as const),
        );
        return replaceMedia(request, new Map<MediaPart, MediaPart>(inlined));
      }

      async function inlinePart(
        part: LinkedMedia,
        refuse: (why: string) => GatewayError,
      ): Promise<MediaPart> {
        const { url } = part.source;
        const what = `The ${part.media} at ${hostOf(url)}`;
        const file = await fetchOnce(url).catch((error: unknown) => {
          if (!(error instanceof FetchFailure)) throw error;
          if (error.reason === "aborted") throw shuttingDown(error);
          throw refuse(`${what} could not be fetched. ${error.message} Send its data inline instead.`);
        });
        if (!isOfKind(file.type, part)) {
          throw refuse(`${what} has the type ${file.type ?? "unknown"}, not ${wantedOf(part)}.`);
        }
        return {
          ...part,
          source: { from: "base64", data: file.data },
          mimeType: file.type,
        };
      }

      function fetchOnce(url: string): Promise<File> {
        const known = files.get(url);
        if (known !== undefined) return known;
        const file = turns.run(() => fetchFile(url));
        files.set(url, file);
        return file;
      }

      async function fetchFile(url: string): Promise<File> {
        const stream = await client.open(url, {
          maxBytes: MAX_FILE_BYTES,
          signal: abort.signal,
          limits: LIMITS,
        });
        const chunks: Buffer[] = [];
        let length = 0;
        for await (const chunk of stream.body) {
          hold(chunk.length);
          length += chunk.length;
          packChunk(chunks, chunk, length);
        }
        const data = Buffer.concat(chunks);
        const type = fileType(stream.headers["content-type"], data, url);
        return { data: data.toString("base64"), type };
      }

      function hold(more: number): void {
        if (abort.signal.aborted) throw new FetchFailure("aborted", "The fetch was cancelled.");
        if (bytes + more > MAX_REQUEST_BYTES) {
          throw new FetchFailure(
            "too-large",
            `The linked files exceed the limit of ${MAX_REQUEST_BYTES} bytes per request.`,
          );
        }
        if (heldBytes + more > MAX_HELD_BYTES) throw tooManyFetches();
        bytes += more;
        heldBytes += more;
      }
    },
  };
}

interface File {
  /** Base64. */
  readonly data: string;
  readonly type: string | undefined;
}

function tooManyFetches(): GatewayError {
  return new GatewayError(
    "service_unavailable",
    "The gateway's memory for fetched files is used up. Try again, or send the data inline.",
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function wantedOf({ media, mimeType }: MediaPart): string {
  return media === "document" ? (mimeType ?? media) : media;
}

/** Names the URL without its query, which may be secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "the given URL";
}
