import { closestMatch } from "../base/text.ts";

/**
 * The name in a price table that a vendor's tool has: its own, else one of the same family. Vendors name versions of a
 * tool by dates, and count its calls under the bare name.
 */
export function findTool(names: readonly string[], tool: string): string | undefined {
  if (names.includes(tool)) return tool;
  const family = familyOf(tool);
  return names.find((name) => name === family) ?? names.find((name) => familyOf(name) === family);
}

/** `web_search_20250305`, `web_search_preview_2025_03_11` and `webSearch` are all `web_search`. */
export function familyOf(tool: string): string {
  const name = undated(tool);
  return FAMILIES[name] ?? name;
}

/** A tool's name without its version, as vendors name what it makes. */
export function undated(tool: string): string {
  const words = tool.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return words.replace(/_(\d{8}|\d{4}_\d{2}_\d{2})$/, "").replace(/_preview$/, "");
}

/** Names and fields that mean the same as the family that is counted. */
const FAMILIES: Readonly<Record<string, string>> = {
  // https://developers.openai.com/api/docs/guides/tools-web-search
  web_search_options: "web_search",
  // https://openrouter.ai/docs/guides/features/plugins/web-search
  plugins: "web_search",
  // https://openrouter.ai/docs/guides/features/server-tools/web-search
  "openrouter:web_search": "web_search",
  // https://www.alibabacloud.com/help/en/model-studio/web-search
  enable_search: "web_search",
  // The only one that there is, `$web_search`: https://platform.moonshot.ai/docs/guide/use-web-search
  builtin_function: "web_search",
  // Names that Groq uses for OpenAI's models: https://console.groq.com/docs/tool-use/built-in-tools
  browser_search: "web_search",
  // https://docs.x.ai/docs/guides/live-search
  search_parameters: "live_search",
  // The name by which xAI's usage counts it: https://docs.x.ai/developers/files
  document_search: "attachment_search",
  // https://ai.google.dev/gemini-api/docs/google-search
  google_search_retrieval: "google_search",
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/grounding/web-grounding-enterprise
  enterprise_web_search: "google_search",
  // Each runs in a container, which is what is billed: https://developers.openai.com/api/docs/pricing
  code_interpreter: "code_container",
  shell: "code_container",
};

/**
 * The size in which vendors run a tool for a request that names none, by the tool's family; undefined = it has no sizes.
 * https://developers.openai.com/api/reference/resources/responses: "`medium` is the default"
 */
export function defaultSize(tool: string): string | undefined {
  return USUAL_SIZES[familyOf(tool)];
}

const USUAL_SIZES: Readonly<Record<string, string>> = { web_search: "medium", code_container: "1g" };

/** The tools that docs/catalog-file.md lists, by the names under which their calls are counted. */
const COUNTED = [
  ...["web_search", "google_search", "google_maps", "file_search", "image_generation", "x_search"],
  ...[
    "attachment_search",
    "collections_search",
    "live_search",
    "code_container",
    "code_execution",
    "advisor",
    "visit_website",
  ],
];

/** The known tool of which this name is a slip of typing; undefined = it is known, or resembles none. */
export function misspeltTool(name: string): string | undefined {
  const family = familyOf(name);
  if (COUNTED.includes(family)) return undefined;
  return closestMatch(family, [...COUNTED, ...Object.keys(FAMILIES)]);
}
