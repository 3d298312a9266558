import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { QueueCounts, Trouble } from "../../../../src/console/queue/contract.ts";
import { Count } from "../../parts/amounts.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { useWords } from "../../words/use-words.ts";
import { queueWords } from "./words.ts";

/** How many tasks are not over and how many of them are in trouble; each number leads to its tasks. */
export function Counts({ counts }: { readonly counts: QueueCounts }): ReactNode {
  const t = useWords(queueWords);
  const troubled = (trouble: Trouble) => (
    <Link to="." search={{ trouble }} className={counts[trouble] > 0 ? "text-bad underline" : "text-mute"}>
      <Count value={counts[trouble]} />
    </Link>
  );
  return (
    <Stats>
      <Stat label={t.open}>
        <Count value={counts.open} />
      </Stat>
      <Stat label={t.overdue} note={t.overdueNote}>
        {troubled("overdue")}
      </Stat>
      <Stat label={t.stuck} note={t.stuckNote}>
        {troubled("stuck")}
      </Stat>
      <Stat label={t.ambiguous} note={t.ambiguousNote}>
        {troubled("ambiguous")}
      </Stat>
      <Stat label={t.late} note={t.lateNote}>
        <Count value={counts.polled_late} />
      </Stat>
    </Stats>
  );
}
