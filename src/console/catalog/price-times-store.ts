import type { Queryable } from "../../storage/database.ts";

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
