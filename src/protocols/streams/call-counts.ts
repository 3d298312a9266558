import { type CallCount, readCount } from "../../usage/usage.ts";
import { asObject, asText, type JsonObject } from "../json.ts";

/** Where a vendor's usage object states how often a tool ran that it bills. */
export interface StatedCalls {
  /** Names of fields, the outermost first. */
  readonly at: readonly string[];
  /** As price tables call it. */
  readonly tool: string;
  /** Where the size stands that its price goes by. */
  readonly size?: string;
}

/** The counts that a usage object states, also those of 0: they are the vendor's word, whatever items there are. */
export function statedCalls(usage: JsonObject, places: readonly StatedCalls[]): CallCount[] | undefined {
  let calls: CallCount[] | undefined;
  for (const { at, tool, size } of places) {
    const count = readCount(at.reduce<unknown>((value, field) => asObject(value)?.[field], usage));
    if (count === undefined) continue;
    const word = size === undefined ? "" : asText(usage[size]).toLowerCase();
    calls ??= [];
    calls.push(SIZE.test(word) ? { tool, size: word, count } : { tool, count });
  }
  return calls;
}

/** Both of its protocols state them so: https://docs.x.ai/developers/tools/tool-usage-details */
export const XAI_CALLS: readonly StatedCalls[] = Object.entries({
  web_search_calls: "web_search",
  x_search_calls: "x_search",
  code_interpreter_calls: "code_interpreter",
  file_search_calls: "file_search",
  document_search_calls: "document_search",
  image_generation_calls: "image_generation",
}).map(([field, tool]) => ({ at: ["server_side_tool_usage_details", field], tool }));

/** It ends up on receipts. */
const SIZE = /^[a-z0-9_-]{1,20}$/;

/** What the vendor states counts; of a tool that it states nothing of, what came. */
export function countedCalls(
  stated: readonly CallCount[] | undefined,
  seen: ReadonlyMap<string, ReadonlySet<string>> | undefined,
): readonly CallCount[] | undefined {
  if (stated === undefined && seen === undefined) return undefined;
  const known = new Set(stated?.map(({ tool }) => tool));
  const came = [...(seen ?? [])].flatMap(([tool, keys]) =>
    known.has(tool) ? [] : [{ tool, count: keys.size }],
  );
  const calls = [...(stated ?? []), ...came].filter(({ count }) => count > 0);
  return calls.length === 0 ? undefined : calls;
}
