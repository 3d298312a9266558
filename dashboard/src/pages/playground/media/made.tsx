import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TaskSummary } from "../../../../../src/console/tasks/contract.ts";
import { Money } from "../../../parts/amounts.tsx";
import { Skeleton } from "../../../parts/skeleton.tsx";
import { useWords } from "../../../words/use-words.ts";
import { Preview } from "../../tasks/preview.tsx";
import { TaskCard } from "../../tasks/task-card.tsx";
import { useLiveTasks } from "../../tasks/use-live-tasks.ts";
import { playgroundWords } from "../words.ts";

interface MadeProps {
  readonly account: string;
  /** Of tasks, the newest first. */
  readonly ids: readonly string[];
}

/** What was made since the page was opened: moving while it is made, then to look at and to play. */
export function Made({ account, ids }: MadeProps): ReactNode {
  const t = useWords(playgroundWords);
  const [tasks] = useLiveTasks(account, ids);
  if (ids.length === 0) return null;
  return (
    <section aria-label={t.made} className="flex min-w-0 flex-col gap-4">
      <h2 className="text-lg font-semibold">{t.made}</h2>
      {ids.map((id) => {
        const task = tasks.get(id);
        if (task === undefined) return <Skeleton key={id} lines={2} />;
        if (task.files.length === 0) return <TaskCard key={id} account={account} task={task} />;
        return <Done key={id} account={account} task={task} />;
      })}
    </section>
  );
}

function Done({ account, task }: { readonly account: string; readonly task: TaskSummary }): ReactNode {
  return (
    <figure className="flex min-w-0 flex-col items-start gap-2">
      {task.files.map((file) => (
        <Preview key={file.view} file={file} about={task.prompt} full />
      ))}
      <figcaption className="flex flex-wrap gap-4">
        <Link className="link break-all" to={`/accounts/${account}/tasks/${task.id}`}>
          {task.id}
        </Link>
        {task.charge_nanos !== null && <Money nanos={task.charge_nanos} />}
      </figcaption>
    </figure>
  );
}
