import { systemClock } from "../base/clock.ts";
import type { Queryable } from "../storage/database.ts";
import type { Endpoint, Model, PriceRow } from "./catalog.ts";
import { pricedAt } from "./coming-prices.ts";
import {
  PRICE_COLUMNS,
  type Price,
  type PriceColumns,
  priceValues,
  readPrice,
  samePrice,
} from "./price-columns.ts";

/** A model as the catalog file declares it. */
export interface ModelDeclaration extends Omit<Model, "created" | "price" | "coming"> {
  /** Unix seconds; undefined = unchanged, and for a new model the time of its first apply. */
  readonly created?: number | undefined;
  /** null = no price is in force, so requests to the model are refused. */
  readonly price: Price | null;
  /** Prices written ahead, sorted by `fromMs`; absent = none. */
  readonly coming?: readonly Price[] | undefined;
}

/**
 * Creates or updates the model as declared. If a price differs from the one in force or from those to come, a row is
 * added to the price book. Rows there never change; only those to come can be removed.
 */
export function upsertModel(tx: Queryable, model: ModelDeclaration): Promise<void> {
  return upsertModels(tx, [model]);
}

/** Does the same for many models, each named once, in three statements: some vendors' lists have thousands. */
export async function upsertModels(tx: Queryable, models: readonly ModelDeclaration[]): Promise<void> {
  if (models.length === 0) return;
  const priceIds = await priceRowsFor(tx, models);
  const rows = models.map(({ coming = [], ...model }) => ({
    id: model.id,
    family: model.family,
    variant: model.variant,
    owned_by: model.ownedBy,
    created: model.created ?? null,
    endpoints: model.endpoints,
    groups: model.groups === null ? null : [...model.groups],
    context_tokens: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    // A JSON number would lose digits.
    price_id: priceIds.inForce.get(model.id)?.toString() ?? null,
    coming_price_ids: coming.map((row) => priceIds.coming.get(comingKey(model.id, row.fromMs))?.toString()),
    quirks: model.quirks,
    alias_of: model.aliasOf ?? null,
    fallbacks: model.fallbacks ?? null,
    upstream_order: model.order ?? null,
  }));
  await tx.execute(
    `with declared as (select * from jsonb_populate_recordset(null::models, $1::jsonb)),
     withdrawn as (
       delete from prices p using declared d
       where p.model_id = d.id and p.valid_from > now() and p.id <> all (d.coming_price_ids)
     )
     insert into models (id, family, variant, owned_by, created, endpoints, groups, context_tokens,
       max_output_tokens, price_id, coming_price_ids, quirks, alias_of, fallbacks, upstream_order)
     select d.id, d.family, d.variant, d.owned_by, coalesce(d.created, m.created, extract(epoch from now())::int8),
       d.endpoints, d.groups, d.context_tokens, d.max_output_tokens, d.price_id, d.coming_price_ids, d.quirks,
       d.alias_of, d.fallbacks, d.upstream_order
     from declared d left join models m on m.id = d.id
     on conflict (id) do update set (family, variant, owned_by, created, endpoints, groups, context_tokens,
       max_output_tokens, price_id, coming_price_ids, quirks, alias_of, fallbacks, upstream_order) = row (excluded.family, excluded.variant,
       excluded.owned_by, excluded.created, excluded.endpoints, excluded.groups, excluded.context_tokens,
       excluded.max_output_tokens, excluded.price_id, excluded.coming_price_ids, excluded.quirks,
       excluded.alias_of, excluded.fallbacks, excluded.upstream_order)`,
    [JSON.stringify(rows)],
  );
}

/** Returns false if there was no such model. Its past prices stay for receipts; prices to come are deleted. */
export async function deleteModel(tx: Queryable, id: string): Promise<boolean> {
  const removed = await tx.execute("delete from models where id = $1", [id]);
  await tx.execute("delete from prices where model_id = $1 and valid_from > now()", [id]);
  return removed > 0;
}

/** All models by id, each with the price in force at this moment and those to come. */
export async function readModels(db: Queryable, atMs = systemClock.nowMs()): Promise<Model[]> {
  const rows = await db.query<ModelRow>(
    `select m.id, m.family, m.variant, m.owned_by, m.created, m.endpoints, m.groups, m.context_tokens,
            m.max_output_tokens, m.quirks, m.alias_of, m.fallbacks, m.upstream_order, m.price_id, ${PRICE_COLUMNS.map((name) => `p.${name}`).join(", ")},
            p.valid_from
     from models m left join prices p on p.id = m.price_id
     order by m.id`,
  );
  const ahead = await db.query<BookRow>(
    `select p.id, p.model_id, p.valid_from, ${PRICE_COLUMNS.map((name) => `p.${name}`).join(", ")}
     from models m join prices p on p.id = any(m.coming_price_ids)
     order by p.valid_from`,
  );
  const coming = new Map<string, PriceRow[]>();
  for (const row of ahead) coming.set(row.model_id, [...(coming.get(row.model_id) ?? []), readBookRow(row)]);
  return rows.map((row) => pricedAt(readModelRow(row, coming.get(row.id)), atMs));
}

/**
 * All prices that a model has had or is to have, sorted by the moment at which each takes effect, latest first. No
 * price is in force before it is written.
 */
export async function readPriceHistory(
  db: Queryable,
  modelId: string,
): Promise<(PriceRow & { since: Date })[]> {
  const rows = await db.query<BookRow & { since: Date }>(
    `select id, model_id, valid_from, greatest(valid_from, created_at) as since, ${PRICE_COLUMNS.join(", ")}
     from prices where model_id = $1 order by since desc, id desc`,
    [modelId],
  );
  return rows.map((row) => ({ ...readBookRow(row), since: row.since }));
}

/** A row of the price book as the database returns it. */
interface BookRow extends PriceColumns {
  readonly id: bigint;
  readonly model_id: string;
  readonly valid_from: Date | null;
}

function readBookRow(row: Pick<BookRow, "id" | "valid_from"> & PriceColumns): PriceRow {
  const price = { id: row.id, ...readPrice(row) };
  return row.valid_from === null ? price : { ...price, fromMs: row.valid_from.getTime() };
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
  readonly alias_of: string | null;
  readonly fallbacks: Model["fallbacks"] | null;
  readonly upstream_order: NonNullable<Model["order"]> | null;
  readonly price_id: bigint | null;
  readonly valid_from: Date | null;
}

function readModelRow(row: ModelRow, coming: readonly PriceRow[] | undefined): Model {
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
    price: row.price_id === null ? null : readBookRow({ ...row, id: row.price_id }),
    coming,
    quirks: row.quirks,
    aliasOf: row.alias_of ?? undefined,
    fallbacks: row.fallbacks ?? undefined,
    order: row.upstream_order ?? undefined,
  };
}

/** Ids of the models' rows in the price book. */
interface PriceIds {
  /** Keyed by model. */
  readonly inForce: ReadonlyMap<string, bigint>;
  /** Keyed by `comingKey`. */
  readonly coming: ReadonlyMap<string, bigint>;
}

function comingKey(model: string, fromMs: number | undefined): string {
  return `${fromMs} ${model}`;
}

/** Returns the rows that hold each model's prices. Rows with equal prices are kept; others are inserted. */
async function priceRowsFor(tx: Queryable, models: readonly ModelDeclaration[]): Promise<PriceIds> {
  const known = await tx.query<BookRow & { is_ahead: boolean }>(
    `select distinct on (model_id, is_ahead, ahead) id, model_id, valid_from, is_ahead, ${PRICE_COLUMNS.join(", ")}
     from (select *, valid_from is not null and valid_from > now() as is_ahead,
             case when valid_from > now() then id end as ahead
           from prices where model_id = any($1)) book
     order by model_id, is_ahead, ahead, greatest(valid_from, created_at) desc, id desc`,
    [models.map(({ id }) => id)],
  );
  const inForce = new Map(known.flatMap((row) => (row.is_ahead ? [] : [[row.model_id, row]])));
  const ahead = new Map(
    known.flatMap((row) => (row.is_ahead ? [[comingKey(row.model_id, row.valid_from?.getTime()), row]] : [])),
  );
  const ids = { inForce: new Map<string, bigint>(), coming: new Map<string, bigint>() };
  const fresh: unknown[][] = [];
  const find = (row: BookRow | undefined, price: Price): bigint | undefined =>
    row !== undefined && samePrice(readPrice(row), price) ? row.id : undefined;
  for (const { id, price, coming = [] } of models) {
    const kept = price && find(inForce.get(id), price);
    if (kept !== null && kept !== undefined) ids.inForce.set(id, kept);
    else if (price !== null) fresh.push([id, null, ...priceValues(price)]);
    for (const row of coming) {
      const key = comingKey(id, row.fromMs);
      const same = find(ahead.get(key), row);
      if (same !== undefined) ids.coming.set(key, same);
      else fresh.push([id, new Date(row.fromMs ?? 0), ...priceValues(row)]);
    }
  }
  const columns = ["model_id", "valid_from", ...PRICE_COLUMNS].map((_, column) =>
    fresh.map((values) => values[column]),
  );
  const made = await tx.query<Pick<BookRow, "id" | "model_id" | "valid_from">>(
    `insert into prices (model_id, valid_from, ${PRICE_COLUMNS.join(", ")})
     select * from unnest($1::text[], $2::timestamptz[], $3::jsonb[], $4::jsonb[], $5::jsonb[])
     returning id, model_id, valid_from`,
    columns,
  );
  for (const { id, model_id, valid_from } of made) {
    if (valid_from === null) ids.inForce.set(model_id, id);
    else ids.coming.set(comingKey(model_id, valid_from.getTime()), id);
  }
  return ids;
}

/** Times at which rows of the price book were written or took effect, by id. */
export async function readPriceTimes(
  db: Queryable,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, Date>> {
  const rows = await db.query<{ id: bigint; at: Date }>(
    "select id, greatest(valid_from, created_at) as at from prices where id = any($1)",
    [ids],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}
