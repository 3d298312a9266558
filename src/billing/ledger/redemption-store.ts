import type { Queryable } from "../../storage/database.ts";

/** Codes of one amount, made at once. */
export interface NewBatch {
  readonly amountNanos: bigint;
  readonly note: string;
  /** Null = forever. */
  readonly expiresAt: Date | null;
  readonly createdBy: string;
}

export interface Batch extends NewBatch {
  readonly id: bigint;
  readonly createdAt: Date;
  readonly codes: number;
  readonly redeemed: number;
  readonly revoked: number;
}

/** Keeps hashes only. Gives the batch's id. */
export async function insertBatch(
  tx: Queryable,
  batch: NewBatch,
  codes: readonly { readonly hash: Buffer; readonly hint: string }[],
): Promise<bigint> {
  const { id } = await tx.one<{ id: bigint }>(
    `insert into redemption_batches (amount_nanos, note, expires_at, created_by) values ($1, $2, $3, $4) returning id`,
    [batch.amountNanos, batch.note, batch.expiresAt, batch.createdBy],
  );
  await tx.execute(
    `insert into redemption_codes (batch_id, hash, hint)
     select $1, c.hash, c.hint from unnest($2::bytea[], $3::text[]) as c (hash, hint)`,
    [id, codes.map(({ hash }) => hash), codes.map(({ hint }) => hint)],
  );
  return id;
}

/** Newest first; a batch holds at most a thousand codes, which are counted by the index redemption_codes_batch. */
export function listBatches(
  db: Queryable,
  { before, limit }: { readonly before: bigint | null; readonly limit: number },
): Promise<Batch[]> {
  return db.query<Batch>(`${BATCHES} where $1::int8 is null or b.id < $1 order by b.id desc limit $2`, [
    before,
    limit,
  ]);
}

export function findBatch(db: Queryable, id: bigint): Promise<Batch | undefined> {
  return db.maybeOne<Batch>(`${BATCHES} where b.id = $1`, [id]);
}

const BATCHES = `
  select b.id, b.amount_nanos as "amountNanos", b.note, b.expires_at as "expiresAt", b.created_by as "createdBy",
         b.created_at as "createdAt", n.codes, n.redeemed, n.revoked
    from redemption_batches b cross join lateral (
      select count(*)::int4 as codes, count(c.redeemed_at)::int4 as redeemed, count(c.revoked_at)::int4 as revoked
        from redemption_codes c where c.batch_id = b.id) as n`;

export interface Code {
  readonly id: bigint;
  readonly batchId: bigint;
  readonly hint: string;
  readonly revokedAt: Date | null;
  readonly redeemedAt: Date | null;
  readonly redeemedBy: string | null;
  /** The account that was credited. */
  readonly account: { readonly id: string; readonly name: string } | null;
}

/** The codes of a batch in the order they were made. */
export function listCodes(
  db: Queryable,
  batchId: bigint,
  { after, limit }: { readonly after: bigint | null; readonly limit: number },
): Promise<Code[]> {
  return db.query<Code>(
    `${CODES} where c.batch_id = $1 and ($2::int8 is null or c.id > $2) order by c.id limit $3`,
    [batchId, after, limit],
  );
}

const CODES = `
  select c.id, c.batch_id as "batchId", c.hint, c.revoked_at as "revokedAt", c.redeemed_at as "redeemedAt",
         c.redeemed_by as "redeemedBy",
         case when a.id is not null then jsonb_build_object('id', a.id::text, 'name', a.name) end as account
    from redemption_codes c left join accounts a on a.id = c.account_id`;

/** Withdraws what nobody has redeemed of a batch, or one code of it. Gives how many that were. */
export function revokeCodes(tx: Queryable, batchId: bigint, codeId?: bigint): Promise<number> {
  return tx.execute(
    `update redemption_codes set revoked_at = now()
      where batch_id = $1 and ($2::int8 is null or id = $2) and redeemed_at is null and revoked_at is null`,
    [batchId, codeId ?? null],
  );
}

export interface Redemption {
  /** "repeated": this account was credited with it before. */
  readonly outcome: "done" | "repeated" | "used" | "revoked" | "expired" | "unknown" | "throttled";
  /** Null of a code that is unknown, or while it was not looked at. */
  readonly codeId: bigint | null;
  /** Set only for done and repeated. */
  readonly amountNanos: bigint | null;
  /** done, repeated: when it was credited; expired: since when; throttled: when the next may be sent. */
  readonly at: Date | null;
}

/** Ten wrong codes in a quarter of an hour: enough for a bad print, hopeless for guessing 70 bits. */
const MAX_WRONG = 10;
const WITHIN_SECONDS = 900;

/** Credits a code once, however often and by however many accounts it is sent. One statement, see redeem_code(). */
export function redeemCode(
  tx: Queryable,
  { hash, accountId, redeemer }: { hash: Buffer; accountId: bigint; redeemer: string },
): Promise<Redemption> {
  return tx.one<Redemption>(
    `select outcome, code_id as "codeId", amount_nanos as "amountNanos", at from redeem_code($1, $2, $3, $4, $5)`,
    [hash, accountId, redeemer, MAX_WRONG, WITHIN_SECONDS],
  );
}
