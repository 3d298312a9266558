import type { Queryable } from "../storage/database.ts";

/** Usage that an upstream reported and for which the model had no price. */
export interface UnpricedUsage {
  readonly model: string;
  readonly upstream: string;
  /** Its name in a charge's `unpriced`: "tier turbo", "call file_search", "audio_input". */
  readonly what: string;
  readonly requests: bigint;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The latest request with such usage. */
  readonly requestId: string;
}

/** All records, latest first. */
export function readUnpricedUsage(db: Queryable): Promise<UnpricedUsage[]> {
  return db.query<UnpricedUsage>(
    `select model, upstream, what, requests, first_at as "firstAt", last_at as "lastAt", request_id as "requestId"
       from unpriced_usage order by last_at desc, model, upstream, what`,
  );
}
