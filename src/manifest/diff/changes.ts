import type { AccountDeclaration } from "../../accounts/accounts-store.ts";
import type { KeyId } from "../../accounts/caller.ts";
import type { KeySecret } from "../../accounts/keys-store.ts";
import { counted } from "../../base/text.ts";
import type { Group } from "../../catalog/catalog.ts";
import type { ModelDeclaration } from "../../catalog/models-store.ts";
import type { SettingsFile } from "../../catalog/settings.ts";
import type { UpstreamDeclaration } from "../../catalog/upstreams-store.ts";
import type { DeclaredKey } from "../manifest.ts";

/** One change as people see it; safe to show. */
export interface ChangeSummary {
  readonly action: "create" | "update" | "delete" | "disable" | "revoke" | "grant";
  readonly subject: "group" | "model" | "upstream" | "settings" | "account" | "key" | "balance";
  readonly name: string;
  /** `weight 1 -> 2`; secrets only as `(changed)`. */
  readonly details: readonly string[];
}

/** One change with what is to be written: holds secrets in clear. */
export type Change = Pick<ChangeSummary, "name" | "details"> &
  (
    | { readonly subject: "group"; readonly action: "create" | "update"; readonly group: Group }
    | { readonly subject: "model"; readonly action: "create" | "update"; readonly model: ModelDeclaration }
    | {
        readonly subject: "upstream";
        readonly action: "create" | "update";
        readonly upstream: UpstreamDeclaration;
      }
    | { readonly subject: "group" | "model" | "upstream"; readonly action: "delete" }
    | { readonly subject: "settings"; readonly action: "update"; readonly settings: SettingsFile }
    | {
        readonly subject: "account";
        readonly action: "create" | "update";
        readonly account: AccountDeclaration;
      }
    | { readonly subject: "account"; readonly action: "disable" }
    | {
        readonly subject: "key";
        readonly action: "create";
        readonly account: string;
        readonly key: DeclaredKey & KeySecret;
      }
    | {
        readonly subject: "key";
        readonly action: "update";
        readonly id: KeyId;
        readonly key: DeclaredKey;
        /** The key itself is another: the old one stops at once; null = it stays. */
        readonly rotated: KeySecret | null;
      }
    | { readonly subject: "key"; readonly action: "revoke"; readonly id: KeyId }
    | { readonly subject: "balance"; readonly action: "grant"; readonly amountNanos: bigint }
  );

/** The changes that apply a manifest, ordered by their dependencies. */
export interface Plan {
  readonly changes: readonly Change[];
  /** Sentences about what is left as it is although one might expect otherwise. */
  readonly notes: readonly string[];
}

/** A plan and what its file hardly means. */
export interface CheckedPlan extends Plan {
  readonly warnings: readonly string[];
}

/**
 * The plan as a person reads it: what changes, `+` new, `~` other, `-` gone, `!` a note; last whom it locks out. One detail is
 * on the same line, of several each has a line of its own below it.
 */
export function renderPlan({ changes, notes }: Plan): string {
  const lines = changes.map((change) => {
    const { details } = change;
    const head = `${MARKS[change.action]} ${change.subject}${change.name ? ` ${change.name}` : ""}`;
    return details.length === 1 ? `${head}: ${details[0]}` : [head, ...details].join("\n    ");
  });
  if (lines.length === 0) lines.push("no changes");
  return [...lines, ...notes.map((note) => `! ${note}`), ...lockedOut(changes)].join("\n");
}

/** Accounts and keys made by hand go too: nobody should have to count the lines to see it. */
function lockedOut(changes: readonly Change[]): string[] {
  const count = (action: ChangeSummary["action"], verb: string, noun: string): string[] => {
    const { length } = changes.filter((change) => change.action === action);
    return length === 0 ? [] : [`${verb} ${counted(length, noun)}`];
  };
  const parts = [...count("disable", "suspends", "account"), ...count("revoke", "revokes", "key")];
  return parts.length === 0 ? [] : [`this ${parts.join(" and ")}`];
}

const MARKS: Readonly<Record<ChangeSummary["action"], string>> = {
  create: "+",
  grant: "+",
  update: "~",
  delete: "-",
  disable: "-",
  revoke: "-",
};

/** The changes without what is to be written. */
export function summarize(changes: readonly Change[]): ChangeSummary[] {
  return changes.map(({ action, subject, name, details }) => ({ action, subject, name, details }));
}
