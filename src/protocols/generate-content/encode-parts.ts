import { isNoArguments } from "../../conversation/adapt/whole-calls.ts";
import type { ToolCallPart } from "../../conversation/request.ts";
import type { ResponsePart } from "../../conversation/response.ts";
import { asObject, type JsonObject, parseWhole } from "../json.ts";
import { encodeResponseMedia } from "./encode-media.ts";
import { encodeState } from "./state.ts";

/** A part of a response as this protocol's callers read it; [] where it has none. */
export function encodeResponsePart(part: ResponsePart): readonly JsonObject[] {
  switch (part.kind) {
    case "text":
      return part.text === "" && part.opaque === undefined ? [] : [{ text: part.text, ...stateOf(part) }];
    case "reasoning":
      // Its state rides on what follows it: clients drop thoughts.
      return part.text === "" ? [] : [{ text: part.text, thought: true }];
    case "tool-call": {
      const functionCall = encodeCall(part);
      return functionCall === undefined ? [] : [{ functionCall, ...stateOf(part) }];
    }
    case "media":
      return [{ ...encodeResponseMedia(part), ...stateOf(part) }];
    case "foreign":
      return isBeside(part.value) ? [] : [part.value];
  }
}

/** The call with its arguments as the object that they are; undefined where they are none. */
export function encodeCall({ id, name, arguments: text }: ToolCallPart): JsonObject | undefined {
  const args = isNoArguments(text) ? {} : asObject(parseWhole(text));
  return args === undefined ? undefined : { id, name, args };
}

/** True if a foreign part stands beside the content of its candidate, not inside. */
export function isBeside(value: JsonObject): boolean {
  return Object.keys(value).some((key) => BESIDE.includes(key));
}

/** A candidate's fields about its sources, in the vendor's names. */
export const BESIDE: readonly string[] = ["groundingMetadata", "urlContextMetadata", "citationMetadata"];

function stateOf({ opaque }: Pick<ToolCallPart, "opaque">): JsonObject {
  return opaque === undefined ? {} : { thoughtSignature: encodeState(opaque) };
}
