import type { Model } from "../catalog/catalog.ts";
import { readGroups } from "../catalog/catalog-store.ts";
import { readModels, upsertModel } from "../catalog/models-store.ts";
import { encodeModel, encodePrice } from "../manifest/file/encode-file.ts";
import { readModel } from "../manifest/file/read-item.ts";
import type { Queryable } from "../storage/database.ts";
import type { AuditNote } from "../users/audit-store.ts";
import type { Comparison } from "./compare.ts";

/**
 * Gives a model its listed price as the console and the catalog file do: judged by the file's rules, as a new row of the
 * price book. Under lockManifest(), as the comparison is. Gives the trace to leave, with the source. Throws ItemError.
 */
export async function acceptPrice(
  tx: Queryable,
  model: Model,
  { accepted, list, entry }: Comparison,
): Promise<AuditNote> {
  const before = encodeModel(model);
  const known = {
    groups: new Set((await readGroups(tx)).map(({ name }) => name)),
    models: new Set((await readModels(tx)).map(({ id }) => id)),
  };
  const declared = readModel({ ...before, price: accepted && encodePrice(accepted) }, known);
  await upsertModel(tx, declared);
  const price_source = {
    list: list.name,
    date: list.date,
    vendor: entry.vendor,
    model: entry.model,
    url: entry.url,
  };
  return {
    action: "model.update",
    subject: model.id,
    before,
    after: { ...encodeModel({ ...declared, created: declared.created ?? model.created }), price_source },
  };
}
