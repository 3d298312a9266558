import type { ReactNode } from "react";
import type { RequestRow } from "../../../../src/console/requests/contract.ts";
import { Badge } from "../../parts/badge.tsx";
import { useWords } from "../../words/use-words.ts";
import { requestsWords } from "./words.ts";

/** How a request ended, in words: its status, and why it was charged as it was. */
export function Outcome({
  row,
}: {
  readonly row: Pick<RequestRow, "status" | "reason" | "failed">;
}): ReactNode {
  const say = useReason();
  const tone = row.failed ? "bad" : row.reason === "completed" ? "good" : "warn";
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Badge tone={tone}>{row.status === 0 ? "–" : row.status}</Badge>
      <span className={row.failed ? "" : "text-mute"}>{say(row.reason)}</span>
    </span>
  );
}

/** Says a reason in words; a word that the page does not know stays as it is. */
export function useReason(): (reason: string) => string {
  const t = useWords(requestsWords);
  return (reason) =>
    Object.hasOwn(t.reasons, reason) ? t.reasons[reason as keyof typeof t.reasons] : reason;
}
