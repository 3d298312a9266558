import type { ReactNode } from "react";
import type { TaskDetail } from "../../../../src/console/tasks/contract.ts";
import { Icon } from "../../parts/icon.tsx";
import { useWords } from "../../words/use-words.ts";
import { Preview } from "../tasks/preview.tsx";
import { isOver, Progress } from "../tasks/task-state.tsx";
import { tasksWords } from "../tasks/words.ts";
import { taskWords } from "./words.ts";

/** What a task made, full size, to play and to keep; or how far it is, or why there is nothing. */
export function TaskFiles({ task }: { readonly task: TaskDetail }): ReactNode {
  const t = useWords(taskWords);
  const states = useWords(tasksWords);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {!isOver(task) && (
        <div className="flex flex-col gap-2 rounded-md bg-shade p-8">
          <Progress percent={task.progress_percent} />
          <p role="status" className="text-center text-sm text-mute">
            {states.states[task.state]} · {states.progress(task.progress_percent)}
          </p>
        </div>
      )}
      {task.fail_reason !== "" && (
        <div className="border-l-2 border-bad py-1 pl-4">
          <p className="text-sm text-mute">{t.why}</p>
          <p className="break-words text-bad">{task.fail_reason}</p>
        </div>
      )}
      {task.late && <p className="border-l-2 border-warn py-1 pl-4">{t.late}</p>}
      {task.files.map((file) => (
        <figure key={file.view} className="flex min-w-0 flex-col items-start gap-2">
          <Preview file={file} about={task.prompt} full />
          <figcaption className="flex flex-wrap items-center gap-4">
            {file.kind === "last_frame" && <span className="text-mute">{t.lastFrame}</span>}
            <a className="link inline-flex items-center gap-2" href={`${file.view}?download=1`} download>
              <Icon name="download" />
              {t.download}
            </a>
          </figcaption>
        </figure>
      ))}
    </div>
  );
}
