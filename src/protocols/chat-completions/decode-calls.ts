import { writeExact } from "../../base/json/exact-json.ts";
import { textOfArguments } from "../../conversation/adapt/whole-calls.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import type { ToolCallPart } from "../../conversation/request.ts";
import type { Opaque } from "../../conversation/state/opaque.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json.ts";

/** The calls of a plain message, each with an id of its own (rule 22). */
export function decodeCalls(
  message: JsonObject,
  plan: ResponsePlan,
  choice: number,
): readonly ToolCallPart[] {
  const used = new Set<string>();
  return wireCalls(message).flatMap((wire, index) => {
    const { id, name, text, custom } = readCall(wire);
    // Written out with nothing in it. One with something and no name is no response at all.
    if (name === "") return [];
    const own = id !== "" && !used.has(id) ? id : makeCallId(plan.seed, choice * CALLS_PER_CHOICE + index);
    used.add(own);
    const state = decodeExtra(wire, plan);
    return {
      kind: "tool-call",
      id: own,
      name,
      arguments: text,
      custom,
      opaque: state,
    };
  });
}

/** Calls or their pieces; the form from before there were tools counts as one. */
export function wireCalls(message: JsonObject): readonly JsonObject[] {
  const calls = asObjects(message["tool_calls"]);
  const legacy = asObject(message["function_call"]);
  if (calls.length > 0 || legacy === undefined) return calls;
  const isEmpty = asText(legacy["name"]) + textOfArguments(legacy["arguments"]) === "";
  return isEmpty ? calls : [{ function: legacy }];
}

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly custom: true | undefined;
}

export function readCall(wire: JsonObject): WireCall {
  // Later pieces of a streamed call state no type.
  const custom = wire["function"] === undefined ? asObject(wire["custom"]) : undefined;
  const called = custom ?? asObject(wire["function"]) ?? {};
  return {
    id: asText(wire["id"]),
    name: asText(called["name"]),
    text: textOfArguments(called[custom === undefined ? "arguments" : "input"]),
    custom: custom === undefined ? undefined : true,
  };
}

/** State that a vendor put on a call, kept as it came. */
export function decodeExtra(wire: JsonObject, plan: ResponsePlan): Opaque | undefined {
  const extra = asObject(wire["extra_content"]);
  if (extra === undefined || Object.keys(extra).length === 0) return undefined;
  return { origin: plan.origin, value: writeExact(extra) };
}

/** Keeps the made-up ids of different choices apart; no response calls as many tools. */
export const CALLS_PER_CHOICE = 1000;
