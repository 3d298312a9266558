import { createHash, createHmac } from "node:crypto";

/**
 * Keys of a caller at AWS. The same object is used while the keys are valid, because derived signing keys are cached by
 * it.
 */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Set for temporary keys; null = the keys don't expire. */
  readonly sessionToken: string | null;
}

/** A request as it will go out. */
export interface AwsRequest {
  readonly method: string;
  /** `host` or `host:port`, as in the request's header. */
  readonly host: string;
  /** Path and query as they are sent, escapes included. */
  readonly path: string;
  /** Names and values in turn. Of them the content type and all of AWS's own are signed, as a proxy may change any other. */
  readonly headers: readonly string[];
  /** Hashed piece by piece, never joined. */
  readonly body: readonly Uint8Array[];
  readonly region: string;
  readonly service: string;
  /** Wall clock; AWS allows five minutes of difference. */
  readonly nowMs: number;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/** The headers that prove who asks. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
export function signAws(request: AwsRequest, keys: AwsKeys): string[] {
  const stamp = new Date(request.nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const date = stamp.slice(0, 8);
  const own = ["x-amz-date", stamp];
  if (keys.sessionToken !== null) own.push("x-amz-security-token", keys.sessionToken);
  const signed = signedHeaders(["host", request.host, ...request.headers, ...own]);
  const names = signed.map(([name]) => name).join(";");
  const [path, query = ""] = split(request.path);
  const canonical = [
    request.method,
    escaped(normalized(path)).replaceAll("%2F", "/"),
    canonicalQuery(query),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    digestOf(request.body),
  ].join("\n");
  const scope = `${date}/${request.region}/${request.service}/aws4_request`;
  const toSign = [ALGORITHM, stamp, scope, digestOf([Buffer.from(canonical)])].join("\n");
  const signature = createHmac("sha256", signingKey(keys, scope)).update(toSign).digest("hex");
  const authorization = `${ALGORITHM} Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return [...own, "authorization", authorization];
}

/** In the order of their names, with the values of those that come several times joined. */
function signedHeaders(flat: readonly string[]): [name: string, value: string][] {
  const signed = new Map<string, string>();
  for (let index = 0; index < flat.length; index += 2) {
    const name = (flat[index] ?? "").toLowerCase();
    if (name !== "host" && name !== "content-type" && !name.startsWith("x-amz-")) continue;
    const value = (flat[index + 1] ?? "").trim().replace(/ {2,}/g, " ");
    const before = signed.get(name);
    signed.set(name, before === undefined ? value : `${before},${value}`);
  }
  return [...signed].sort(([a], [b]) => (a < b ? -1 : 1));
}

function split(target: string): readonly [path: string, query?: string] {
  const mark = target.indexOf("?");
  return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** Without dot segments and doubled slashes: AWS signs the paths of every service but S3 so. */
function normalized(path: string): string {
  if (!/\/(\/|\.)/.test(path)) return path;
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  const end = kept.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${kept.join("/")}${end}`;
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  const pairs = query.split("&").map((part): [string, string] => {
    const [name = "", ...value] = part.split("=");
    return [escaped(decodeURIComponent(name)), escaped(decodeURIComponent(value.join("=")))];
  });
  const inOrder = ([a, b]: [string, string], [c, d]: [string, string]): number =>
    a === c ? compare(b, d) : compare(a, c);
  return pairs
    .sort(inOrder)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** All but RFC 3986's unreserved characters. A path is escaped a second time, as AWS wants it of every service but S3. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function digestOf(pieces: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

/** A key is valid for a day, a region and a service: a process uses two or three of them at once. */
const MAX_SIGNING_KEYS = 8;

const perKeys = new WeakMap<AwsKeys, Map<string, Buffer>>();

function signingKey(keys: AwsKeys, scope: string): Buffer {
  const known = perKeys.get(keys) ?? new Map<string, Buffer>();
  perKeys.set(keys, known);
  let key = known.get(scope);
  if (key === undefined) {
    key = scope
      .split("/")
      .reduce<Buffer>(
        (derived, word) => createHmac("sha256", derived).update(word).digest(),
        Buffer.from(`AWS4${keys.secretAccessKey}`),
      );
    if (known.size >= MAX_SIGNING_KEYS) known.clear();
    known.set(scope, key);
  }
  return key;
}
