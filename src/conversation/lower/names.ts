import { createHash } from "node:crypto";
import type { PlannedTool } from "./plan.ts";
import { fitWord, type WordRule } from "./words.ts";

/** Gives each tool the name that a protocol accepts, and remembers whose name it is (rules 29 and 30). */
export interface ToolNames {
  /** The name on the wire. The same for a declaration, a choice and a call of an earlier turn. */
  wireName(tool: PlannedTool): string;
  /** The tools to restore in the response: only names that changed or that are not plain functions. */
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

/** A call's id as another protocol takes it: the same for the call and its result, in every turn (rule 21). */
export function fitCallId(id: string, rule: WordRule): string {
  return fitWord(id, rule);
}

/**
 * An id for a call that the upstream left unnamed (rule 22). `seed` is unique to the request, so that
 * calls of different turns never meet; the same request read twice gives the same ids.
 */
export function makeCallId(seed: string, block: number): string {
  return `call_${createHash("sha256").update(`${seed} ${block}`).digest("hex").slice(0, 24)}`;
}
