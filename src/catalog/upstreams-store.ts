import { type Seals, sealedRow } from "../base/seal.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import type { Queryable } from "../storage/database.ts";
import type { Timeouts, UpstreamCost } from "./catalog.ts";
import { readUpstreamCost, type StoredCost, storedCost } from "./upstream-cost.ts";
import { type PlainOptions, readOptions, storedOptions, type UpstreamOptions } from "./upstream-options.ts";

/** An upstream as declared, without the defaults of its kind and of the program. */
export interface UpstreamDeclaration {
  readonly name: string;
  readonly kind: string;
  /** The preset that the catalog names; null = none. */
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
  /** True if it is probed from time to time while it gets no requests. */
  readonly probe: boolean;
  /** What the vendor signs is valid at all upstreams of this name; null = only under the same credential. */
  readonly signer: string | null;
  /** The vendor's prices; null = the models' list prices. */
  readonly cost: UpstreamCost | null;
  /** Tiers in which the vendor may serve a request that asks for none. */
  readonly unaskedTiers: readonly string[];
  /** Region of requests that name none; null = none. */
  readonly region: string | null;
  /** Absent = none. */
  readonly options?: UpstreamOptions | undefined;
  readonly enabled: boolean;
  readonly credentials: readonly CredentialDeclaration[];
}

export interface CredentialDeclaration {
  /** Name for people. Credentials from a catalog file are called 1, 2 and so on, by position. */
  readonly name: string;
  readonly secret: string;
  /** The environment variable that the catalog file names for it, kept for exports. */
  readonly reference: string | null;
  readonly enabled: boolean;
}

export interface UpstreamRecord extends UpstreamDeclaration {
  readonly id: bigint;
  /** Secrets of the options, sealed; null = there are none. */
  readonly sealed?: string | null;
  readonly credentials: readonly StoredCredential[];
}

interface StoredCredential extends CredentialDeclaration {
  readonly id: bigint;
  /** The secret, sealed. The sealed text differs whenever another secret was written. */
  readonly sealed: string;
}

/** Values that an upstream has if nothing is declared. */
export const UPSTREAM_DEFAULTS = {
  preset: null,
  protocols: null,
  groups: null,
  priority: 0,
  weight: 1,
  // Per process. This is above the number of streams that one process is built for, so only a declared limit takes
  // effect.
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
 * Creates or updates the upstream that has this name. A credential with an unchanged secret keeps its id, and one that
 * replaces another takes over that one's id, so that work pinned to it still finds it.
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

/** Deletes the upstream with its credentials. Returns false if there was none. */
export async function deleteUpstream(tx: Queryable, name: string): Promise<boolean> {
  return (await tx.execute("delete from upstreams where name = $1", [name])) > 0;
}

export async function setUpstreamEnabled(tx: Queryable, name: string, enabled: boolean): Promise<boolean> {
  return (await tx.execute("update upstreams set enabled = $2 where name = $1", [name, enabled])) > 0;
}

export async function setCredentialEnabled(tx: Queryable, id: bigint, enabled: boolean): Promise<boolean> {
  return (await tx.execute("update upstream_credentials set enabled = $2 where id = $1", [id, enabled])) > 0;
}

/** Updates a credential under the same id, so that tasks pinned to it still find it. */
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

/** All upstreams by name, disabled ones too, with decrypted credentials. Throws SealError. */
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

/** The id is drawn first, because the seal is bound to it. */
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
