import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TaskDetail } from "../../../../src/console/tasks/contract.ts";
import { Duration, Time } from "../../parts/amounts.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Section } from "../../parts/page.tsx";
import { Facts } from "../../parts/stat.tsx";
import { useWords } from "../../words/use-words.ts";
import { StateBadge } from "../tasks/task-state.tsx";
import { taskWords } from "./words.ts";

/** Who asked for it by what, and when what happened. */
export function TaskFacts({
  account,
  task,
}: {
  readonly account: string;
  readonly task: TaskDetail;
}): ReactNode {
  const t = useWords(taskWords);
  const finished = task.finished_at;
  const took = finished === null ? null : Date.parse(finished) - Date.parse(task.accepted_at);
  const expires = task.files.map((file) => file.expires_at).find((moment) => moment !== null);
  const { id, name } = task.key;
  const key = (
    <Link className="link" to={`/accounts/${account}/tasks`} search={{ key: id }}>
      {name ?? t.keyGone(id)}
    </Link>
  );
  const rows: (readonly [string, ReactNode])[] = [
    [t.state, <StateBadge key="state" state={task.state} />],
    [t.model, task.model],
    [t.key, key],
    [t.accepted, <Time key="accepted" at={task.accepted_at} exact />],
    ...(task.started_at === null
      ? []
      : [[t.started, <Time key="started" at={task.started_at} exact />] as const]),
    finished === null
      ? [t.deadline, <Time key="deadline" at={task.deadline_at} />]
      : [t.finished, <Time key="finished" at={finished} exact />],
    ...(took === null ? [] : [[t.took, <Duration key="took" ms={took} />] as const]),
    ...(expires === undefined ? [] : [[t.expires, <Time key="expires" at={expires} />] as const]),
    [t.id, <Copyable key="id" text={task.id} />],
    [t.requestId, <Copyable key="request" text={task.request_id} />],
  ];
  return (
    <Section title={t.facts}>
      <Facts rows={rows} />
    </Section>
  );
}
