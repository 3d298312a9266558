import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { QueuedTask } from "../../../../src/console/queue/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Money, Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import type { Column } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { Progress, StateBadge } from "../tasks/task-state.tsx";
import { queueWords } from "./words.ts";

/** The columns of the queue. */
export function useQueueColumns(): readonly Column<QueuedTask>[] {
  const t = useWords(queueWords);
  return [
    {
      title: t.task,
      cell: (task) => (
        <div className="min-w-0">
          <Link
            className="link font-mono text-sm break-all"
            to={`/accounts/${task.account.id}/tasks/${task.id}`}
          >
            {task.id}
          </Link>
          <p className="text-sm text-mute">
            {task.account.name} · {task.model}
          </p>
        </div>
      ),
    },
    { title: t.state, cell: (task) => <State task={task} /> },
    { title: t.upstream, cell: (task) => <Upstream task={task} /> },
    { title: t.deadline, wideOnly: true, cell: (task) => <Time at={task.deadline_at} /> },
    { title: t.due, wideOnly: true, cell: (task) => <Time at={task.due_at} /> },
    {
      title: <span title={t.triesHint}>{t.tries}</span>,
      wideOnly: true,
      align: "end",
      cell: ({ submit_attempts, polls }) => `${submit_attempts} / ${polls}`,
    },
    { title: t.held, wideOnly: true, align: "end", cell: (task) => <Money nanos={task.hold_nanos} /> },
    {
      title: <span className="sr-only">{t.pollNow}</span>,
      align: "end",
      cell: (task) => task.upstream?.task && <PollNow id={task.id} />,
    },
  ];
}

function State({ task }: { readonly task: QueuedTask }): ReactNode {
  const t = useWords(queueWords);
  return (
    <div className="flex min-w-24 flex-col items-start gap-1">
      <StateBadge state={task.state} />
      {task.state === "IN_PROGRESS" && <Progress percent={task.progress_percent} />}
      {task.trouble.map((trouble) => (
        <Badge key={trouble} tone="bad">
          {t.troubles[trouble]}
        </Badge>
      ))}
    </div>
  );
}

function Upstream({ task: { upstream } }: { readonly task: QueuedTask }): ReactNode {
  const t = useWords(queueWords);
  if (upstream === null) return <span className="text-mute">{t.nobody}</span>;
  return (
    <div className="min-w-0">
      <p>
        {upstream.name} · {upstream.model}
      </p>
      <p className="font-mono text-sm break-all text-mute">{upstream.task ?? t.noAnswer}</p>
    </div>
  );
}

function PollNow({ id }: { readonly id: string }): ReactNode {
  const t = useWords(queueWords);
  const look = useWrite(
    () => write("POST", `/operator/queue/${id}/poll`),
    () => toast(t.asked),
  );
  return (
    <Reserved to="all">
      <Button busy={look.isPending} onClick={() => look.mutate(undefined)}>
        {t.pollNow}
      </Button>
    </Reserved>
  );
}
