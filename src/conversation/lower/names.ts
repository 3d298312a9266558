import type { PlannedTool } from "./plan.ts";
import { fitWord, type WordRule } from "./words.ts";

/** Gives each tool the name that a protocol accepts, and remembers whose name it is (rules 29 and 30). */
export interface ToolNames {
  /** The name on the wire. The same for a declaration, a choice and a call of an earlier turn. */
  wireName(tool: PlannedTool): string;
  /** What must be restored in the answer: only names that changed or that are not plain functions. */
  planned(): ReadonlyMap<string, PlannedTool>;
}

export function openToolNames(rule: WordRule): ToolNames {
  const owners = new Map<string, PlannedTool>();
  const wireNames = new Map<string, string>();
  return {
    wireName(tool) {
      const key = `${tool.namespace ?? ""}\n${tool.name}`;
      const known = wireNames.get(key);
      if (known !== undefined) return known;
      const flat = tool.namespace === undefined ? tool.name : `${tool.namespace}${JOINT}${tool.name}`;
      let name = fitWord(flat, rule);
      // A flattened name may be another tool's own: the hash of a longer word sets them apart.
      while (owners.has(name)) name = fitWord(`${name} ${key}`, rule);
      wireNames.set(key, name);
      owners.set(name, tool);
      return name;
    },
    planned: () =>
      new Map(
        [...owners].filter(
          ([wire, tool]) => wire !== tool.name || tool.namespace !== undefined || tool.custom === true,
        ),
      ),
  };
}

const JOINT = "__";
