import type { DecodeContext } from "../../exchange.ts";
import { arrayOr, canonical, isAbsent, type Json, type JsonObject, objectOr, stringOr } from "../../json.ts";
import type { Part, Turn } from "../../prompt.ts";
import { refuse } from "../../refusal.ts";
import { mediaDigest } from "../fields.ts";
import { THOUGHT_SIGNATURE } from "./encode-response.ts";
import { field } from "./proto-fields.ts";

/**
 * Values the vendor accepts in the place of a signature that another model never made, as they stand and
 * as the bytes that clients for Python make of them.
 */
const SKIPPED_SIGNATURES = new Set(
  ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"].flatMap((word) => [
    word,
    Buffer.from(word).toString("base64"),
  ]),
);

/** The conversation as neutral turns, refused where the vendor refuses. */
export function decodeContents(value: Json | undefined, context: DecodeContext): Turn[] {
  const contents = arrayOr(value).map(objectOr);
  if (contents.length === 0) return refuse("* GenerateContentRequest.contents: contents is not specified\n");
  const turns = contents.map((content, index) => decodeContent(content, index, context));
  checkPairs(joinNeighbours(turns));
  checkSigned(contents, context.pathModel);
  return turns;
}

function decodeContent(content: JsonObject, index: number, context: DecodeContext): Turn {
  const role = content["role"] ?? "user";
  if (role !== "user" && role !== "model" && role !== "function") {
    return refuse("Please use a valid role: user, model.");
  }
  const path = `contents[${index}]`;
  const parts = arrayOr(content["parts"]);
  if (parts.length === 0)
    return refuse(`* GenerateContentRequest.${path}.parts: contents.parts must not be empty.\n`);
  return { role: role === "model" ? "assistant" : "user", parts: decodeParts(parts, path, context) };
}

export function decodeParts(parts: Json[], path: string, context: DecodeContext): Part[] {
  return parts.flatMap((part, index) => decodePart(objectOr(part), `${path}.parts[${index}]`, context));
}

function decodePart(part: JsonObject, path: string, context: DecodeContext): Part[] {
  checkSignature(field(part, "thoughtSignature"), context);
  const call = field(part, "functionCall");
  if (!isAbsent(call)) return [decodeCall(objectOr(call), path)];
  const response = field(part, "functionResponse");
  if (!isAbsent(response)) return [decodeResponse(objectOr(response), path)];
  const inline = objectOr(field(part, "inlineData"));
  const file = objectOr(field(part, "fileData"));
  const media = inline["data"] ?? field(file, "fileUri");
  if (!isAbsent(media)) return [{ kind: "media", digest: mediaDigest(media) }];
  const text = part["text"];
  if (typeof text !== "string") {
    return refuse(
      `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field\n`,
    );
  }
  if (part["thought"] === true) return [{ kind: "thinking", text }];
  return text === "" ? [] : [{ kind: "text", text }];
}

function decodeCall(call: JsonObject, path: string): Part {
  const name = stringOr(call["name"], "");
  if (name === "")
    return refuse(`* GenerateContentRequest.${path}.function_call.name: Name cannot be empty.\n`);
  return { kind: "call", id: stringOr(call["id"], ""), name, args: objectOr(call["args"]) };
}

function decodeResponse(response: JsonObject, path: string): Part {
  const name = stringOr(response["name"], "");
  if (name === "")
    return refuse(`* GenerateContentRequest.${path}.function_response.name: Name cannot be empty.\n`);
  const value = response["response"];
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(
      `Invalid value at '${path}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`,
    );
  }
  return { kind: "result", id: stringOr(response["id"], ""), name, text: canonical(value) };
}

function checkSignature(value: Json | undefined, context: DecodeContext): void {
  if (isAbsent(value)) return;
  const signature = stringOr(value, "");
  if (SKIPPED_SIGNATURES.has(signature) || context.mint.verify(THOUGHT_SIGNATURE, "", signature)) return;
  refuse("Thought signature is not valid.");
}

/** The vendor's own client sends a streamed response back chunk by chunk: neighbours of one role are one turn. */
function joinNeighbours(turns: Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === turn.role) last.parts = [...last.parts, ...turn.parts];
    else joined.push({ ...turn });
  }
  return joined;
}

/** Responses come in the turn after their calls, as many as there were calls. */
function checkPairs(turns: Turn[]): void {
  for (const [index, turn] of turns.entries()) {
    const calls = turn.parts.filter((part) => part.kind === "call").length;
    const before = turns[index - 1];
    if (calls > 0 && before?.role !== "user") {
      refuse(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    }
    const results = turn.parts.filter((part) => part.kind === "result").length;
    if (results === 0) continue;
    const asked = before?.parts.filter((part) => part.kind === "call").length ?? 0;
    if (asked !== results) {
      refuse(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    }
  }
}

/** Models of the third generation want a signature on the first call of each step of the running turn. */
function checkSigned(contents: JsonObject[], model: string): void {
  if (!model.startsWith("gemini-3")) return;
  const start = contents.findLastIndex((content) => {
    return (
      content["role"] !== "model" &&
      arrayOr(content["parts"]).some((part) => objectOr(part)["text"] !== undefined)
    );
  });
  for (const [index, content] of contents.entries()) {
    if (index <= start) continue;
    const call = arrayOr(content["parts"])
      .map(objectOr)
      .find((part) => field(part, "functionCall") !== undefined);
    if (call === undefined || field(call, "thoughtSignature") !== undefined) continue;
    const name = stringOr(objectOr(field(call, "functionCall"))["name"], "");
    refuse(
      `Function call is missing a thought_signature in functionCall parts. Function call \`default_api:${name}\`, position ${index}.`,
    );
  }
}
