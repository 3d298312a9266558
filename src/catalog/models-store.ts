import type { Queryable } from "../storage/database.ts";
import type { Endpoint, Model, PriceRow } from "./catalog.ts";
import {
  PRICE_COLUMNS,
  type Price,
  type PriceColumns,
  priceValues,
  readPrice,
  samePrice,
} from "./price-columns.ts";

/** A model as declared. */
export interface ModelDeclaration extends Omit<Model, "created" | "price"> {
  /** Unix seconds; undefined = stays as it is, and on a new model the time of its first apply. */
  readonly created?: number | undefined;
  /** null = no price in force: the model is refused as not priced. */
  readonly price: Price | null;
}

/**
 * Creates the model or makes it what is declared. Where the price differs from the one in force, a row is
 * added to the price book; rows there never change.
 */
export async function upsertModel(tx: Queryable, model: ModelDeclaration): Promise<void> {
  const priceId = await priceRowFor(tx, model.id, model.price);
  await tx.execute(
    `insert into models as m (id, family, variant, owned_by, created, endpoints, groups, context_tokens,
       max_output_tokens, price_id, quirks)
     values ($1, $2, $3, $4, coalesce($5, extract(epoch from now())::int8), $6, $7, $8, $9, $10, $11)
     on conflict (id) do update set family = $2, variant = $3, owned_by = $4, created = coalesce($5, m.created),
       endpoints = $6, groups = $7, context_tokens = $8, max_output_tokens = $9, price_id = $10, quirks = $11`,
    [
      model.id,
      model.family,
      model.variant,
      model.ownedBy,
      model.created ?? null,
      model.endpoints,
      model.groups === null ? null : [...model.groups],
      model.contextTokens,
      model.maxOutputTokens,
      priceId,
      JSON.stringify(model.quirks),
    ],
  );
}

/** False = there was none. Its prices stay, for receipts. */
export async function deleteModel(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.execute("delete from models where id = $1", [id])) > 0;
}

/** Every model with its price in force, by id. */
export async function readModels(db: Queryable): Promise<Model[]> {
  const rows = await db.query<ModelRow>(
    `select m.id, m.family, m.variant, m.owned_by, m.created, m.endpoints, m.groups, m.context_tokens,
            m.max_output_tokens, m.quirks, m.price_id, ${PRICE_COLUMNS.map((name) => `p.${name}`).join(", ")}
     from models m left join prices p on p.id = m.price_id
     order by m.id`,
  );
  return rows.map(readModelRow);
}

/** Every price a model ever had, the newest first. */
export async function readPriceHistory(
  db: Queryable,
  modelId: string,
): Promise<(PriceRow & { since: Date })[]> {
  const rows = await db.query<PriceColumns & { id: bigint; created_at: Date }>(
    `select id, created_at, ${PRICE_COLUMNS.join(", ")} from prices where model_id = $1 order by id desc`,
    [modelId],
  );
  return rows.map((row) => ({ id: row.id, since: row.created_at, ...readPrice(row) }));
}

interface ModelRow extends PriceColumns {
  readonly id: string;
  readonly family: string | null;
  readonly variant: string | null;
  readonly owned_by: string;
  readonly created: bigint;
  readonly endpoints: Endpoint[];
  readonly groups: string[] | null;
  readonly context_tokens: number | null;
  readonly max_output_tokens: number | null;
  readonly quirks: Readonly<Record<string, unknown>>;
  readonly price_id: bigint | null;
}

function readModelRow(row: ModelRow): Model {
  return {
    id: row.id,
    family: row.family,
    variant: row.variant,
    ownedBy: row.owned_by,
    created: Number(row.created),
    endpoints: row.endpoints,
    groups: row.groups && new Set(row.groups),
    contextTokens: row.context_tokens,
    maxOutputTokens: row.max_output_tokens,
    price: row.price_id === null ? null : { id: row.price_id, ...readPrice(row) },
    quirks: row.quirks,
  };
}

/** The row that holds this price: the one in force where it says the same, else a new one. */
async function priceRowFor(tx: Queryable, modelId: string, price: Price | null): Promise<bigint | null> {
  if (price === null) return null;
  const newest = await tx.maybeOne<PriceColumns & { id: bigint }>(
    `select id, ${PRICE_COLUMNS.join(", ")} from prices where model_id = $1 order by id desc limit 1`,
    [modelId],
  );
  if (newest && samePrice(readPrice(newest), price)) return newest.id;
  const values = [modelId, ...priceValues(price)];
  const places = values.map((_, index) => `$${index + 1}`).join(", ");
  const { id } = await tx.one<{ id: bigint }>(
    `insert into prices (model_id, ${PRICE_COLUMNS.join(", ")}) values (${places}) returning id`,
    values,
  );
  return id;
}
