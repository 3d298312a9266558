import { constants, createPrivateKey, sign } from "node:crypto";
import { AccessFailure } from "./access.ts";

/** RFC 7518, section 3.1. */
const ALGORITHMS = {
  RS256: { padding: constants.RSA_PKCS1_PADDING },
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
} as const;

/** A signed assertion of who asks: a JSON Web Token. Throws AccessFailure where the key is none. */
export function signedAssertion(
  header: { readonly alg: keyof typeof ALGORITHMS } & Readonly<Record<string, string>>,
  claims: Readonly<Record<string, string | number>>,
  privateKey: string,
): string {
  const told = `${base64(JSON.stringify({ ...header, typ: "JWT" }))}.${base64(JSON.stringify(claims))}`;
  try {
    const key = createPrivateKey(privateKey);
    const signature = sign("sha256", Buffer.from(told), { key, ...ALGORITHMS[header.alg] });
    return `${told}.${signature.toString("base64url")}`;
  } catch {
    throw new AccessFailure("its private key can't be read", {
      advice: "Write it as PEM, with its line breaks.",
      isRefusal: true,
    });
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64url");
}
