import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { StatementEntry } from "../../../../src/console/statement/contract.ts";
import { formatCount } from "../../format/count.ts";
import { Time } from "../../parts/amounts.tsx";
import { useWords } from "../../words/use-words.ts";
import { statementWords } from "./words.ts";

/** An entry in a sentence that leads to what it is made of. */
export function EntryText({
  account,
  entry,
}: {
  readonly account: string;
  readonly entry: StatementEntry;
}): ReactNode {
  return (
    <div>
      <Sentence account={account} entry={entry} />
      <p className="text-sm text-mute md:hidden">
        <Time at={entry.at} />
      </p>
      {entry.reason !== null && <p className="text-sm wrap-anywhere text-mute">{entry.reason}</p>}
    </div>
  );
}

function Sentence({
  account,
  entry,
}: {
  readonly account: string;
  readonly entry: StatementEntry;
}): ReactNode {
  const t = useWords(statementWords);
  const task = (
    <Link className="link" to={`/accounts/${account}/tasks/${entry.reference.id}`} title={entry.reference.id}>
      {t.task}
    </Link>
  );
  switch (entry.kind) {
    case "opening":
      return t.opening;
    case "credit":
      return t.credit;
    case "debit":
      return t.debit;
    case "code":
      return t.code(entry.reference.id);
    case "usage":
      if (entry.requests === null) return t.usageOld;
      return <RequestsLink entry={entry.id} requests={entry.requests} />;
    case "absorbed_loss":
      return t.absorbedLoss;
    case "hold":
      return (
        <>
          {t.hold} {task}
        </>
      );
    case "task_charge":
      return (
        <>
          {t.taskCharge} {task}
        </>
      );
    case "task_return":
      return (
        <>
          {t.taskReturn} {task}
        </>
      );
    case "lease":
      return t.lease;
    case "return":
      return t.return;
  }
}

function RequestsLink({ entry, requests }: { readonly entry: string; readonly requests: number }): ReactNode {
  const t = useWords(statementWords);
  return (
    <Link
      className="link"
      to="."
      search={(search: object) => ({ ...search, entry, entry_after: undefined })}
      resetScroll={false}
    >
      {t.usageOf(formatCount(requests), requests === 1)}
    </Link>
  );
}
