import { readGroups } from "../../catalog/catalog-store.ts";
import { readModels } from "../../catalog/models-store.ts";
import { GatewayError } from "../../errors.ts";
import { ManifestConflict } from "../../manifest/diff/diff-accounts.ts";
import { ItemError, type KnownNames } from "../../manifest/file/read-item.ts";
import { lockManifest } from "../../manifest/manifest-store.ts";
import type { Queryable } from "../../storage/database.ts";
import type { AuditNote } from "../../users/audit-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { Call } from "../operation.ts";

/** The result of a change, with its entry in the audit log. */
export interface Changed<Value> {
  readonly value: Value;
  readonly note: AuditNote;
}

/**
 * Changes the catalog as `faregate apply` does: under its lock, judged by its rules, wholly or not at all.
 * This process knows at once, the others within moments. What the rules refuse is 400 with the field. Whoever is told
 * that somebody else was first is shown, when reading again, what that one wrote, wherever it was written.
 */
export async function changeCatalog<Value>(
  { database, catalog }: Pick<ConsoleDeps, "database" | "catalog">,
  call: Pick<Call<unknown, unknown>, "audit">,
  change: (tx: Queryable) => Promise<Changed<Value>>,
): Promise<Value> {
  try {
    const value = await database.transaction(async (tx) => {
      await lockManifest(tx);
      const changed = await change(tx);
      await call.audit(tx, changed.note);
      return changed.value;
    });
    await catalog.refresh();
    return value;
  } catch (error) {
    if (error instanceof GatewayError && error.reason === "changed_meanwhile") await catalog.refresh();
    if (error instanceof ItemError)
      throw new GatewayError("invalid_request", error.message, { param: error.path });
    if (error instanceof ManifestConflict) throw new GatewayError("conflict", error.message);
    throw error;
  }
}

/** The names that an item of the catalog may use. */
export async function readKnownNames(db: Queryable): Promise<KnownNames> {
  const models = await readModels(db);
  return {
    groups: new Set((await readGroups(db)).map(({ name }) => name)),
    models: new Set(models.map(({ id }) => id)),
    aliases: new Map(
      models.flatMap(({ id, aliasOf }) => (aliasOf === undefined ? [] : [[id, aliasOf] as const])),
    ),
  };
}

/** A form without the fields that say "none" in JSON and are left out in a catalog file. */
export function withoutNulls(form: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(form).filter(([, value]) => value !== null && value !== undefined),
  );
}
