import { appendAll } from "../../base/append-all.ts";
import { MessageRun } from "../../conversation/message-run.ts";
import type {
  ForeignField,
  Message,
  Part,
  RequestRefusal,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UnsupportedPolicy,
} from "../../conversation/request.ts";
import { compactedWords } from "../compaction.ts";
import { type Fields, foreignFields, listOf, optionalText, pathOf, refuse, requiredText } from "../fields.ts";
import { decodeImageCall, decodeResultParts, decodeSpoken } from "./decode-parts.ts";
import { decodeReasoningItem } from "./reasoning-item.ts";

export interface DecodedInput {
  readonly system: readonly TextPart[];
  readonly messages: readonly Message[];
  /** Items that declare tools beside the body's. */
  readonly toolLists: readonly Fields[];
  readonly foreign: readonly ForeignField[];
}

/**
 * Items become turns: what the assistant said, thought and called up to the next word of the user is one
 * message, since other protocols answer its calls together (rule 23). Instructions that come first are
 * the system's; later ones stay in their place (rule 31).
 */
export function decodeInput(body: Fields): DecodedInput {
  const input = body.value["input"] ?? undefined;
  // Other fields that may bring content are refused by their own names.
  if (input === undefined) return { system: [], messages: [], toolLists: [], foreign: [] };
  if (typeof input === "string") {
    const messages: Message[] = [{ role: "user", parts: [{ kind: "text", text: input }] }];
    return { system: [], messages, toolLists: [], foreign: [] };
  }
  if (!Array.isArray(input)) return refuse(body, "input", "`input` must be a string or an array.");
  const read: Reading = { system: [], run: new MessageRun(), toolLists: [], foreign: [] };
  for (const item of listOf(body, "input")) decodeItem(item, read);
  const { system, run, toolLists, foreign } = read;
  return { system, messages: run.messages, toolLists, foreign };
}

interface Reading {
  readonly system: TextPart[];
  readonly run: MessageRun;
  readonly toolLists: Fields[];
  readonly foreign: ForeignField[];
}

function decodeItem(item: Fields, read: Reading): void {
  const type = optionalText(item, "type") ?? "message";
  const known = KNOWN.get(type);
  if (known !== undefined) appendAll(read.foreign, foreignFields(item, known));
  switch (type) {
    case "message":
      decodeMessage(item, read);
      return;
    case "reasoning":
      addTo(read.run, "assistant", decodeReasoningItem(item.value));
      return;
    case "function_call":
    case "custom_tool_call":
      addTo(read.run, "assistant", [decodeCall(item, type)]);
      return;
    case "function_call_output":
    case "custom_tool_call_output":
      addTo(read.run, "user", [decodeResult(item, type, read.foreign)]);
      return;
    case "compaction": {
      const words = compactedWords(optionalText(item, "encrypted_content") ?? "");
      if (words === undefined) addTo(read.run, "assistant", [foreignItem(item, type)]);
      else read.run.push({ role: "user", parts: [{ kind: "text", text: words }] });
      return;
    }
    case "additional_tools":
      read.toolLists.push(item);
      return;
    default: {
      addTo(read.run, "assistant", [decodeImageCall(item.value) ?? foreignItem(item, type)]);
    }
  }
}

function decodeMessage(item: Fields, { system, run, foreign }: Reading): void {
  const role = requiredText(item, "role");
  const parts = decodeSpoken(item, foreign);
  switch (role) {
    case "assistant":
      addTo(run, "assistant", parts.length === 0 ? [SILENCE] : parts);
      return;
    case "user":
      run.push({ role: "user", parts });
      return;
    case "system":
    case "developer": {
      const texts = parts.filter((part) => part.kind === "text");
      if (texts.length < parts.length) {
        refuse(item, "content", `\`${pathOf(item, "content")}\` must be text in a ${role} message.`);
      }
      if (run.last === undefined) appendAll(system, texts);
      else run.push({ role: "system", parts });
      return;
    }
    default:
      refuse(item, "role", `\`${pathOf(item, "role")}\` must be user, assistant, system or developer.`);
  }
}

/** Keeps the place of a turn that says nothing. */
const SILENCE: TextPart = { kind: "text", text: "" };

/** Goes on with the last message where it is of the same kind: the assistant's turn, or results. */
function addTo(run: MessageRun, role: "user" | "assistant", parts: readonly Part[]): void {
  if (parts.length === 0) return;
  if (run.last?.role === role && (role === "assistant" || run.endsInResults)) run.grow(parts);
  else run.push({ role, parts });
}

function decodeCall(item: Fields, type: string): ToolCallPart {
  const custom = type === "custom_tool_call";
  const namespace = optionalText(item, "namespace");
  return {
    kind: "tool-call",
    id: requiredText(item, "call_id"),
    name: requiredText(item, "name"),
    namespace,
    arguments: (custom ? optionalText(item, "input") : optionalText(item, "arguments")) ?? "",
    custom: custom ? true : undefined,
  };
}

function decodeResult(item: Fields, type: string, foreign: ForeignField[]): ToolResultPart {
  return {
    kind: "tool-result",
    callId: requiredText(item, "call_id"),
    parts: decodeResultParts(item, foreign),
    // The only word of failure that results have here.
    isError: item.value["status"] === "incomplete" ? true : undefined,
    custom: type === "custom_tool_call_output" ? true : undefined,
  };
}

/** An item that the vendor made or that its own tools left: what was found with it is in the words that follow. */
function foreignItem(item: Fields, type: string): Part {
  const ifUnsupported: UnsupportedPolicy = LEFT_BY_TOOLS.has(type) ? "drop" : "refuse";
  const foreign: Part = {
    kind: "foreign",
    protocol: "responses",
    value: item.value,
    ifUnsupported,
    path: item.path,
  };
  return type === "item_reference" ? { ...foreign, refusal: NOT_STORED } : foreign;
}

/** Some clients refer to every earlier item unless told that nothing is stored; leaving it out would lose the turn. */
const NOT_STORED: RequestRefusal = {
  why:
    "This model's upstream stores no items for later requests. Send the item itself: " +
    "clients do with `store: false` (in the AI SDK `providerOptions: { openai: { store: false } }`).",
};

/** Items of earlier turns only: the tools that the vendor ran, and the results that they listed or found. */
const LEFT_BY_TOOLS: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_list_tools",
  "mcp_call",
  "tool_search_call",
  "tool_search_output",
  "program",
  "program_output",
]);

const OF_ITEM = ["type", "id", "status"];
const CALLED = [...OF_ITEM, "call_id", "name", "namespace"];
const KNOWN = new Map<string, ReadonlySet<string>>([
  ["message", new Set([...OF_ITEM, "role", "content"])],
  ["reasoning", new Set([...OF_ITEM, "summary", "content", "encrypted_content"])],
  ["function_call", new Set([...CALLED, "arguments"])],
  ["custom_tool_call", new Set([...CALLED, "input"])],
  ["function_call_output", new Set([...OF_ITEM, "call_id", "output"])],
  ["custom_tool_call_output", new Set([...OF_ITEM, "call_id", "output"])],
  ["compaction", new Set([...OF_ITEM, "encrypted_content"])],
  ["additional_tools", new Set([...OF_ITEM, "role", "tools"])],
]);
