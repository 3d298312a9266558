import type { AccountId } from "../../accounts/caller.ts";
import type { Receipt } from "../../billing/usage-log/receipts.ts";
import type { ConsoleDeps } from "../deps.ts";
import { findRequest, type RequestDepths } from "./request-rows-store.ts";

/** A receipt, and its row of the log once it is posted. */
export interface RecordedRequest {
  readonly receipt: Receipt;
  readonly row: RequestDepths | undefined;
}

/** What an account's request came to, by its id or its task's; undefined where the account has none of that id. */
export async function readRecordedRequest(
  { database, readReceipt }: Pick<ConsoleDeps, "database" | "readReceipt">,
  accountId: AccountId,
  id: string,
): Promise<RecordedRequest | undefined> {
  const receipt = /^[\w-]{1,100}$/.test(id) ? await readReceipt(accountId, id) : undefined;
  if (receipt === undefined) return undefined;
  // Until then there is none, or it was posted after the receipt was read, and the two would contradict each other.
  const row =
    receipt.state === "posted" ? await findRequest(database, accountId, receipt.request_id) : undefined;
  return { receipt, row };
}
