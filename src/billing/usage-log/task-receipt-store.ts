import type { Queryable } from "../../storage/database.ts";

/** The fields of a task that its receipt shows. */
export interface ReceiptTask {
  readonly id: string;
  readonly requestId: string;
  readonly medium: "image" | "video";
  readonly model: string;
  readonly state: string;
  readonly finished: boolean;
  readonly acceptedAt: Date;
  readonly holdNanos: bigint;
  /** JSON of what came of it after it had failed. */
  readonly lateResult: string | null;
}

/** The account's task of this id, or the one that this request submitted. */
export function findReceiptTask(
  db: Queryable,
  accountId: bigint,
  id: string,
): Promise<ReceiptTask | undefined> {
  return db.maybeOne<ReceiptTask>(
    `select id, request_id as "requestId", medium, model, state, finished_at is not null as finished,
            accepted_at as "acceptedAt", hold_nanos as "holdNanos", late_result as "lateResult"
       from tasks where account_id = $1 and (id = $2 or request_id = $2)`,
    [accountId, id],
  );
}
