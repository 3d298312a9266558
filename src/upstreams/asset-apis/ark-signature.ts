import { createHash, createHmac } from "node:crypto";

/** The signed call: always a POST of JSON to the root, as the vendor's management API requires. */
export interface SignedCall {
  readonly host: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Wall clock; the vendor allows 15 minutes of difference. */
  readonly nowMs: number;
}

export interface Signature {
  /** The query with its question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

const SERVICE = "ark";
const SIGNED = "content-type;host;x-content-sha256;x-date";
const CONTENT_TYPE = "application/json";

/** Volcengine's signature, version 4 with words of its own. https://www.volcengine.com/docs/6369/67269 */
export function signArk(call: SignedCall): Signature {
  const { host, region, accessKey, secretKey } = call;
  const stamp = new Date(call.nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const date = stamp.slice(0, 8);
  const digest = sha256(call.body);
  const query = canonicalQuery(call.query);
  const canonical = [
    "POST",
    "/",
    query,
    `content-type:${CONTENT_TYPE}`,
    `host:${host}`,
    `x-content-sha256:${digest}`,
    `x-date:${stamp}`,
    "",
    SIGNED,
    digest,
  ].join("\n");
  const scope = `${date}/${region}/${SERVICE}/request`;
  const toSign = ["HMAC-SHA256", stamp, scope, sha256(canonical)].join("\n");
  const key = [date, region, SERVICE, "request"].reduce<string | Buffer>(hmac, secretKey);
  const signature = hmac(key, toSign).toString("hex");
  return {
    query: `?${query}`,
    headers: {
      "content-type": CONTENT_TYPE,
      "x-content-sha256": digest,
      "x-date": stamp,
      authorization: `HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
    },
  };
}

function canonicalQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
}

/** RFC 3986: what encodeURIComponent leaves alone beyond the unreserved is escaped too. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
