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
export function upsertModel(tx: Queryable, model: ModelDeclaration): Promise<void> {
  return upsertModels(tx, [model]);
}

/** The same for many, none of them twice, in three statements: some vendors' lists have thousands. */
export async function upsertModels(tx: Queryable, models: readonly ModelDeclaration[]): Promise<void> {
  if (models.length === 0) return;
  const priceIds = await priceRowsFor(tx, models);
  const rows = models.map((model) => ({
    id: model.id,
    family: model.family,
    variant: model.variant,
    owned_by: model.ownedBy,
    created: model.created ?? null,
    endpoints: model.endpoints,
    groups: model.groups === null ? null : [...model.groups],
    context_tokens: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    // As text, because a JSON number would lose digits.
    price_id: priceIds.get(model.id)?.toString() ?? null,
    quirks: model.quirks,
  }));
  await tx.execute(
    `insert into models (id, family, variant, owned_by, created, endpoints, groups, context_tokens,
       max_output_tokens, price_id, quirks)
     select d.id, d.family, d.variant, d.owned_by, coalesce(d.created, m.created, extract(epoch from now())::int8),
       d.endpoints, d.groups, d.context_tokens, d.max_output_tokens, d.price_id, d.quirks
     from jsonb_populate_recordset(null::models, $1::jsonb) d left join models m on m.id = d.id
     on conflict (id) do update set (family, variant, owned_by, created, endpoints, groups, context_tokens,
       max_output_tokens, price_id, quirks) = row (excluded.family, excluded.variant, excluded.owned_by,
       excluded.created, excluded.endpoints, excluded.groups, excluded.context_tokens,
       excluded.max_output_tokens, excluded.price_id, excluded.quirks)`,
    [JSON.stringify(rows)],
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

/** The row that holds each model's price: the one in force where it says the same, else a new one. */
async function priceRowsFor(
  tx: Queryable,
  models: readonly ModelDeclaration[],
): Promise<ReadonlyMap<string, bigint>> {
  const newest = await tx.query<PriceColumns & { id: bigint; model_id: string }>(
    `select distinct on (model_id) id, model_id, ${PRICE_COLUMNS.join(", ")} from prices
     where model_id = any($1) order by model_id, id desc`,
    [models.map(({ id }) => id)],
  );
  const inForce = new Map(newest.map((row) => [row.model_id, row]));
  const ids = new Map<string, bigint>();
  const fresh: unknown[][] = [];
  for (const { id, price } of models) {
    if (price === null) continue;
    const row = inForce.get(id);
    if (row && samePrice(readPrice(row), price)) ids.set(id, row.id);
    else fresh.push([id, ...priceValues(price)]);
  }
  const columns = ["model_id", ...PRICE_COLUMNS].map((_, column) => fresh.map((values) => values[column]));
  const made = await tx.query<{ id: bigint; model_id: string }>(
    `insert into prices (model_id, ${PRICE_COLUMNS.join(", ")})
     select * from unnest($1::text[], $2::jsonb[], $3::jsonb[], $4::jsonb[])
     returning id, model_id`,
    columns,
  );
  for (const { id, model_id } of made) ids.set(model_id, id);
  return ids;
}

/** When each row of the price book was written, by its id. */
export async function readPriceTimes(
  db: Queryable,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, Date>> {
  const rows = await db.query<{ id: bigint; at: Date }>(
    "select id, created_at as at from prices where id = any($1)",
    [ids],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}
