import { type Seals, sealedRow } from "../base/seal.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import type { Queryable } from "../storage/database.ts";
import type { Timeouts, UpstreamCost } from "./catalog.ts";
import { readUpstreamCost, type StoredCost, storedCost } from "./upstream-cost.ts";
import { type PlainOptions, readOptions, storedOptions, type UpstreamOptions } from "./upstream-options.ts";

/** An upstream as declared: what was given, without the defaults of its kind and of the program. */
export interface UpstreamDeclaration {
  readonly name: string;
  readonly kind: string;
  /** The vendor or server that it is; null = none is named. */
  readonly preset: string | null;
  /** Without trailing slash. */
  readonly baseUrl: string;
  /** null = the kind's own list. */
  readonly protocols: readonly ProtocolName[] | null;
  /** Our model id -> theirs. */
  readonly models: ReadonlyMap<string, string>;
  /** null = every group. */
  readonly groups: ReadonlySet<string> | null;
  readonly priority: number;
  readonly weight: number;
  readonly maxConcurrency: number;
  /** Ids of things in the vendor's account that every caller of this upstream may name. */
  readonly sharedIds: readonly string[];
  readonly timeouts: Partial<Timeouts>;
  /** It is tried now and then while nobody asks it. */
  readonly probe: boolean;
  /** What its vendor has signed is valid at all upstreams of this name; null = under the same credential only. */
  readonly signer: string | null;
  /** What its vendor bills; null = the models' list prices. */
  readonly cost: UpstreamCost | null;
  /** Tiers in which its vendor may serve a request that asks for none. */
  readonly unaskedTiers: readonly string[];
  /** Where it serves what names no region; null = plainly. */
  readonly region: string | null;
  /** Absent = none. */
  readonly options?: UpstreamOptions | undefined;
  readonly enabled: boolean;
  readonly credentials: readonly CredentialDeclaration[];
}

export interface CredentialDeclaration {
  /** For people; the file's credentials are called 1, 2 ... by their place. */
  readonly name: string;
  readonly secret: string;
  /** The environment variable the catalog file took it from, so that an export can name it. */
  readonly reference: string | null;
  readonly enabled: boolean;
}

export interface UpstreamRecord extends UpstreamDeclaration {
  readonly id: bigint;
  /** The secrets of its options as they stand in the database; null = there are none. */
  readonly sealed?: string | null;
  readonly credentials: readonly StoredCredential[];
}

interface StoredCredential extends CredentialDeclaration {
  readonly id: bigint;
  /** The secret as it stands in the database: another text whenever another secret was written. */
  readonly sealed: string;
}

/** What an upstream has where nothing is declared. */
export const UPSTREAM_DEFAULTS = {
  preset: null,
  protocols: null,
  groups: null,
  priority: 0,
  weight: 1,
  // Per process; above the streams that one process is built to carry, so that only who sets it is bound by it.
  maxConcurrency: 10_000,
  sharedIds: [] as readonly string[],
  timeouts: {},
  probe: false,
  signer: null,
  cost: null,
  unaskedTiers: [] as readonly string[],
  region: null,
  enabled: true,
} as const;

/**
 * Creates the upstream or makes it what is declared; the name is its identity. A credential whose
 * secret stays keeps its id, and one that takes another's place has that one's, so that work pinned to it goes on finding it.
 */
export async function upsertUpstream(
  tx: Queryable,
  seals: Seals,
  upstream: UpstreamDeclaration,
): Promise<bigint> {
  const { plain, secrets } = storedOptions(upstream.options);
  const { id } = await tx.one<{ id: bigint }>(
    `insert into upstreams (name, kind, base_url, protocols, models, groups, priority, weight, max_concurrency,
       timeouts, enabled, shared_ids, probe, signer, cost, unasked_tiers, region, preset, options)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
     on conflict (name) do update set kind = $2, base_url = $3, protocols = $4, models = $5, groups = $6,
       priority = $7, weight = $8, max_concurrency = $9, timeouts = $10, enabled = $11, shared_ids = $12, probe = $13,
       signer = $14, cost = $15, unasked_tiers = $16, region = $17, preset = $18, options = $19
     returning id`,
    [
      upstream.name,
      upstream.kind,
      upstream.baseUrl,
      upstream.protocols,
      JSON.stringify(Object.fromEntries(upstream.models)),
      upstream.groups && [...upstream.groups],
      upstream.priority,
      upstream.weight,
      upstream.maxConcurrency,
      JSON.stringify(upstream.timeouts),
      upstream.enabled,
      upstream.sharedIds,
      upstream.probe,
      upstream.signer,
      upstream.cost && JSON.stringify(storedCost(upstream.cost)),
      upstream.unaskedTiers,
      upstream.region,
      upstream.preset,
      plain && JSON.stringify(plain),
    ],
  );
  await tx.execute("update upstreams set sealed = $2 where id = $1", [
    id,
    secrets && seals.seal(secrets, sealedRow("upstreams", id)),
  ]);
  await replaceCredentials(tx, seals, id, upstream.credentials);
  return id;
}

/** Removes the upstream with its credentials. False = there was none. */
export async function deleteUpstream(tx: Queryable, name: string): Promise<boolean> {
  return (await tx.execute("delete from upstreams where name = $1", [name])) > 0;
}

export async function setUpstreamEnabled(tx: Queryable, name: string, enabled: boolean): Promise<boolean> {
  return (await tx.execute("update upstreams set enabled = $2 where name = $1", [name, enabled])) > 0;
}

export async function setCredentialEnabled(tx: Queryable, id: bigint, enabled: boolean): Promise<boolean> {
  return (await tx.execute("update upstream_credentials set enabled = $2 where id = $1", [id, enabled])) > 0;
}

/** Makes a credential what is given, under the id it has: tasks that are pinned to it go on finding it. */
export async function setCredential(
  tx: Queryable,
  seals: Seals,
  { id, secret, ...credential }: CredentialDeclaration & { readonly id: bigint },
): Promise<void> {
  await tx.execute(
    "update upstream_credentials set name = $2, reference = $3, enabled = $4, sealed = $5 where id = $1",
    [
      id,
      credential.name,
      credential.reference,
      credential.enabled,
      seals.seal(secret, sealedRow("upstream_credentials", id)),
    ],
  );
}

/** Every upstream by name, disabled ones too, its credentials opened. Throws SealError. */
export async function readUpstreams(db: Queryable, seals: Seals): Promise<UpstreamRecord[]> {
  const rows = await db.query<UpstreamRow>(
    `select id, name, kind, base_url, protocols, models, groups, priority, weight, max_concurrency, timeouts, enabled,
       shared_ids, probe, signer, cost, unasked_tiers, region, preset, options, sealed
     from upstreams order by name`,
  );
  const credentials = await db.query<CredentialRow>(
    "select id, upstream_id, name, sealed, reference, enabled from upstream_credentials order by id",
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    kind: row.kind,
    preset: row.preset,
    baseUrl: row.base_url,
    protocols: row.protocols,
    models: new Map(Object.entries(row.models)),
    groups: row.groups && new Set(row.groups),
    priority: row.priority,
    weight: row.weight,
    maxConcurrency: row.max_concurrency,
    sharedIds: row.shared_ids,
    timeouts: row.timeouts,
    probe: row.probe,
    signer: row.signer,
    cost: row.cost && readUpstreamCost(row.cost),
    unaskedTiers: row.unasked_tiers,
    region: row.region,
    options: readOptions({
      plain: row.options,
      secrets: row.sealed && seals.open(row.sealed, sealedRow("upstreams", row.id)),
    }),
    sealed: row.sealed,
    enabled: row.enabled,
    credentials: credentials
      .filter(({ upstream_id }) => upstream_id === row.id)
      .map((each) => openCredential(seals, each)),
  }));
}

interface UpstreamRow {
  readonly id: bigint;
  readonly name: string;
  readonly kind: string;
  readonly base_url: string;
  readonly protocols: ProtocolName[] | null;
  readonly models: Readonly<Record<string, string>>;
  readonly groups: string[] | null;
  readonly priority: number;
  readonly weight: number;
  readonly max_concurrency: number;
  readonly shared_ids: readonly string[];
  readonly timeouts: Partial<Timeouts>;
  readonly enabled: boolean;
  readonly probe: boolean;
  readonly signer: string | null;
  readonly cost: StoredCost | null;
  readonly unasked_tiers: readonly string[];
  readonly region: string | null;
  readonly preset: string | null;
  readonly options: PlainOptions | null;
  readonly sealed: string | null;
}

interface CredentialRow {
  readonly id: bigint;
  readonly upstream_id: bigint;
  readonly name: string;
  readonly sealed: string;
  readonly reference: string | null;
  readonly enabled: boolean;
}

function openCredential(seals: Seals, row: CredentialRow): StoredCredential {
  const { id, name, reference, enabled, sealed } = row;
  return {
    id,
    name,
    reference,
    enabled,
    sealed,
    secret: seals.open(sealed, sealedRow("upstream_credentials", id)),
  };
}

async function replaceCredentials(
  tx: Queryable,
  seals: Seals,
  upstreamId: bigint,
  wanted: readonly CredentialDeclaration[],
): Promise<void> {
  const rows = await tx.query<CredentialRow>(
    "select id, upstream_id, name, sealed, reference, enabled from upstream_credentials where upstream_id = $1 order by id",
    [upstreamId],
  );
  const rest = rows.map((row) => openCredential(seals, row));
  const fresh: CredentialDeclaration[] = [];
  for (const credential of wanted) {
    const index = rest.findIndex(({ secret }) => secret === credential.secret);
    const [kept] = index < 0 ? [] : rest.splice(index, 1);
    if (kept) await updateCredential(tx, kept.id, credential);
    else fresh.push(credential);
  }
  for (const credential of fresh) {
    const replaced = rest.shift();
    if (replaced) await setCredential(tx, seals, { ...credential, id: replaced.id });
    else await insertCredential(tx, seals, upstreamId, credential);
  }
  await tx.execute("delete from upstream_credentials where id = any($1)", [rest.map(({ id }) => id)]);
}

async function updateCredential(tx: Queryable, id: bigint, credential: CredentialDeclaration): Promise<void> {
  await tx.execute("update upstream_credentials set name = $2, reference = $3, enabled = $4 where id = $1", [
    id,
    credential.name,
    credential.reference,
    credential.enabled,
  ]);
}

/** The id comes first, because the seal is bound to it. */
async function insertCredential(
  tx: Queryable,
  seals: Seals,
  upstreamId: bigint,
  credential: CredentialDeclaration,
): Promise<void> {
  const { id } = await tx.one<{ id: bigint }>(
    "select nextval(pg_get_serial_sequence('upstream_credentials', 'id')) as id",
  );
  await tx.execute(
    `insert into upstream_credentials (id, upstream_id, name, sealed, reference, enabled)
     overriding system value values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      upstreamId,
      credential.name,
      seals.seal(credential.secret, sealedRow("upstream_credentials", id)),
      credential.reference,
      credential.enabled,
    ],
  );
}
