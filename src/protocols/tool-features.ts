import type { FoundValue } from "../base/json/json-scan.ts";
import {
  entries,
  type FeatureEntry,
  type FeatureRule,
  hostedTool,
  scannedPath,
  sibling,
  type ToolPath,
} from "./body-features.ts";

/** Tools whose definition is all in the body, and what the caller runs. */
const PLAIN_TOOL = /^(function|custom|namespace)$/;

/** Tools for which the upstream adds words or content that are billed as tokens only, not by the call. */
const UNBILLED_TOOL =
  /^(bash|text_editor|computer|browser_toolset|memory|local_shell|apply_patch|programmatic_tool_calling|tool_search|web_fetch|mcp)(_|$)/;

/** Those of them that the caller runs: the response ends with the call. */
const CALLERS_TOOL = /^(bash|text_editor|computer|browser_toolset|memory|local_shell|apply_patch)(_|$)/;

/**
 * Searches and fetches that filter by code, by the first version that does:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#usage-and-pricing
 */
const CODE_RUNNING_TOOL = /^web_(?:search|fetch)_(\d{8})$/;
const CODE_RUNNING_FROM = 20_260_209;

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
      if (Number(CODE_RUNNING_TOOL.exec(head)?.[1] ?? 0) >= CODE_RUNNING_FROM) features.runsCode = true;
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

/**
 * OpenRouter's plugins that run no search, and whether they add content to the request; their own tokens are all that they cost.
 * Any other may search: `web` does, once for the request. https://openrouter.ai/docs/guides/features/plugins
 */
const PLUGINS: Readonly<Record<string, "adds content" | "adds nothing">> = {
  // https://openrouter.ai/docs/guides/overview/multimodal/pdfs
  "file-parser": "adds content",
  "web-fetch": "adds content",
  "response-healing": "adds nothing",
  "context-compression": "adds nothing",
  moderation: "adds nothing",
  "auto-router": "adds nothing",
  "pareto-router": "adds nothing",
};

const plugins: FeatureRule = (features, values, path, scan) => {
  const ids = scan.all(`${path}.id`);
  const switches = scan.all(`${path}.enabled`);
  const on = parentsOf(switches.filter(({ value }) => value !== false));
  const off = parentsOf(switches.filter(({ parent }) => !on.has(parent)));
  const known = ids
    .filter(({ parent }) => !off.has(parent))
    .map(({ head }) => (Object.hasOwn(PLUGINS, head) ? PLUGINS[head] : undefined));
  const listed = values.reduce((sum, { items }) => sum + items, 0);
  if (parentsOf(ids).size < listed || known.includes(undefined)) hostedTool(features, values, path, scan);
  else if (known.includes("adds content")) features.unbounded ??= path;
};

function parentsOf(found: readonly FoundValue[]): ReadonlySet<number> {
  return new Set(found.map(({ parent }) => parent));
}

/** The field `plugins`, which OpenRouter reads on each of its endpoints. */
export const pluginList: readonly FeatureEntry[] = [
  ["plugins", plugins],
  ...entries(sibling, ["plugins.id", "plugins.enabled"]),
];
