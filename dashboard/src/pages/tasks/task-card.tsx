import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TaskSummary } from "../../../../src/console/tasks/contract.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { useWords } from "../../words/use-words.ts";
import { Preview } from "./preview.tsx";
import { isOver, Progress, StateBadge } from "./task-state.tsx";
import { tasksWords } from "./words.ts";

/** One task in a gallery: what it made or how far it is, what it was to show, its cost. All of it leads to the task. */
export function TaskCard({
  account,
  task,
}: {
  readonly account: string;
  readonly task: TaskSummary;
}): ReactNode {
  const t = useWords(tasksWords);
  const [file] = task.files;
  const prompt = task.prompt.trim() === "" ? t.noPrompt : task.prompt;
  return (
    <Link
      to={`/accounts/${account}/tasks/${task.id}`}
      className="flex min-w-0 flex-col overflow-hidden rounded-md border border-line hover:border-edge"
    >
      <div className="flex aspect-video items-center justify-center overflow-hidden bg-shade">
        {file === undefined ? <Unmade task={task} /> : <Preview file={file} about={prompt} />}
      </div>
      <div className="flex min-w-0 flex-1 flex-col gap-1 p-3">
        <p className="line-clamp-2 break-words" title={prompt}>
          {prompt}
        </p>
        <p className="truncate text-sm text-mute">{task.model}</p>
        <div className="mt-auto flex flex-wrap items-center gap-x-3 gap-y-1 pt-1 text-sm text-mute">
          <StateBadge state={task.state} />
          {task.late && <Badge tone="warn">{t.late}</Badge>}
          <span className="ml-auto flex gap-3">
            <Cost task={task} />
            <Time at={task.accepted_at} />
          </span>
        </div>
      </div>
    </Link>
  );
}

function Unmade({ task }: { readonly task: TaskSummary }): ReactNode {
  const t = useWords(tasksWords);
  if (task.state === "FAILURE") {
    return <p className="line-clamp-4 p-4 text-center text-sm break-words text-bad">{task.fail_reason}</p>;
  }
  if (isOver(task)) return <p className="p-4 text-sm text-mute">{t.gone}</p>;
  return (
    <div className="flex w-full flex-col items-center gap-2 px-8">
      <Progress percent={task.progress_percent} />
      <span className="text-sm text-mute">{t.progress(task.progress_percent)}</span>
    </div>
  );
}

/** What it cost, or what is set aside for it while nobody knows. */
function Cost({ task }: { readonly task: TaskSummary }): ReactNode {
  const t = useWords(tasksWords);
  if (task.charge_nanos !== null) return <Money nanos={task.charge_nanos} />;
  return (
    <span>
      {t.held} <Money nanos={task.hold_nanos} />
    </span>
  );
}
