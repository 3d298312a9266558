import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export const S3_KEYS = { accessKey: "AKFAKE", secretKey: "secret/with+signs" } as const;
export const S3_REGION = "eu-test-1";
export const S3_BUCKET = "media-bucket";

/** A bucket in memory that takes nothing which is not signed as AWS writes it down, by code of its own. */
export interface FakeS3 {
  readonly url: string;
  readonly objects: Map<string, { readonly body: Buffer; readonly type: string | undefined }>;
  /** The requests, as `PUT key`, with the status of the response. */
  readonly asked: { readonly what: string; readonly status: number }[];
  /** Answers the next PUTs with these statuses instead. */
  readonly refusals: number[];
  close(): Promise<void>;
}

export async function startFakeS3(): Promise<FakeS3> {
  const objects: FakeS3["objects"] = new Map();
  const asked: FakeS3["asked"] = [];
  const refusals: number[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "/", "http://s3.test");
    const [bucket, ...rest] = url.pathname.slice(1).split("/");
    const key = decodeURIComponent(rest.join("/"));
    const wrong = whatIsWrong(request, url, body);
    const answer = (
      status: number,
      headers: Record<string, string> = {},
      text: Buffer | string = "",
    ): void => {
      asked.push({ what: `${request.method} ${key}`, status });
      response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : text);
    };
    if (wrong !== undefined) answer(403, {}, `<Error><Code>${wrong}</Code></Error>`);
    else if (bucket !== S3_BUCKET) answer(404, {}, "<Error><Code>NoSuchBucket</Code></Error>");
    else serve(request, { url, key, body, response: answer, objects, refusals });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    asked,
    refusals,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Call {
  readonly url: URL;
  readonly key: string;
  readonly body: Buffer;
  readonly objects: FakeS3["objects"];
  readonly refusals: number[];
  readonly response: Response;
}

type Response = (status: number, headers?: Record<string, string>, text?: Buffer | string) => void;

/** So many keys a page, so that tests see more than one. */
const PAGE = 3;

function serve(request: IncomingMessage, call: Call): void {
  const { key, body, objects, refusals, response, url } = call;
  if (request.method === "PUT") {
    const refused = refusals.shift();
    if (refused === undefined) objects.set(key, { body, type: request.headers["content-type"] });
    response(refused ?? 200);
  } else if (request.method === "DELETE") {
    objects.delete(key);
    response(204);
  } else if (key === "") response(200, {}, listing(objects, url.searchParams));
  else read(request.headers.range, call);
}

function listing(objects: FakeS3["objects"], query: URLSearchParams): string {
  const [prefix, after] = [query.get("prefix") ?? "", query.get("start-after") ?? ""];
  const keys = [...objects.keys()].filter((each) => each.startsWith(prefix) && each > after).sort();
  const listed = keys
    .slice(0, PAGE)
    .map((each) => `<Contents><Key>${escaped(each)}</Key><Size>1</Size></Contents>`);
  return `<ListBucketResult><Name>x</Name>${listed.join("")}</ListBucketResult>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

function read(range: string | undefined, { key, objects, response }: Call): void {
  const body = objects.get(key)?.body;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (body === undefined) response(404);
  else if (first === undefined) response(200, { "content-length": String(body.length) }, body);
  else response(206, {}, body.subarray(Number(first), Number(last) + 1));
}

/** AWS Signature Version 4; undefined = it is right. */
function whatIsWrong(request: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const header = (name: string): string => String(request.headers[name] ?? "");
  const [, credential = "", names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      header("authorization"),
    ) ?? [];
  const date = header("x-amz-date");
  const scope = `${date.slice(0, 8)}/${S3_REGION}/s3/aws4_request`;
  if (credential !== `${S3_KEYS.accessKey}/${scope}`) return "InvalidAccessKeyId";
  for (const needed of ["host", "x-amz-content-sha256", "x-amz-date"])
    if (!names.split(";").includes(needed)) return "HeadersNotSigned";
  if (header("x-amz-content-sha256") !== sha256(body)) return "XAmzContentSHA256Mismatch";
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  const headers = names.split(";").map((name) => `${name}:${header(name).trim()}\n`);
  const canonical = [
    request.method,
    url.pathname,
    query,
    headers.join(""),
    names,
    header("x-amz-content-sha256"),
  ].join("\n");
  const wanted = ["AWS4-HMAC-SHA256", date, scope, sha256(Buffer.from(canonical))].join("\n");
  const key = [date.slice(0, 8), S3_REGION, "s3", "aws4_request"].reduce<Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    Buffer.from(`AWS4${S3_KEYS.secretKey}`),
  );
  const right = createHmac("sha256", key).update(wanted).digest();
  return timingSafeEqual(right, Buffer.from(signature, "hex")) ? undefined : "SignatureDoesNotMatch";
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
