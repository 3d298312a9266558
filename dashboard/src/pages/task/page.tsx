import { useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import type { TaskDetail } from "../../../../src/console/tasks/contract.ts";
import { queryClient } from "../../api/query-client.ts";
import { useAccount } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { ReceiptStatement } from "../../parts/receipt.tsx";
import { useWords } from "../../words/use-words.ts";
import { isOver } from "../tasks/task-state.tsx";
import { useLiveTasks } from "../tasks/use-live-tasks.ts";
import { TaskFacts } from "./task-facts.tsx";
import { TaskFiles } from "./task-files.tsx";
import { Webhook } from "./webhook.tsx";
import { taskWords } from "./words.ts";

/** One image or video: what came of it, what was asked for, what it cost. */
export function TaskPage(): ReactNode {
  const t = useWords(taskWords);
  const { id: account } = useAccount();
  const { task: id = "" } = useParams({ strict: false }) as { task?: string };
  const path = `/accounts/${account}/tasks/${id}` as const;
  const query = useRead(path);
  const task = useLive(account, id, path, query.data);
  return (
    <Page
      title={task === undefined || task.prompt.trim() === "" ? t.title : clipped(task.prompt)}
      actions={<ButtonLink to={`/accounts/${account}/tasks`}>{t.back}</ButtonLink>}
    >
      <Loaded query={query}>{(read) => <Task account={account} task={task ?? read} />}</Loaded>
    </Page>
  );
}

/** The task with what has been heard of it since; its end is read anew, as the receipt comes with it. */
function useLive(account: string, id: string, path: string, read: TaskDetail | undefined) {
  const [tasks] = useLiveTasks(account);
  const heard = tasks.get(id);
  const ended = heard !== undefined && isOver(heard) && read !== undefined && !isOver(read);
  useEffect(() => {
    if (ended) void queryClient.invalidateQueries({ queryKey: ["read", path] });
  }, [ended, path]);
  if (read === undefined || heard === undefined || isOver(read)) return read;
  return { ...read, ...heard };
}

function Task({ account, task }: { readonly account: string; readonly task: TaskDetail }): ReactNode {
  const t = useWords(taskWords);
  const { role } = useAccount();
  const repeat = { make: task.medium, model: task.model, from: task.id };
  return (
    <div className="grid min-w-0 gap-8 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-6">
        <TaskFiles task={task} />
        {role !== "viewer" && (
          <div>
            <ButtonLink icon="retry" to={`/accounts/${account}/playground`} search={repeat}>
              {t.repeat}
            </ButtonLink>
          </div>
        )}
        <Section title={t.request}>
          <p className="text-sm text-mute">
            {t.requestNote} {task.shortened > 0 && t.shortened(task.shortened)}
          </p>
          <Code label={t.request} text={JSON.stringify(task.request, shortenedLinks, 2)} />
        </Section>
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <TaskFacts account={account} task={task} />
        <Section title={t.cost}>
          {task.receipt !== null && <ReceiptStatement receipt={task.receipt} />}
        </Section>
        {task.webhook !== null && <Webhook webhook={task.webhook} over={isOver(task)} />}
      </div>
    </div>
  );
}

/** A title of a prompt's first words. */
function clipped(prompt: string): string {
  return prompt.length > 80 ? `${prompt.slice(0, 80)}…` : prompt;
}

/** Images within a request are unreadable, and there may be many of them. */
function shortenedLinks(_name: string, value: unknown): unknown {
  return typeof value === "string" && value.startsWith("data:") ? `${value.slice(0, 60)}…` : value;
}
