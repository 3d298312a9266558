import { constants, type KeyLike, verify } from "node:crypto";

const ALGORITHMS: Readonly<Record<string, object>> = {
  RS256: { padding: constants.RSA_PKCS1_PADDING },
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
};

/** The claims of a signed assertion; undefined where it is not signed by this key, or its time is over. */
export function claimsIn(assertion: string, key: KeyLike): Record<string, unknown> | undefined {
  const [header = "", claims = "", signature = ""] = assertion.split(".");
  const { alg } = part(header);
  const algorithm = ALGORITHMS[String(alg)];
  if (algorithm === undefined) return undefined;
  const told = Buffer.from(`${header}.${claims}`);
  const signed = Buffer.from(signature, "base64url");
  if (!verify("sha256", told, { key: key as never, ...algorithm }, signed)) return undefined;
  const read = part(claims);
  return Number(read["exp"]) * 1000 > Date.now() ? read : undefined;
}

function part(text: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Record<string, unknown>;
}
