import type { Queryable } from "../storage/database.ts";

/** What an upstream served requests with and their model had no price for. */
export interface UnpricedUsage {
  readonly model: string;
  readonly upstream: string;
  /** As a charge's `unpriced` names it: "tier turbo", "call file_search", "audio_input". */
  readonly what: string;
  readonly requests: bigint;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The latest of them. */
  readonly requestId: string;
}

/** All that is kept, the latest first. */
export function readUnpricedUsage(db: Queryable): Promise<UnpricedUsage[]> {
  return db.query<UnpricedUsage>(
    `select model, upstream, what, requests, first_at as "firstAt", last_at as "lastAt", request_id as "requestId"
       from unpriced_usage order by last_at desc, model, upstream, what`,
  );
}
