import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** A bundle of all public authorities has a quarter of this. */
const MAX_BYTES = 1024 * 1024;

/** The certificates of a PEM file. Throws RangeError with what is wrong with it. */
export function readCaFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new RangeError(code === "ENOENT" ? `no file ${path} exists` : `${path} can't be read (${code})`);
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0 || text.length > MAX_BYTES)
    throw new RangeError(`${path} is no PEM file of certificates`);
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch {
    throw new RangeError(`${path} has a certificate that can't be read`);
  }
  return certificates.join("\n");
}

/** The same as a sentence's end; undefined = nothing is wrong. */
export function caFileProblem(path: string): string | undefined {
  try {
    readCaFile(path);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
