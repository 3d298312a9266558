import type { IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import { atTurnEnd } from "../base/turn.ts";
import { GatewayError } from "../errors.ts";

/** Text bodies: the largest that a vendor takes is 32 MB. */
export const TEXT_BODY_BYTES = 32 * 1024 * 1024;

/** Bodies of pictures and videos, as the specification says: data URLs are large. */
export const MEDIA_BODY_BYTES = 64 * 1024 * 1024;

/** What reads the chunks of a body as they arrive; it may throw to refuse the rest. */
export interface BodyReader {
  write(chunk: Buffer): void;
}

/**
 * Reads a bounded body chunk by chunk into `reader`, each at the end of the turn that brought it, and gives the
 * decoded chunks, never joined. gzip is decoded within the same bound, so a bomb ends at the bound too; other
 * codings are 415.
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  reader: BodyReader,
): Promise<Buffer[]> {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() || "identity";
  if (coding !== "identity" && coding !== "gzip") {
    return Promise.reject(
      new GatewayError(
        "unsupported_media_type",
        `Content-Encoding "${coding}" is not supported; send the body plain or as gzip.`,
      ),
    );
  }
  if (Number(request.headers["content-length"] ?? 0) > limitBytes)
    return Promise.reject(tooLarge(limitBytes));
  if (coding === "identity" && request.complete && request.readableLength <= limitBytes)
    return readWhole(request, reader);

  return new Promise((resolve, reject) => {
    const source = coding === "gzip" ? request.pipe(createGunzip()) : request;
    const chunks: Buffer[] = [];
    let bytes = 0;
    let failed = false;
    const fail = (error: GatewayError): void => {
      failed = true;
      source.removeAllListeners("data");
      if (source !== request) request.unpipe();
      // The rest is thrown away by whoever answers.
      request.resume();
      reject(error);
    };
    const read = (chunk: Buffer): void => {
      if (failed) return;
      try {
        reader.write(chunk);
      } catch (error) {
        fail(refusalOf(error));
      }
    };
    source.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) return fail(tooLarge(limitBytes));
      chunks.push(chunk);
      atTurnEnd(() => read(chunk));
    });
    source.on("end", () => atTurnEnd(() => resolve(chunks)));
    source.on("error", (cause) =>
      fail(
        new GatewayError(
          "invalid_request",
          coding === "gzip" ? "The body is not valid gzip." : "The body broke off.",
          { cause },
        ),
      ),
    );
    request.on("aborted", () =>
      fail(new GatewayError("invalid_request", "The caller closed the connection while sending the body.")),
    );
  });
}

/** A body that came in one with its head, as most do, is here already: no event of the stream need be awaited. */
function readWhole(request: IncomingMessage, reader: BodyReader): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    atTurnEnd(() => {
      const body: Buffer | null = request.read();
      try {
        if (body !== null) reader.write(body);
      } catch (error) {
        return reject(refusalOf(error));
      }
      resolve(body === null ? [] : [body]);
    });
  });
}

function refusalOf(cause: unknown): GatewayError {
  return cause instanceof GatewayError
    ? cause
    : new GatewayError("internal_error", "The request could not be read.", { cause });
}

function tooLarge(limitBytes: number): GatewayError {
  const kilobytes = limitBytes / 1024;
  const limit = kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
  return new GatewayError("request_too_large", `The request body exceeds ${limit}.`);
}
