import type { Mint } from "../signature.ts";

/** Long-lived keys are any; the secret of `AKIA...` is this. */
export function secretOf(accessKeyId: string): string {
  return `secret-of-${accessKeyId}`;
}

export interface IssuedKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  expiration: string;
}

/** The state of the vendor that issues temporary keys. */
export interface KeyIssuer {
  /** The lifetime of the keys that it issues; a test shortens it. */
  lifeSeconds: number;
  /** Keys issued so far, whoever asked and how. */
  issued: number;
  issue(nowMs: number): IssuedKeys;
  /** Ends all keys issued so far, which nobody is told. */
  revoke(): void;
  /** Why a token is not taken; undefined = it is. */
  refusal(accessKeyId: string, token: string, nowMs: number): "expired" | "unknown" | undefined;
}

const DEFAULT_LIFE_SECONDS = 3_600;
/** The kind under which tokens are signed. */
const KIND = "aws-session";

export function createKeyIssuer(mint: Mint): KeyIssuer {
  let revoked = 0;
  const issuer: KeyIssuer = {
    lifeSeconds: DEFAULT_LIFE_SECONDS,
    issued: 0,
    issue(nowMs) {
      issuer.issued += 1;
      const accessKeyId = `ASIA${String(issuer.issued).padStart(16, "0")}`;
      const endMs = nowMs + issuer.lifeSeconds * 1_000;
      const sessionToken = `${endMs}/${mint.sign(KIND, `${accessKeyId} ${endMs}`)}`;
      const expiration = new Date(endMs).toISOString();
      return { accessKeyId, secretAccessKey: secretOf(accessKeyId), sessionToken, expiration };
    },
    revoke() {
      revoked = issuer.issued;
    },
    refusal(accessKeyId, token, nowMs) {
      const slash = token.indexOf("/");
      const endMs = Number(token.slice(0, slash));
      if (!mint.verify(KIND, `${accessKeyId} ${endMs}`, token.slice(slash + 1))) return "unknown";
      const isRevoked = Number(accessKeyId.slice("ASIA".length)) <= revoked;
      return nowMs < endMs && !isRevoked ? undefined : "expired";
    },
  };
  return issuer;
}
