import type { Queryable } from "../../storage/database.ts";

export interface DatabaseFacts {
  /** PostgreSQL's own form: 17.5. */
  readonly version: string;
  readonly sizeBytes: bigint;
  /** null where its user may not know. */
  readonly folder: string | null;
}

export function readDatabaseFacts(db: Queryable): Promise<DatabaseFacts> {
  return db.one<DatabaseFacts>(
    `select current_setting('server_version') as version, pg_database_size(current_database()) as "sizeBytes",
            (select setting from pg_settings where name = 'data_directory') as folder`,
  );
}

export interface ServingProcess {
  readonly label: string;
  readonly since: Date;
}

/** Processes that serve callers: each has a journal open. */
export function readServingProcesses(db: Queryable): Promise<ServingProcess[]> {
  return db.query<ServingProcess>(
    `select label, opened_at as since from journals where not closed order by opened_at, id`,
  );
}
