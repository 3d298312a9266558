import type { VideoOrder } from "./family.ts";
import type { Verdict } from "./verdict.ts";

/** What model 2.5 understands a request as. */
type TaskType = "text" | "frames" | "references" | "edit" | "extend";

/**
 * Model 2.5 reads off references and wording what is to be done. Words count only beside a reference
 * video, and extending is the more telling of two: "extend it and add a dog" is no edit.
 */
function taskTypeOf({ prompt, references }: Pick<VideoOrder, "prompt" | "references">): TaskType {
  if (references.some(({ role }) => role !== "reference")) return "frames";
  if (references.some(({ kind }) => kind === "video")) {
    if (EXTENDING.test(prompt)) return "extend";
    if (EDITING.test(prompt)) return "edit";
  }
  return references.length > 0 ? "references" : "text";
}

/** The demands of each type: unmet ones let the task fail. */
export function checkTaskType(order: VideoOrder, verdict: Verdict): void {
  const type = taskTypeOf(order);
  const { name, adaptive, free } = DEMANDS[type];
  if (adaptive && order.ratio !== "adaptive")
    verdict.fail(`${name} needs \`ratio\` adaptive, not ${order.ratio}.`);
  if (free && order.durationSeconds !== -1)
    verdict.fail(`${name} needs \`duration\` -1, not ${order.durationSeconds}.`);
}

const DEMANDS = {
  text: { name: "Text to video", adaptive: false, free: false },
  references: { name: "Reference to video", adaptive: false, free: false },
  frames: { name: "A video from its first or last frame", adaptive: true, free: false },
  edit: { name: "Editing a reference video (as the prompt's words say)", adaptive: true, free: true },
  extend: { name: "Extending a reference video (as the prompt's words say)", adaptive: true, free: false },
} as const satisfies Record<TaskType, { name: string; adaptive: boolean; free: boolean }>;

/** English by whole words in their forms; Chinese has no word boundaries. */
const EDITING =
  /\b(edit(s|ed|ing)?|add(s|ed|ing)?|delet(e|es|ed|ing)|remov(e|es|ed|ing)|modif(y|ies|ied|ying)|replac(e|es|ed|ing))\b|编辑|剪辑|增加|添加|加上|删除|删掉|去掉|移除|修改|替换|换成/i;

const EXTENDING = /\b(extend(s|ed|ing)?|continu(e|es|ed|ing|ation))\b|延长|延展|延续|续写|继续|接续|扩展/i;
