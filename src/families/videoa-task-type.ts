import type { VideoOrder } from "./family.ts";
import type { Verdict } from "./verdict.ts";
import { orderedWork } from "./videoa-wording.ts";

/** What model 2.5 understands a request as. */
type TaskType = "text" | "frames" | "references" | "edit" | "extend";

/** Model 2.5 reads off references and wording what is to be done; words count only where they order it of a video. */
function taskTypeOf({ prompt, references }: Pick<VideoOrder, "prompt" | "references">): TaskType {
  if (references.some(({ role }) => role !== "reference")) return "frames";
  const videos = references.filter(({ kind }) => kind === "video").length;
  const work = videos > 0 ? orderedWork(prompt, videos) : undefined;
  return work ?? (references.length > 0 ? "references" : "text");
}

/** The demands of each type: unmet ones let the task fail. */
export function checkTaskType(order: VideoOrder, verdict: Verdict): void {
  const type = taskTypeOf(order);
  const { name, adaptive, free } = DEMANDS[type];
  if (adaptive && order.ratio !== "adaptive")
    verdict.fail(`${name} requires \`ratio\` adaptive, not ${order.ratio}.`);
  if (free && order.durationSeconds !== -1)
    verdict.fail(`${name} requires \`duration\` -1, not ${order.durationSeconds}.`);
}

const DEMANDS = {
  text: { name: "Text to video", adaptive: false, free: false },
  references: { name: "Reference to video", adaptive: false, free: false },
  frames: { name: "First or last frame to video", adaptive: true, free: false },
  edit: { name: "Video editing (inferred from the prompt)", adaptive: true, free: true },
  extend: { name: "Video extension (inferred from the prompt)", adaptive: true, free: false },
} as const satisfies Record<TaskType, { name: string; adaptive: boolean; free: boolean }>;
