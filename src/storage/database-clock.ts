import type { Queryable } from "./database.ts";

/** The wall clock of the database's machine, in milliseconds since 1970. */
export async function databaseNowMs(db: Queryable): Promise<number> {
  const { ms } = await db.one<{ ms: number }>("select (extract(epoch from now()) * 1000)::float8 as ms");
  return ms;
}
