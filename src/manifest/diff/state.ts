import { type AccountRecord, readAccounts } from "../../accounts/accounts-store.ts";
import { type BillingDetails, NO_BILLING_DETAILS } from "../../accounts/billing-details.ts";
import { readAllBillingDetails } from "../../accounts/billing-details-store.ts";
import { type KeyRecord, readKeys } from "../../accounts/keys-store.ts";
import type { Seals } from "../../base/seal.ts";
import type { Group, Model } from "../../catalog/catalog.ts";
import { readGroups, readSettings } from "../../catalog/catalog-store.ts";
import { readModels } from "../../catalog/models-store.ts";
import type { SettingsFile } from "../../catalog/settings.ts";
import { readUpstreams, type UpstreamRecord } from "../../catalog/upstreams-store.ts";
import type { Queryable } from "../../storage/database.ts";
import type { Manifest } from "../manifest.ts";
import { readOpeningBalances, readSecretOwners, type SecretOwner } from "../manifest-store.ts";

/** The database's state of everything a catalog file can declare. Upstream credentials are in clear. */
export interface State {
  readonly groups: readonly Group[];
  readonly models: readonly Model[];
  readonly upstreams: readonly UpstreamRecord[];
  readonly settings: SettingsFile;
  readonly accounts: readonly AccountState[];
}

export interface AccountState extends AccountRecord, BillingDetails {
  /** The keys that are not revoked. */
  readonly keys: readonly KeyRecord[];
  /** The opening balance it was granted; null = none yet. */
  readonly openingNanos: bigint | null;
}

/** Throws SealError under a wrong master key. */
export async function readState(db: Queryable, seals: Seals): Promise<State> {
  const openings = await readOpeningBalances(db);
  const keys = byAccount(await readKeys(db));
  const accounts = await readAccounts(db);
  const details = await readAllBillingDetails(db);
  return {
    groups: await readGroups(db),
    models: await readModels(db),
    upstreams: await readUpstreams(db, seals),
    settings: await readSettings(db),
    accounts: accounts.map((account) => {
      const billing = details.get(account.id) ?? NO_BILLING_DETAILS;
      const openingNanos = openings.get(account.id) ?? null;
      return { ...account, ...billing, keys: keys.get(account.id) ?? [], openingNanos };
    }),
  };
}

/** The owners of the keys that the manifest names, by the key itself. */
export async function findSecretOwners(
  db: Queryable,
  hashOf: (credential: string) => Buffer,
  manifest: Manifest,
): Promise<ReadonlyMap<string, SecretOwner>> {
  const credentials = manifest.accounts.flatMap(({ keys }) =>
    (keys ?? []).flatMap(({ credential }) => credential ?? []),
  );
  const hashes = credentials.map(hashOf);
  const owners = await readSecretOwners(db, hashes);
  return new Map(
    credentials.flatMap((credential, index) => {
      const owner = owners.get(hashes[index]?.toString("hex") ?? "");
      return owner ? [[credential, owner]] : [];
    }),
  );
}

function byAccount(keys: readonly KeyRecord[]): Map<bigint, KeyRecord[]> {
  const grouped = new Map<bigint, KeyRecord[]>();
  for (const key of keys) {
    const list = grouped.get(key.accountId);
    if (list) list.push(key);
    else grouped.set(key.accountId, [key]);
  }
  return grouped;
}
