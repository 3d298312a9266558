import type { AccountDeclaration } from "../accounts/accounts-store.ts";
import type { KeySecret, KeyTerms } from "../accounts/keys-store.ts";
import type { Group } from "../catalog/catalog.ts";
import type { ModelDeclaration } from "../catalog/models-store.ts";
import type { SettingsFile } from "../catalog/settings.ts";
import type { UpstreamDeclaration } from "../catalog/upstreams-store.ts";

/**
 * The declarations of a catalog file in the gateway's own terms: references resolved, amounts exact, words of either
 * vocabulary decoded. It holds secrets in clear: never log it.
 */
export interface Manifest {
  /** The sections the file has; the file says nothing about the others, so nothing in them is pruned. */
  readonly sections: ReadonlySet<Section>;
  readonly groups: readonly Group[];
  readonly models: readonly ModelDeclaration[];
  readonly upstreams: readonly DeclaredUpstream[];
  readonly settings: SettingsFile;
  readonly accounts: readonly DeclaredAccount[];
  /** Sentences about how it is written; absent = none. */
  readonly warnings?: readonly string[];
}

export const SECTIONS = ["groups", "models", "upstreams", "settings", "accounts"] as const;
/** The group of an account that names none; every database has it from its first migration. */
export const DEFAULT_GROUP = "default";

export type Section = (typeof SECTIONS)[number];

/**
 * `enabled` and `disabled` left out mean "as it is", new things being enabled: what an operator switched off
 * by hand must not come back because a gateway started again with its file.
 */
export interface DeclaredUpstream extends Omit<UpstreamDeclaration, "enabled"> {
  readonly enabled?: boolean;
}

export interface DeclaredAccount extends AccountDeclaration {
  /** Opening balance, granted once in the account's life; null = none. */
  readonly balanceNanos: bigint | null;
  /** null = the file says nothing about this account's keys. */
  readonly keys: readonly DeclaredKey[] | null;
}

export interface DeclaredKey extends KeyTerms, Pick<KeySecret, "reference"> {
  readonly name: string;
  /** null = the one that the key of this name has: nobody but its holder knows it. */
  readonly credential: string | null;
}
