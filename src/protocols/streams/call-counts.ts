import { familyOf } from "../../usage/tool-names.ts";
import { type CallCount, readCount } from "../../usage/usage.ts";
import { asObject, asText, type JsonObject } from "../json.ts";

/** Path of the field in which a vendor's usage object reports the runs of a tool that it bills. */
export interface ReportedCallField {
  /** Names of fields, the outermost first. */
  readonly at: readonly string[];
  /** The price table's name of the tool. */
  readonly tool: string;
  /** Field with the size that the price depends on. */
  readonly size?: string;
}

/**
 * The counts that a usage object states, also those of 0: they are the vendor's word, whatever was offered and whatever items
 * there are. A gateway that relays another vendor's count beside its own states one number in two places: the larger counts.
 */
export function reportedCalls(
  usage: JsonObject,
  places: readonly ReportedCallField[],
): CallCount[] | undefined {
  let calls: Map<string, CallCount> | undefined;
  for (const { at, tool, size } of places) {
    const count = readCount(at.reduce<unknown>((value, field) => asObject(value)?.[field], usage));
    if (count === undefined) continue;
    const word = size === undefined ? "" : asText(usage[size]).toLowerCase();
    calls ??= new Map();
    if (count < (calls.get(tool)?.count ?? 0)) continue;
    calls.set(tool, SIZE.test(word) ? { tool, size: word, count } : { tool, count });
  }
  return calls && [...calls.values()];
}

/** Both of its protocols state them so: https://docs.x.ai/developers/tools/tool-usage-details */
export const XAI_CALLS: readonly ReportedCallField[] = Object.entries({
  web_search_calls: "web_search",
  x_search_calls: "x_search",
  code_interpreter_calls: "code_interpreter",
  file_search_calls: "file_search",
  document_search_calls: "document_search",
  image_generation_calls: "image_generation",
}).map(([field, tool]) => ({ at: ["server_side_tool_usage_details", field], tool }));

/** Each of its protocols states them so: https://openrouter.ai/docs/guides/features/plugins/web-search */
export const OPENROUTER_CALLS: readonly ReportedCallField[] = [
  { at: ["server_tool_use", "web_search_requests"], tool: "web_search" },
  // OpenRouter's own tools: https://openrouter.ai/docs/guides/features/server-tools/web-search
  { at: ["server_tool_use_details", "web_search_requests"], tool: "web_search" },
];

/** Both of its protocols state them so: https://www.alibabacloud.com/help/en/model-studio/web-search */
export const ALIBABA_CALLS: readonly ReportedCallField[] = [
  { at: ["x_tools", "web_search", "count"], tool: "web_search" },
];

/** It ends up on receipts. */
const SIZE = /^[a-z0-9_-]{1,20}$/;

/** Returns the vendor's counts, even those of 0, and for tools without one the calls in the response. */
export function countedCalls(
  stated: readonly CallCount[] | undefined,
  seen: ReadonlyMap<string, ReadonlySet<string>> | undefined,
): readonly CallCount[] | undefined {
  if (stated === undefined && seen === undefined) return undefined;
  const known = new Set(stated?.map(({ tool }) => familyOf(tool)));
  const came = [...(seen ?? [])].flatMap(([tool, keys]) =>
    known.has(familyOf(tool)) || keys.size === 0 ? [] : [{ tool, count: keys.size }],
  );
  const calls = [...(stated ?? []), ...came];
  return calls.length === 0 ? undefined : calls;
}
