import type { Queryable } from "../../storage/database.ts";

/** Seconds for which tasks leave a place alone, by `<upstream id> <credential id> <their model>`. */
export async function readCoolings(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ place: string; seconds: number }>(
    `select upstream_id || ' ' || credential_id || ' ' || upstream_model as place,
            ceil(extract(epoch from until - now()))::int4 as seconds
       from task_coolings where until > now()`,
  );
  return new Map(rows.map(({ place, seconds }) => [place, seconds]));
}
