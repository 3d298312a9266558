import type { KeyRecord, KeySecret } from "../../accounts/keys-store.ts";
import { formatUsd } from "../../base/money.ts";
import { encodeAccount, encodeKey } from "../file/encode-file.ts";
import type { DeclaredAccount, DeclaredKey, Manifest } from "../manifest.ts";
import type { SecretOwner } from "../manifest-store.ts";
import { changedFields, setFields } from "./changed-fields.ts";
import type { Change } from "./changes.ts";
import type { AccountState, State } from "./state.ts";

/** The known facts of keys, of which the database has only hashes. */
export interface KeyFacts {
  /** The hash of a key in hexadecimal, as KeyRecord has it. */
  hashOf(credential: string): string;
  /** The owner of a key that the manifest names; undefined = nobody. */
  ownerOf(credential: string): SecretOwner | undefined;
}

export interface AccountsPlan {
  readonly changes: readonly Change[];
  /** To be made after everything that is added. */
  readonly removals: readonly Change[];
  readonly notes: readonly string[];
}

/** A file that contradicts what the database holds; the message says what to do. */
export class ManifestConflict extends Error {
  override readonly name = "ManifestConflict";
}

interface Draft {
  readonly facts: KeyFacts;
  readonly changes: Change[];
  readonly removals: Change[];
  readonly notes: string[];
}

/** Accounts are never deleted but disabled, keys never deleted but revoked: the ledger speaks of them. */
export function diffAccounts(
  state: State,
  manifest: Manifest,
  options: KeyFacts & { readonly prune: boolean },
): AccountsPlan {
  const draft: Draft = { facts: options, changes: [], removals: [], notes: [] };
  const known = new Map(state.accounts.map((account) => [account.name, account]));
  for (const account of manifest.accounts) {
    const before = known.get(account.name);
    diffAccount(draft, account, before);
    const named = new Set(account.keys?.map(({ name }) => name));
    const others = before?.keys.filter((key) => !named.has(key.name)) ?? [];
    const doomed = options.prune && account.keys ? others : [];
    for (const key of account.keys ?? []) diffKey(draft, account.name, { declared: key, doomed }, before);
    revoke(draft, account.name, doomed);
  }
  if (options.prune && manifest.sections.has("accounts")) disableOthers(draft, state, manifest);
  return draft;
}

function diffAccount(draft: Draft, declared: DeclaredAccount, before: AccountState | undefined): void {
  const { name } = declared;
  const account = {
    name,
    group: declared.group,
    disabled: declared.disabled ?? before?.disabled ?? false,
    tagKeys: declared.tagKeys ?? before?.tagKeys ?? [],
    legalName: kept(declared.legalName, before?.legalName),
    address: kept(declared.address, before?.address),
    taxId: kept(declared.taxId, before?.taxId),
  };
  if (!before) {
    const details = setFields(encodeAccount(account), { name, disabled: account.disabled });
    draft.changes.push({ subject: "account", action: "create", name, details, account });
  } else {
    const details = changedFields(encodeAccount(before), encodeAccount(account));
    if (details.length > 0)
      draft.changes.push({ subject: "account", action: "update", name, details, account });
    if (before.disabled && declared.disabled === undefined)
      draft.notes.push(`account ${name} stays suspended; set "disabled: false" to reactivate it`);
  }
  diffBalance(draft, declared, before?.openingNanos ?? null);
}

/** What the file says, null included; where it says nothing, what there is. */
function kept(declared: string | null | undefined, before: string | null | undefined): string | null {
  return declared === undefined ? (before ?? null) : declared;
}

function diffBalance(draft: Draft, { name, balanceNanos }: DeclaredAccount, granted: bigint | null): void {
  if (balanceNanos === null || balanceNanos === granted) return;
  if (granted === null) {
    if (balanceNanos === 0n) return;
    const details = [`${formatUsd(balanceNanos)} USD opening balance`];
    draft.changes.push({ subject: "balance", action: "grant", name, details, amountNanos: balanceNanos });
    return;
  }
  draft.notes.push(
    `account ${name} already received its opening balance of ${formatUsd(granted)} USD; ${formatUsd(balanceNanos)} USD is not granted, add credit instead`,
  );
}

function diffKey(
  draft: Draft,
  account: string,
  { declared, doomed }: { readonly declared: DeclaredKey; readonly doomed: readonly KeyRecord[] },
  owner: AccountState | undefined,
): void {
  const name = `${account}/${declared.name}`;
  const before = owner?.keys.find((key) => key.name === declared.name);
  const { credential, reference } = declared;
  if (credential === null) {
    if (before) {
      updateKey(draft, name, declared, before, null);
      return;
    }
    const why = "the file has no key value and no key with this name exists";
    const [one] = doomed;
    // It may be one of those under a new name, whose holder would be locked out.
    if (one !== undefined)
      throw new ManifestConflict(
        `key ${name}: ${why}, while key ${account}/${one.name} would be revoked; keep that name in the file, or remove this key`,
      );
    draft.notes.push(`key ${name} is not created: ${why}; set \`key\`, or create it in the dashboard`);
    return;
  }
  const secret = { credential, reference: reference ?? null };
  const same = before !== undefined && before.hash === draft.facts.hashOf(credential);
  if (!same) {
    const holder = draft.facts.ownerOf(credential);
    if (holder?.state === "current")
      throw new ManifestConflict(
        `key ${name}: the same key already exists as ${holder.account}/${holder.key}; keep that name in the file, or use a new key`,
      );
    if (holder) {
      draft.notes.push(
        `key ${name} in the file was revoked or rotated and stays so; set a new key or remove it from the file`,
      );
      if (!before) return;
    }
    if (!before) {
      const key = { ...declared, ...secret };
      draft.changes.push({ subject: "key", action: "create", name, details: [], account, key });
      return;
    }
    updateKey(draft, name, declared, before, holder === undefined ? secret : null);
    return;
  }
  updateKey(draft, name, declared, before, null);
}

function updateKey(
  draft: Draft,
  name: string,
  declared: DeclaredKey,
  before: KeyRecord,
  rotated: KeySecret | null,
): void {
  const key = { ...declared, disabled: declared.disabled ?? before.disabled };
  const details = [
    ...changedFields(encodeKey(before), encodeKey(key)),
    ...(rotated === null ? [] : ["key (changed)"]),
  ];
  if (details.length > 0)
    draft.changes.push({ subject: "key", action: "update", name, details, id: before.id, key, rotated });
  if (before.disabled && declared.disabled === undefined)
    draft.notes.push(`key ${name} stays disabled; set "disabled: false" to enable it`);
}

function revoke(draft: Draft, account: string, keys: readonly KeyRecord[]): void {
  for (const { id, name } of keys)
    draft.removals.push({
      subject: "key",
      action: "revoke",
      name: `${account}/${name}`,
      details: ["revoked"],
      id,
    });
}

function disableOthers(draft: Draft, state: State, manifest: Manifest): void {
  const named = new Set(manifest.accounts.map(({ name }) => name));
  for (const { name, disabled } of state.accounts) {
    if (named.has(name) || disabled) continue;
    const details = ["suspended; accounts are never deleted"];
    draft.removals.push({ subject: "account", action: "disable", name, details });
  }
}
