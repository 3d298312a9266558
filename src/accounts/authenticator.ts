import type { Clock } from "../base/clock.ts";
import { createLru } from "../base/lru.ts";
import type { Database } from "../storage/database.ts";
import type { AccountId, Caller, KeyId } from "./caller.ts";
import { type KeyEnd, type KnownKey, readKeyState } from "./caller-store.ts";
import { isKeyText, keyForm } from "./key-form.ts";
import type { KeyHasher } from "./key-hasher.ts";
import { createKeyLookup } from "./key-lookup.ts";

/** A key that was issued and does not work any more. */
export interface EndedKey {
  readonly end: KeyEnd;
  readonly caller: Caller;
}

/** Says who calls. */
export interface Authenticator {
  /**
   * The caller whose key this is; undefined for a key that does not work, whatever the reason. At once
   * for a key seen lately, else after a look-up, which rejects with GatewayError service_unavailable
   * while the database is away: an outage never turns a good key into a bad one.
   */
  authenticate(credential: string): Caller | undefined | Promise<Caller | undefined>;
  /** Why a key that was refused just now does not work, where it was issued once; undefined = for all that is known it never was. */
  endOf(credential: string): EndedKey | undefined;
  /** Believes nothing about this key or account any more: call it after the commit of a change in this process. */
  forget(changed: { readonly keyId: KeyId } | { readonly accountId: AccountId }): void;
  close(): Promise<void>;
}

export interface AuthenticatorOptions {
  readonly database: Database;
  readonly hasher: KeyHasher;
  readonly clock: Clock;
  /** Keys kept in memory. */
  readonly capacity?: number;
  /** The longest time of a look-up. */
  readonly lookupLimitMs?: number;
}

/**
 * Keys are cached under the whole credential. A change reaches the cache three ways: at once by
 * forget() where it was made, by notification in other processes, and for a lost notification by a version
 * read on the database's steady beat, below 5 s. Expiry is looked at in every use. In an outage
 * nothing can change, and what is known stays known.
 */
export async function createAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { database, hasher, clock, capacity = CAPACITY } = options;
  const working = createLru<string, KnownKey>(capacity);
  // A room of their own, so that a flood of wrong keys cannot push a right one out.
  const refused = createLru<string, { readonly untilMs: number; readonly ended: EndedKey | undefined }>(
    REFUSED_CAPACITY,
  );
  const lookUp = createKeyLookup(database, hasher, options.lookupLimitMs);
  let state = await readKeyState(database);
  // Counts what was forgotten: a response that was on its way meanwhile may be the old one.
  let epoch = 0;

  const forget = (concerns: (caller: Caller) => boolean): void => {
    epoch += 1;
    refused.clear();
    for (const [credential, { caller }] of working.entries()) {
      if (concerns(caller)) working.delete(credential);
    }
  };

  const refuse = (credential: string, ended: EndedKey | undefined): void =>
    refused.set(credential, { untilMs: clock.monotonicMs() + REFUSED_MS, ended });

  const authenticateUnseen = async (credential: string): Promise<Caller | undefined> => {
    const began = epoch;
    const found = await lookUp(credential);
    const isOver = found !== undefined && found.expiresAtMs <= clock.nowMs();
    const end = found?.ended ?? (isOver ? found.endsAs : undefined);
    if (found === undefined || end !== undefined) {
      if (began === epoch) refuse(credential, end && found && { end, caller: found.caller });
      return undefined;
    }
    if (began === epoch) working.set(credential, found);
    return found.caller;
  };

  const onMessage = (payload: string): void => {
    const [version = "", table, id] = payload.split(" ");
    const next = BigInt(version);
    const missedSome = next > state.version + 1n;
    // A lookalike may have come: until the next beat says, no checksum is trusted.
    const lookalikes = state.lookalikes || missedSome || table === "api_key_secrets";
    if (next > state.version) state = { version: next, lookalikes };
    forget(
      missedSome
        ? () => true
        : (caller) => String(OF_ACCOUNTS.has(table) ? caller.accountId : caller.keyId) === id,
    );
  };

  const refresh = async (): Promise<void> => {
    const began = state.version;
    const now = await readKeyState(database);
    // A message has overtaken the read; the next beat tells.
    if (began !== state.version && now.version < state.version) return;
    // A lower version is that of a database that was restored, or of a standby that had lost the last commits.
    if (now.version !== state.version) forget(() => true);
    state = now;
  };

  const unlisten = await database.listen({ channel: "keys_changed", onMessage, refresh });

  return {
    authenticate: (credential) => {
      const known = working.get(credential);
      if (known) {
        if (known.expiresAtMs > clock.nowMs()) return known.caller;
        working.delete(credential);
        refuse(credential, { end: known.endsAs, caller: known.caller });
        return undefined;
      }
      if (!isKeyText(credential)) return undefined;
      if (!state.lookalikes && keyForm(credential) === "lookalike") return undefined;
      const refusal = refused.get(credential);
      if (refusal && refusal.untilMs > clock.monotonicMs()) return undefined;
      return authenticateUnseen(credential);
    },
    endOf: (credential) => refused.get(credential)?.ended,
    forget: (changed) => {
      forget((caller) =>
        "keyId" in changed ? caller.keyId === changed.keyId : caller.accountId === changed.accountId,
      );
    },
    close: unlisten,
  };
}

// A change to these names the account, any other the key.
const OF_ACCOUNTS: ReadonlySet<string | undefined> = new Set(["accounts", "budgets"]);
// About 0.5 KB each: 25 MB for more keys than most installations have; the others are looked up again.
const CAPACITY = 50_000;
const REFUSED_CAPACITY = 10_000;
// A client with a wrong key often tries again at once; a key that starts to work is told by notification.
const REFUSED_MS = 5_000;
