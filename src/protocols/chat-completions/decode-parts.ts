import { appendAll } from "../../base/append-all.ts";
import { writeExact } from "../../base/json/exact-json.ts";
import { mimeTypeOfBase64 } from "../../base/media-signatures.ts";
import { mediaOfType, mimeTypeOfUrl, sourceOfUrl } from "../../conversation/media.ts";
import { MessageRun } from "../../conversation/message-run.ts";
import type {
  CacheMark,
  ForeignField,
  MediaPart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
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
  requiredFields,
  requiredText,
} from "../fields.ts";
import { asArray } from "../json.ts";
import { decodeCallState } from "./call-state.ts";
import { type FunctionCalls, openFunctionCalls } from "./legacy-functions.ts";
import { textOfDetails } from "./reasoning.ts";

export interface DecodedMessages {
  readonly system: readonly TextPart[];
  readonly messages: readonly Message[];
  readonly foreign: readonly ForeignField[];
}

/** Instructions that come first are the system's; later ones stay in their place (rule 31). */
export function decodeMessages(body: Fields): DecodedMessages {
  if (body.value["messages"] === undefined) refuse(body, "messages", "`messages` is missing.");
  const system: TextPart[] = [];
  const run = new MessageRun();
  const foreign: Foreign = [];
  const functions = openFunctionCalls();
  for (const fields of listOf(body, "messages")) {
    const role = requiredText(fields, "role");
    const known =
      KNOWN.get(role) ?? refuse(fields, "role", `\`${pathOf(fields, "role")}\` isn't a valid role.`);
    appendAll(foreign, foreignFields(fields, known, MEANING));
    if (role === "tool") {
      addResult(run, decodeResult(fields, foreign));
      continue;
    }
    if (role === "function") {
      addResult(run, functions.result(fields, decodeContent(fields, foreign)));
      continue;
    }
    const parts =
      role === "assistant" ? decodeAssistant(fields, functions, foreign) : decodeContent(fields, foreign);
    const texts = parts.filter((part) => part.kind === "text");
    const instructs = role === "system" || role === "developer";
    if (instructs && texts.length < parts.length) {
      refuse(fields, "content", `\`${pathOf(fields, "content")}\` must be text in a ${role} message.`);
    }
    if (instructs && run.last === undefined) {
      appendAll(system, texts);
      continue;
    }
    const name = optionalText(fields, "name");
    run.push({
      role: instructs ? "system" : role === "assistant" ? "assistant" : "user",
      name,
      parts,
    });
  }
  return { system, messages: run.messages, foreign };
}

/** Results that follow each other answer one turn: they are one message. */
function addResult(run: MessageRun, result: ToolResultPart): void {
  if (run.last?.role === "user" && run.endsInResults) run.grow([result]);
  else run.push({ role: "user", parts: [result] });
}

/** Unknown fields found on the way. */
type Foreign = ForeignField[];

function decodeContent(fields: Fields, foreign: Foreign): readonly Part[] {
  const content = fields.value["content"] ?? undefined;
  if (typeof content === "string") return [{ kind: "text", text: content, ...markOf(fields) }];
  if (content === undefined) return [];
  const parts = listOf(fields, "content").map((part) => decodePart(part, foreign));
  const last = parts.at(-1);
  // A mark on a message is one at its end.
  if (last?.kind !== "text" && last?.kind !== "media") return parts;
  return [...parts.slice(0, -1), { ...last, ...markOf(fields) }];
}

function decodePart(part: Fields, foreign: Foreign): Part {
  const type = requiredText(part, "type");
  appendAll(foreign, foreignFields(part, new Set([type, markField(part), ...PART_FIELDS])));
  switch (type) {
    case "text":
    case "input_text":
      return { kind: "text", text: requiredText(part, "text"), ...markOf(part) };
    case "refusal":
      return { kind: "text", text: requiredText(part, "refusal"), refusal: true };
    case "image_url":
      return decodeLink(part, type, "image");
    case "video_url":
      return decodeLink(part, type, "video");
    case "input_audio": {
      const audio = requiredFields(part, "input_audio");
      const format = optionalText(audio, "format") ?? "wav";
      const source = { from: "base64", data: requiredText(audio, "data") } as const;
      return {
        kind: "media",
        media: "audio",
        source,
        mimeType: `audio/${format === "mp3" ? "mpeg" : format}`,
        ...markOf(part),
      };
    }
    case "file":
      return decodeFile(part);
    default:
      return {
        kind: "foreign",
        protocol: "chat-completions",
        value: part.value,
        ifUnsupported: type === "thinking" ? "drop" : "refuse",
        path: part.path,
      };
  }
}

/** `{url, detail}`, or the bare URL that some clients send. */
function decodeLink(part: Fields, key: string, media: MediaPart["media"]): MediaPart {
  const bare = typeof part.value[key] === "string";
  const link = bare ? part : requiredFields(part, key);
  const url = requiredText(link, bare ? key : "url");
  const detail = bare ? undefined : optionalText(link, "detail");
  const { source, mimeType = mimeTypeOfUrl(url) } = sourceOfUrl(url);
  return {
    kind: "media",
    media,
    source,
    mimeType,
    detail,
    ...markOf(part),
  };
}

/** A file's data is a data URL (rule 35); some clients put a link there, or bare base64. */
function decodeFile(part: Fields): MediaPart {
  const file = requiredFields(part, "file");
  const name = optionalText(file, "filename");
  const named = name === undefined ? {} : { name };
  const fileId = optionalText(file, "file_id");
  if (fileId !== undefined) {
    const source = { from: "file", protocol: "chat-completions", fileId } as const;
    return { kind: "media", media: "document", source, ...named, ...markOf(part) };
  }
  const data = requiredText(file, "file_data");
  const linked = /^[a-z][a-z0-9+.-]*:/i.test(data);
  const { source, mimeType } = linked
    ? sourceOfUrl(data)
    : { source: { from: "base64", data } as const, mimeType: mimeTypeOfBase64(data) };
  const type = mimeType ?? optionalText(file, "format") ?? mimeTypeOfUrl(name ?? data);
  return {
    kind: "media",
    media: mediaOfType(type),
    source,
    mimeType: type,
    ...named,
    ...markOf(part),
  };
}

/** Thoughts, words, then calls: the order in which a chat answer was made. */
function decodeAssistant(fields: Fields, functions: FunctionCalls, foreign: Foreign): readonly Part[] {
  const calls = listOf(fields, "tool_calls").map(decodeCall);
  const called = functions.call(fields, foreign);
  const thoughts = [
    ...calls.flatMap(({ thoughts }) => thoughts),
    ...called.filter(({ kind }) => kind === "reasoning"),
  ];
  for (const call of listOf(fields, "tool_calls")) appendAll(foreign, foreignFields(call, CALL_FIELDS));
  const refusal = optionalText(fields, "refusal");
  return [
    ...(thoughts.length > 0 ? thoughts : decodeThoughts(fields)),
    ...decodeContent(fields, foreign).filter((part) => part.kind !== "text" || part.text !== ""),
    ...(refusal === undefined ? [] : [{ kind: "text", text: refusal, refusal: true } as const]),
    ...calls.map(({ call }) => call),
    ...called.filter(({ kind }) => kind === "tool-call"),
  ];
}

function decodeThoughts(fields: Fields): readonly Part[] {
  const details = asArray(fields.value["reasoning_details"]);
  const text =
    optionalText(fields, "reasoning_content") ?? optionalText(fields, "reasoning") ?? textOfDetails(details);
  if (details.length === 0) return text === "" ? [] : [{ kind: "reasoning", text }];
  const opaque = { origin: { protocol: "chat-completions" }, value: writeExact(details) } as const;
  return [{ kind: "reasoning", text, opaque }];
}

function decodeCall(fields: Fields): { readonly call: ToolCallPart; readonly thoughts: readonly Part[] } {
  const { state, thoughts } = decodeCallState(fields.value["extra_content"]);
  const id = requiredText(fields, "id");
  const beside = { opaque: state, ...markOf(fields) };
  const custom = optionalFields(fields, "custom");
  if (custom !== undefined && fields.value["type"] === "custom") {
    const input = optionalText(custom, "input") ?? "";
    const call = { kind: "tool-call", id, name: requiredText(custom, "name"), arguments: input } as const;
    return { call: { ...call, custom: true, ...beside }, thoughts };
  }
  const called = requiredFields(fields, "function");
  const text = optionalText(called, "arguments") ?? "";
  return {
    call: { kind: "tool-call", id, name: requiredText(called, "name"), arguments: text, ...beside },
    thoughts,
  };
}

function decodeResult(fields: Fields, foreign: Foreign): ToolResultPart {
  const name = optionalText(fields, "name");
  const parts = decodeContent(fields, foreign).map((part) =>
    part.kind === "text" || part.kind === "media" || part.kind === "foreign"
      ? part
      : refuse(fields, "content", `\`${pathOf(fields, "content")}\` must be text.`),
  );
  return {
    kind: "tool-result",
    callId: requiredText(fields, "tool_call_id"),
    name,
    parts,
  };
}

/** A cache mark, which some vendors take on parts, messages and calls. */
function markOf(fields: Fields): { readonly cache?: CacheMark | undefined } {
  const mark = optionalFields(fields, markField(fields));
  if (mark === undefined) return {};
  return { cache: { ttl: mark.value["ttl"] === "1h" ? "1h" : "5m" } };
}

/** The first vendor has a word of its own for it; a part that bears both bears one mark and an unknown field. */
function markField(fields: Fields): string {
  return "cache_control" in fields.value ? "cache_control" : "prompt_cache_breakpoint";
}

/**
 * The fields that a part has beside the cache mark and the field named like its type. `text` is also that of
 * `input_text`.
 */
const PART_FIELDS = ["type", "text"];

const CALL_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "type",
  "index",
  "function",
  "custom",
  "extra_content",
  "cache_control",
]);

const SPOKEN = ["role", "content", "name", "cache_control"];

/** The known fields by role. It is a map because a caller's word may be one that every object has. */
const KNOWN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["system", new Set(SPOKEN)],
  ["developer", new Set(SPOKEN)],
  ["user", new Set(SPOKEN)],
  ["tool", new Set([...SPOKEN, "tool_call_id"])],
  ["function", new Set(SPOKEN)],
  [
    "assistant",
    new Set([
      ...SPOKEN,
      "refusal",
      "tool_calls",
      "function_call",
      "reasoning_content",
      "reasoning",
      "reasoning_details",
    ]),
  ],
]);

/** An earlier response in sound. */
const MEANING: ReadonlySet<string> = new Set(["audio"]);
