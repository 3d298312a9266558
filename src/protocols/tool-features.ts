import { type FeatureEntry, type FeatureRule, scannedPath, type ToolPath } from "./body-features.ts";

/** Tools whose definition is all in the body, and what the caller runs. */
const PLAIN_TOOL = /^(function|custom|namespace)$/;

/** Tools for which the upstream adds words or content that are billed as tokens only, not by the call. */
const UNBILLED_TOOL =
  /^(bash|text_editor|computer|browser_toolset|memory|local_shell|apply_patch|programmatic_tool_calling|tool_search|web_fetch|mcp)(_|$)/;

/** Those of them that the caller runs: the response ends with the call. */
const CALLERS_TOOL = /^(bash|text_editor|computer|browser_toolset|memory|local_shell|apply_patch)(_|$)/;

/** Places whose tools say their type. */
export function typedTools(places: readonly ToolPath[]): FeatureEntry[] {
  return places.map((place) => [`${scannedPath(place)}.type`, typedTool(place)]);
}

const typedTool =
  (place: ToolPath): FeatureRule =>
  (features, values, path) => {
    for (const found of values) {
      const { type, head } = found;
      if (type !== "string" || PLAIN_TOOL.test(head)) continue;
      features.unbounded ??= path;
      if (!CALLERS_TOOL.test(head)) features.vendorTools.push(found.parent);
      if (!UNBILLED_TOOL.test(head)) features.hostedTools.push({ tool: head, place, found });
    }
  };

/** The native protocol names a tool by its key, in two spellings. */
const PLAIN_TOOL_KEY = /^function_?declarations$/i;
const UNBILLED_TOOL_KEY = /^(computer_?use|url_?context|code_?execution|file_?search|mcp_?servers)$/i;
const CALLERS_TOOL_KEY = /^computer_?use$/i;

/** A list of objects whose keys are tools. */
export function keyedTools(path: string): FeatureEntry[] {
  const place = { path, byKey: true } as const;
  return [[`${scannedPath(place)}.*`, keyedTool(place)]];
}

const keyedTool =
  (place: ToolPath): FeatureRule =>
  (features, values, path) => {
    for (const found of values) {
      const { type, name } = found;
      if (type === "null" || PLAIN_TOOL_KEY.test(name)) continue;
      features.unbounded ??= path;
      if (!CALLERS_TOOL_KEY.test(name)) features.vendorTools.push(found.parent);
      if (!UNBILLED_TOOL_KEY.test(name)) features.hostedTools.push({ tool: name, place, found });
    }
  };
