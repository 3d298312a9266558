import { appendAll } from "../../base/append-all.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import type {
  ForeignField,
  FunctionTool,
  Part,
  ToolCallPart,
  ToolChoice,
  ToolResultPart,
} from "../../conversation/request.ts";
import {
  type Fields,
  foreignFields,
  listOf,
  optionalFields,
  optionalText,
  pathOf,
  refuse,
  requiredText,
} from "../fields.ts";
import { decodeCallState } from "./call-state.ts";

/**
 * Tools in the form that they had before they were tools, which old clients still write: `functions`, of which
 * `function_call` chooses, one call a message and results of role `function`, none with an id.
 * https://platform.openai.com/docs/api-reference/chat/create (deprecated fields)
 */

/** The functions that a body declares. */
export function decodeFunctions(body: Fields, foreign: ForeignField[]): readonly FunctionTool[] {
  return listOf(body, "functions").map((fields) => {
    appendAll(foreign, foreignFields(fields, FUNCTION_FIELDS));
    const description = optionalText(fields, "description");
    const parameters = optionalFields(fields, "parameters")?.value;
    return {
      kind: "function",
      name: requiredText(fields, "name"),
      description,
      parameters,
      strict: false,
    };
  });
}

/** Reads the choice of the function to call. */
export function decodeFunctionChoice(body: Fields): ToolChoice | undefined {
  const word = body.value["function_call"] ?? undefined;
  if (word === undefined) return undefined;
  if (word === "auto" || word === "none") return { kind: word };
  if (typeof word === "string") {
    return refuse(body, "function_call", "`function_call` must be none, auto or an object with a name.");
  }
  const named = optionalFields(body, "function_call");
  return named && { kind: "tool", name: requiredText(named, "name") };
}

/** Calls and results of a conversation: they find each other by order and name, so they get ids that depend on these alone. */
export function openFunctionCalls(): FunctionCalls {
  let count = 0;
  let unanswered: readonly ToolCallPart[] = [];
  const nextId = (): string => {
    count += 1;
    return makeCallId(SEED, count);
  };
  return {
    call(message, foreign) {
      const called = optionalFields(message, "function_call");
      if (called === undefined) return [];
      appendAll(foreign, foreignFields(called, CALL_FIELDS));
      const { state, thoughts } = decodeCallState(called.value["extra_content"]);
      const call: ToolCallPart = {
        kind: "tool-call",
        id: nextId(),
        name: requiredText(called, "name"),
        arguments: optionalText(called, "arguments") ?? "",
        opaque: state,
      };
      unanswered = [call];
      return [...thoughts, call];
    },
    result(message, parts) {
      const name = requiredText(message, "name");
      const call = unanswered.find((each) => each.name === name) ?? unanswered[0];
      unanswered = [];
      const converted = parts.map((part) =>
        part.kind === "text"
          ? part
          : refuse(message, "content", `\`${pathOf(message, "content")}\` must be text.`),
      );
      return { kind: "tool-result", callId: call?.id ?? nextId(), name, parts: converted };
    },
  };
}

export interface FunctionCalls {
  /** The call of an assistant's message, after the thoughts that stand with it; [] where it has none. */
  call(message: Fields, foreign: ForeignField[]): readonly Part[];
  /** A message of role `function`, whose content is `parts`. */
  result(message: Fields, parts: readonly Part[]): ToolResultPart;
}

/** Not unique to a request: the same conversation must give the same ids in every turn. */
const SEED = "chat-completions function";

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["name", "description", "parameters"]);
const CALL_FIELDS: ReadonlySet<string> = new Set(["name", "arguments", "extra_content"]);
