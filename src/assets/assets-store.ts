import type { Queryable } from "../storage/database.ts";
import type { AssetType } from "./assets.ts";

/** An asset as it is kept here. */
export interface ListedAsset extends StoredAsset {
  readonly createdAt: Date;
  /** For cursors. */
  readonly createdMicros: bigint;
}

/** A new asset, as it is stored. */
export interface StoredAsset {
  readonly id: string;
  readonly accountId: bigint;
  readonly upstreamId: bigint;
  readonly credentialId: bigint;
  /** The upstream's own id. */
  readonly upstreamAsset: string;
  readonly type: AssetType;
  readonly name: string;
  /** The latest state that the upstream reported. */
  readonly status: string;
}

export async function insertAsset(db: Queryable, asset: StoredAsset): Promise<void> {
  await db.execute(
    `insert into assets (id, account_id, upstream_id, credential_id, upstream_asset, asset_type, name, status)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      asset.id,
      asset.accountId,
      asset.upstreamId,
      asset.credentialId,
      asset.upstreamAsset,
      asset.type,
      asset.name,
      asset.status,
    ],
  );
}

/** The account's assets with these ids; others' count as unknown. */
export async function findAssets(
  db: Queryable,
  accountId: bigint,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ListedAsset>> {
  const rows = await db.query<AssetRow>(`${SELECT} where account_id = $1 and id = any($2)`, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, readRow(row)]));
}

/** The account's newest asset, whose place further ones should share. */
export async function newestAsset(db: Queryable, accountId: bigint): Promise<ListedAsset | undefined> {
  const row = await db.maybeOne<AssetRow>(
    `${SELECT} where account_id = $1 order by created_at desc, id limit 1`,
    [accountId],
  );
  return row && readRow(row);
}

/** The account's newest assets below a place, by index assets_of_account; one more than asked for means there are more. */
export async function listAssets(
  db: Queryable,
  accountId: bigint,
  page: {
    readonly limit: number;
    readonly below: { readonly micros: bigint; readonly id: string } | undefined;
  },
): Promise<readonly ListedAsset[]> {
  const rows = await db.query<AssetRow>(
    `${SELECT}
      where account_id = $1 and ($2::int8 is null or (created_at <= 'epoch'::timestamptz + $2 * interval '1 microsecond'
            and (created_at, id) < ('epoch'::timestamptz + $2 * interval '1 microsecond', $3::text)))
      order by created_at desc, id desc limit $4`,
    [accountId, page.below?.micros ?? null, page.below?.id ?? null, page.limit],
  );
  return rows.map(readRow);
}

/** The state that the upstream just reported. */
export async function setAssetStatus(db: Queryable, id: string, status: string): Promise<void> {
  await db.execute("update assets set status = $2 where id = $1 and status <> $2", [id, status]);
}

const SELECT = `select id, account_id, upstream_id, credential_id, upstream_asset, asset_type, name, status, created_at,
  (extract(epoch from created_at) * 1000000)::int8 as created_micros from assets`;

interface AssetRow {
  readonly id: string;
  readonly account_id: bigint;
  readonly upstream_id: bigint;
  readonly credential_id: bigint;
  readonly upstream_asset: string;
  readonly asset_type: AssetType;
  readonly name: string;
  readonly status: string;
  readonly created_at: Date;
  readonly created_micros: bigint;
}

function readRow(row: AssetRow): ListedAsset {
  return {
    id: row.id,
    accountId: row.account_id,
    upstreamId: row.upstream_id,
    name: row.name,
    credentialId: row.credential_id,
    upstreamAsset: row.upstream_asset,
    type: row.asset_type,
    status: row.status,
    createdAt: row.created_at,
    createdMicros: row.created_micros,
  };
}
