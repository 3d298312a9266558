/** The bytes that one owner holds, by pool. */
export interface Held {
  small: number;
  large: number;
}

/** The owner of memory: a key, and with it its account. All who hold memory for them share both. */
export interface MemoryOwner {
  readonly key: Held;
  readonly account: Held;
}

export type Obstacle = "key" | "account" | "total";

/** No key and no account may take what all others need. */
const KEY_SHARE = 0.25;
const ACCOUNT_SHARE = 0.5;

/**
 * Counts bytes against a limit for all, shares of it for a key and an account. Whoever holds nothing else is
 * never refused for a share, nor for the limit where nobody else holds anything: one body, however large, always fits.
 */
export class MemoryPool {
  readonly name: keyof Held;
  private readonly limitBytes: () => number;
  held = 0;

  constructor(name: keyof Held, limitBytes: () => number) {
    this.name = name;
    this.limitBytes = limitBytes;
  }

  /** The limit that `more` bytes for an owner would exceed; `own` are the owner's bytes that would grow. */
  obstacle({ key, account }: MemoryOwner, own: number, more: number): Obstacle | undefined {
    const limit = this.limitBytes();
    const [ofKey, ofAccount] = [key[this.name], account[this.name]];
    if (ofKey > own && ofKey + more > KEY_SHARE * limit) return "key";
    if (ofAccount > own && ofAccount + more > ACCOUNT_SHARE * limit) return "account";
    return this.held > own && this.held + more > limit ? "total" : undefined;
  }

  /** Counts bytes in, or out where they are negative. */
  add({ key, account }: MemoryOwner, bytes: number): void {
    this.held += bytes;
    key[this.name] += bytes;
    account[this.name] += bytes;
  }
}
