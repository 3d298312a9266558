import { constants, type KeyLike, verify } from "node:crypto";

const ALGORITHMS: Readonly<Record<string, object>> = {
  RS256: { padding: constants.RSA_PKCS1_PADDING },
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
};

/** Clocks may differ by so much. */
const SPARE_MS = 300_000;

/** True if an assertion holds at a time: it has begun, and its end isn't over. */
export function isTimely(claims: Readonly<Record<string, unknown>>, nowMs: number): boolean {
  const begins = Number(claims["nbf"] ?? claims["iat"]) * 1000;
  return begins <= nowMs + SPARE_MS && Number(claims["exp"]) * 1000 > nowMs;
}

/** The claims of a signed assertion, whenever they hold; undefined where it is not signed by this key. */
export function claimsIn(assertion: string, key: KeyLike): Record<string, unknown> | undefined {
  const [header = "", claims = "", signature = ""] = assertion.split(".");
  const { alg } = part(header);
  const algorithm = ALGORITHMS[String(alg)];
  if (algorithm === undefined) return undefined;
  const told = Buffer.from(`${header}.${claims}`);
  const signed = Buffer.from(signature, "base64url");
  if (!verify("sha256", told, { key: key as never, ...algorithm }, signed)) return undefined;
  return part(claims);
}

function part(text: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Record<string, unknown>;
}
