import type { Model } from "../catalog/catalog.ts";
import { readGroups } from "../catalog/catalog-store.ts";
import { readModels, upsertModel } from "../catalog/models-store.ts";
import { encodeModel, encodePrice } from "../manifest/file/encode-file.ts";
import type { FileRecord } from "../manifest/file/file-value.ts";
import { readModel } from "../manifest/file/read-item.ts";
import type { Queryable } from "../storage/database.ts";
import type { AuditNote } from "../users/audit-store.ts";
import type { Comparison } from "./compare.ts";

/** Gives a model its listed price; see setPrice(). */
export function acceptPrice(tx: Queryable, model: Model, comparison: Comparison): Promise<AuditNote> {
  const { accepted } = comparison;
  return setPrice(tx, model, accepted === null ? undefined : encodePrice(accepted), sourceOf(comparison));
}

/** Describes the source of a listed price for the audit log. */
export function sourceOf({ list, entry }: Pick<Comparison, "list" | "entry">) {
  return { list: list.name, date: list.date, vendor: entry.vendor, model: entry.model, url: entry.url };
}

/**
 * Gives a model a price as the console and the catalog file do: it is checked by the file's rules and becomes a new row
 * of the price book. Must run under lockManifest(), as must the reading on which the price is based. Returns the audit
 * entry, with the source. Throws ItemError.
 */
export async function setPrice(
  tx: Queryable,
  model: Model,
  price: FileRecord | undefined,
  price_source: object,
): Promise<AuditNote> {
  const before = encodeModel(model);
  const known = {
    groups: new Set((await readGroups(tx)).map(({ name }) => name)),
    models: new Set((await readModels(tx)).map(({ id }) => id)),
  };
  // A list states only present prices, so prices written ahead are kept.
  const declared = { ...readModel({ ...before, price }, known), coming: model.coming };
  await upsertModel(tx, declared);
  const after = encodeModel({ ...declared, created: declared.created ?? model.created });
  return { action: "model.update", subject: model.id, before, after: { ...after, price_source } };
}
