import type { Readable } from "node:stream";
import { AwsV4Signer } from "aws4fetch";
import { Agent, request } from "undici";
import type { Clock } from "../base/clock.ts";
import type { Settings } from "../catalog/catalog.ts";

/** A bucket as the settings name it. */
export type S3Place = Extract<Settings["mirror"], { kind: "s3" }>;

export interface S3Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** In the bucket, without a slash at the front; "" = the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable;
  /** The digest of the body, hexadecimal. */
  readonly sha256?: string;
  readonly signal?: AbortSignal;
}

export interface S3Response {
  readonly status: number;
  header(name: string): string | undefined;
  /** To be read to its end or destroyed. */
  readonly body: Readable & { text(): Promise<string>; dump(): Promise<void> };
}

/**
 * The door to the operator's bucket. Its address comes from the settings, as an upstream's does and unlike a link
 * that a caller or a vendor gave, so it is not guarded: a bucket in the operator's own network is the usual case.
 */
export interface S3Client {
  /** Rejects where no response comes. */
  ask(place: S3Place, request: S3Request): Promise<S3Response>;
  close(): Promise<void>;
}

/** The digest of an empty body. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** A bucket answers in well under a second; one that is silent this long is ill. */
const SILENT_MS = 30_000;
const CONNECT_MS = 5_000;
/** Copies that are made and files that are read at once; more wait for a connection. */
const MAX_CONNECTIONS = 64;

export function createS3Door(keys: S3Keys, clock: Clock): S3Client {
  const agent = new Agent({
    connections: MAX_CONNECTIONS,
    connect: { timeout: CONNECT_MS },
    headersTimeout: SILENT_MS,
    bodyTimeout: SILENT_MS,
  });
  // Keys of a day and region, which the signer would derive anew for each request.
  const cache = new Map<string, ArrayBuffer>();
  return {
    async ask(place, { method, key, query = {}, headers = {}, body, sha256 = EMPTY_SHA256, signal }) {
      const url = new URL(`${place.endpoint}/${place.bucket}${key === "" ? "" : `/${key}`}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const signer = new AwsV4Signer({
        method,
        url: url.href,
        service: "s3",
        region: place.region,
        cache,
        accessKeyId: keys.accessKey,
        secretAccessKey: keys.secretKey,
        headers: { ...headers, "x-amz-content-sha256": sha256 },
        datetime: new Date(clock.nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, ""),
      });
      const signed = await signer.sign();
      const response = await request(url, {
        method,
        dispatcher: agent,
        headers: Object.fromEntries(signed.headers),
        body: body ?? null,
        signal: signal ?? null,
      });
      return {
        status: response.statusCode,
        header(name) {
          const value = response.headers[name];
          return Array.isArray(value) ? value[0] : value;
        },
        body: response.body,
      };
    },
    close: () => agent.close(),
  };
}
