import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/**
 * Secrets at rest. A sealed secret is text: `fg1.<master key's id>.<nonce, ciphertext and tag>`, made
 * with AES-256-GCM under a key derived from the master key. It is bound to the place where it stands
 * (associated data), so that a sealed secret copied to another row opens nowhere.
 */
export interface Seals {
  /** Seals under the current master key. `boundTo` names the row, as sealedRow() writes it. */
  seal(secret: string, boundTo: string): string;
  /** Opens what any known master key sealed; throws SealError. */
  open(sealed: string, boundTo: string): string;
  /** Makes `masterKey` the current one; what earlier ones sealed still opens (rotation). */
  adopt(masterKey: string): void;
}

/** Why a sealed secret cannot be opened; the message says what to do and holds no secret. */
export class SealError extends Error {
  override readonly name = "SealError";
  readonly reason: "wrong-key" | "damaged";

  constructor(reason: "wrong-key" | "damaged", message: string) {
    super(message);
    this.reason = reason;
  }
}

/** `masterKey` is any text of at least 128 bits of randomness; FAREGATE_MASTER_KEY or the key file. */
export function createSeals(masterKey: string): Seals {
  let current = deriveKey(masterKey);
  const known = new Map([[current.id, current]]);
  return {
    seal: (secret, boundTo) => sealUnder(current, secret, boundTo),
    open: (sealed, boundTo) => openUnder(known, sealed, boundTo),
    adopt: (next) => {
      current = deriveKey(next);
      known.set(current.id, current);
    },
  };
}

/** The context that a secret in column `sealed` of a table with an `id` is bound to. */
export function sealedRow(table: string, id: bigint | number): string {
  return `${table}:${id}`;
}

interface DerivedKey {
  readonly id: string;
  readonly bytes: Buffer;
}

const VERSION = "fg1";
const NONCE_BYTES = 12; // what GCM is made for; random, since 2^32 seals under one key are out of reach
const TAG_BYTES = 16;

/** The label keeps keys of different purposes apart, should the master key ever serve another. */
function deriveKey(masterKey: string): DerivedKey {
  const derive = (label: string, size: number): Buffer =>
    Buffer.from(hkdfSync("sha256", masterKey, "", `faregate ${label}`, size));
  return { id: derive("seal key id", 4).toString("hex"), bytes: derive("seal", 32) };
}

function sealUnder(key: DerivedKey, secret: string, boundTo: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${key.id}.${sealed.toString("base64url")}`;
}

function openUnder(known: ReadonlyMap<string, DerivedKey>, sealed: string, boundTo: string): string {
  const [version, keyId = "", text = "", ...rest] = sealed.split(".");
  const bytes = Buffer.from(text, "base64url");
  if (version !== VERSION || rest.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES)
    throw damaged(boundTo);
  // Node reads other letters as these too and passes over the rest, and some bits of the last letter mean nothing.
  if (bytes.toString("base64url") !== text) throw damaged(boundTo);
  const key = known.get(keyId);
  if (!key) {
    throw new SealError(
      "wrong-key",
      `The secret of ${boundTo} was encrypted with another master key (id ${keyId}; known: ${[...known.keys()].join(", ")}). Start with the master key of this database.`,
    );
  }
  const opener = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  opener.setAAD(Buffer.from(boundTo));
  opener.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = [opener.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), opener.final()];
    return Buffer.concat(opened).toString("utf8");
  } catch {
    throw damaged(boundTo);
  }
}

function damaged(boundTo: string): SealError {
  return new SealError(
    "damaged",
    `The sealed secret of ${boundTo} is damaged, or belongs to another record. Set it again.`,
  );
}
