import type { AskOutcome } from "../call.ts";
import { exactJsonOf, type Places, textAt, valueAt } from "../task-apis/poll.ts";
import { type RefusalTable, readRefusal } from "../task-apis/refusals.ts";
import { meaningOf } from "../task-apis/task-words.ts";
import type { AssetOutcome, CreatedUpstreamAsset, UpstreamAsset } from "./asset-api.ts";

/** The form of one vendor's responses about assets. */
export interface AssetResponses {
  readonly refusal: RefusalTable;
  /** The path of the result. */
  readonly result: string;
}

/** Reads a response's result; whatever speaks against it becomes the outcome. */
export function readResult<T>(
  asked: AskOutcome,
  responses: AssetResponses,
  read: (result: unknown) => T | undefined,
): AssetOutcome<T> {
  if (asked.type === "failed") return { type: "unavailable", reason: asked.failure.message };
  const refusal = readRefusal(asked.response, responses.refusal);
  if (refusal !== undefined) {
    const refused = refusal.type === "refused" && refusal.next === "fail";
    return { type: refused ? "refused" : "unavailable", reason: refusal.reason };
  }
  const value = read(valueAt(exactJsonOf(asked.response), responses.result));
  return value === undefined
    ? { type: "unavailable", reason: "The asset service's response can't be read." }
    : { type: "done", value };
}

/** The four words that callers wait for: they poll until one of the last two. */
type AssetStatus = "Pending" | "Processing" | "Active" | "Failed";

const STATUS = { queued: "Pending", succeeded: "Active", failed: "Failed" } as const;

/** The service's own word, in whatever case, as one of the specification's; one that nobody knows is still at work. */
function statusOf(result: unknown): AssetStatus | undefined {
  const word = textAt(result, ["Status"]);
  if (word === undefined) return undefined;
  if (/^(?:active|available|enabled)$/i.test(word)) return "Active";
  if (/^(?:inactive|disabled|deleted|blocked)$/i.test(word)) return "Failed";
  const meaning = meaningOf(word);
  return meaning === "queued" || meaning === "succeeded" || meaning === "failed"
    ? STATUS[meaning]
    : "Processing";
}

export function readCreated(result: unknown): CreatedUpstreamAsset | undefined {
  const id = textAt(result, ["Id"]);
  const status = statusOf(result);
  return id === undefined ? undefined : { id, status };
}

export function readRecord(result: unknown): UpstreamAsset | undefined {
  const text = (...places: Places): string => textAt(result, places) ?? "";
  const status = statusOf(result);
  if (text("Id") === "" || status === undefined) return undefined;
  return {
    Id: text("Id"),
    Status: status,
    AssetType: text("AssetType"),
    Name: text("Name"),
    URL: text("URL"),
    CreateTime: text("CreateTime"),
    UpdateTime: text("UpdateTime"),
    GroupId: text("GroupId"),
    ProjectName: text("ProjectName"),
    Moderation: { Strategy: text("Moderation.Strategy") },
  };
}
