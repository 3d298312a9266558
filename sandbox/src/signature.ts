import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Opaque state as vendors mint it: Anthropic's thinking signatures, OpenAI's encrypted reasoning,
 * Gemini's thought signatures. Each names its kind, so that one protocol's never passes for
 * another's, and is made with this sandbox's own secret, so that two sandboxes refuse each other's.
 */
export interface Mint {
  sign(kind: string, content: string): string;
  /** True if this issuer made the value for exactly this kind and content. */
  verify(kind: string, content: string, signature: string): boolean;
}

const NONCE_BYTES = 12;
const MAC_BYTES = 32;
/** Real ones are some hundred bytes long; padding keeps tests honest about their size. */
const PADDING_BYTES = 100;

export function createMint(secret: string): Mint {
  const macOf = (kind: string, content: string, nonce: Buffer): Buffer =>
    createHmac("sha256", secret)
      .update(kind)
      .update("\0")
      .update(content)
      .update("\0")
      .update(nonce)
      .digest();
  return {
    sign(kind, content) {
      const nonce = randomBytes(NONCE_BYTES);
      const padding = Buffer.alloc(PADDING_BYTES, nonce);
      return Buffer.concat([nonce, macOf(kind, content, nonce), padding]).toString("base64");
    },
    verify(kind, content, signature) {
      const bytes = Buffer.from(signature, "base64");
      if (bytes.length !== NONCE_BYTES + MAC_BYTES + PADDING_BYTES) return false;
      // One vendor's client for Python sends them in URL-safe base64, which that vendor reads too.
      if (bytes.toString("base64") !== signature.replaceAll("-", "+").replaceAll("_", "/")) return false;
      const nonce = bytes.subarray(0, NONCE_BYTES);
      return timingSafeEqual(
        bytes.subarray(NONCE_BYTES, NONCE_BYTES + MAC_BYTES),
        macOf(kind, content, nonce),
      );
    },
  };
}
