import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { FieldCheck } from "./field-checks.ts";

/** The parts of a PEM text, as they stand in it; undefined = it has none. */
export interface CertificateParts {
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

export function certificateParts(pem: string): CertificateParts {
  const [certificate] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(pem) ?? [];
  const [key] = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^-]+-----END \1PRIVATE KEY-----/.exec(pem) ?? [];
  return { certificate, key };
}

/** A certificate and the private key that belongs to it. */
export const certificateCheck: FieldCheck = (pem) => {
  if (/ENCRYPTED/.test(pem)) return "has a private key behind a password; write the key without one";
  const { certificate, key } = certificateParts(pem);
  if (certificate === undefined) return `holds no certificate; ${BOTH}`;
  if (key === undefined) return `holds no private key; ${BOTH}`;
  const known = certificateIn(certificate);
  if (known === undefined) return `holds a certificate that can't be read; ${BOTH}`;
  const problem = privateKeyProblem(key);
  if (problem !== undefined) return problem;
  if (known.checkPrivateKey(createPrivateKey(key))) return undefined;
  return "holds a private key that isn't the certificate's; write the key it was made with";
};

const BOTH =
  "write the certificate and its private key, both as PEM with their line breaks, one after the other";

/** Returns the fault of a private key for RSA signatures, in the words of the field that holds it. */
export function privateKeyProblem(pem: string): string | undefined {
  const key = privateKeyIn(pem);
  if (key === undefined)
    return "holds a private key that can't be read; write it as PEM, with its line breaks";
  const type = key.asymmetricKeyType ?? "another type";
  return type === "rsa" ? undefined : `holds a private key of ${type}; use one of RSA`;
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** undefined = it is none. */
export function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
