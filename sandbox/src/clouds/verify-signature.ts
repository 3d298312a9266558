import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { VendorError } from "../refusal.ts";
import type { World } from "../world.ts";
import { secretOf } from "./aws-keys.ts";

/** AWS's error for callers that it does not let in. */
function denied(type: string, message: string, status = 403): VendorError {
  return { status, type, message };
}

const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;

/** AWS takes no signature that is older, or newer, than this. */
const MAX_SKEW_MS = 300_000;

export interface Verified {
  accessKeyId: string;
  region: string;
}

/**
 * Decides if AWS would let the request in for a service: by its signature, or by a key of the service's own as a
 * bearer. Written from https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html, with the request as it
 * came off the wire.
 */
export function verifyAws(
  world: World,
  request: IncomingMessage,
  body: Buffer,
  services: readonly string[],
): VendorError | Verified {
  const authorization = request.headers.authorization ?? "";
  if (/^bearer /i.test(authorization)) return verifyBearer(authorization.slice("bearer ".length));
  const parts = FORM.exec(authorization);
  if (parts === null) return denied("MissingAuthenticationTokenException", "Missing Authentication Token");
  const [, accessKeyId = "", date = "", region = "", service = "", names = "", signature = ""] = parts;
  const stamp = headerOf(request, "x-amz-date") ?? "";
  const refused =
    skewOf(world, stamp, date) ??
    scopeRefusal(service, services) ??
    keyRefusal(world, accessKeyId, headerOf(request, "x-amz-security-token"));
  if (refused !== undefined) return refused;
  const signed = names.split(";");
  const unsigned = Object.keys(request.headers).find(
    (name) => (name === "host" || /^x-amz-/.test(name)) && !signed.includes(name),
  );
  if (unsigned !== undefined) return denied("InvalidSignatureException", `'${unsigned}' must be signed.`);
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${hex(canonicalRequest(request, signed, body))}`;
  let key: Buffer = Buffer.from(`AWS4${secretOf(accessKeyId)}`, "utf8");
  for (const part of [date, region, service, "aws4_request"]) key = mac(key, part);
  if (timingSafeEqual(mac(key, toSign), Buffer.from(signature, "hex"))) return { accessKeyId, region };
  return denied(
    "InvalidSignatureException",
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
  );
}

function verifyBearer(key: string): VendorError | Verified {
  if (key.startsWith("bad-"))
    return denied("AccessDeniedException", "Authentication failed: Please make sure your API Key is valid.");
  return { accessKeyId: key, region: "" };
}

function skewOf(world: World, stamp: string, date: string): VendorError | undefined {
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  const atMs = Date.parse(iso);
  if (Number.isNaN(atMs) || !stamp.startsWith(date))
    return denied(
      "IncompleteSignatureException",
      `Date in Credential scope does not match X-Amz-Date: '${stamp}'`,
    );
  const aheadMs = atMs - world.clock.nowMs();
  if (aheadMs > MAX_SKEW_MS)
    return denied("InvalidSignatureException", `Signature not yet current: ${stamp}`);
  if (aheadMs < -MAX_SKEW_MS)
    return denied("InvalidSignatureException", `Signature expired: ${stamp} is now earlier than allowed`);
  return undefined;
}

function scopeRefusal(service: string, services: readonly string[]): VendorError | undefined {
  if (services.includes(service)) return undefined;
  return denied(
    "InvalidSignatureException",
    `Credential should be scoped to correct service: '${services[0]}'.`,
  );
}

function keyRefusal(world: World, accessKeyId: string, token: string | undefined): VendorError | undefined {
  const unknown = denied(
    "UnrecognizedClientException",
    "The security token included in the request is invalid.",
  );
  if (accessKeyId.startsWith("bad-")) return unknown;
  if (!accessKeyId.startsWith("ASIA")) return undefined;
  const refusal = world.keys.refusal(accessKeyId, token ?? "", world.clock.nowMs());
  if (refusal === "expired")
    return denied("ExpiredTokenException", "The security token included in the request is expired");
  return refusal === "unknown" ? unknown : undefined;
}

function canonicalRequest(request: IncomingMessage, signed: readonly string[], body: Buffer): string {
  const [path = "/", query = ""] = (request.url ?? "/").split("?");
  const headers = signed.map(
    (name) => `${name}:${(headerOf(request, name) ?? "").trim().replace(/\s+/g, " ")}\n`,
  );
  return [
    request.method ?? "GET",
    path.split("/").map(uriEncode).join("/"),
    query
      .split("&")
      .filter((pair) => pair !== "")
      .map((pair) => (pair.includes("=") ? pair : `${pair}=`))
      .sort()
      .join("&"),
    headers.join(""),
    signed.join(";"),
    hex(body),
  ].join("\n");
}

/** Byte by byte, so that what is escaped already is escaped again. */
function uriEncode(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const char = String.fromCharCode(byte);
    encoded += /[A-Za-z0-9\-._~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}

function hex(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

function mac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text, "utf8").digest();
}
