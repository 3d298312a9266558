import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../../src/protocols/json.ts";

/**
 * Brings two ways of writing the same on the wire to one: what a protocol says means the same must not
 * look like a difference. Anything else stays as it was written, and is judged by the rules.
 */
export function normalRequest(protocol: ChatProtocol, body: unknown): unknown {
  return plain(normalBody(protocol, withoutNulls(body)));
}

/** The same for responses; ids of the response and of its items, and the time, are each gateway's own. */
export function normalResponse(protocol: ChatProtocol, body: unknown): unknown {
  return plain(withoutIds(protocol, withoutNulls(body)));
}

/** Explicit nulls say what leaving out says, in all four protocols (but not within arrays). */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  const object = asObject(value);
  if (object === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, inner]) => (inner === null ? [] : [[name, withoutNulls(inner)]])),
  );
}

/** Arguments are JSON text, whose spaces mean nothing. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  const object = asObject(value);
  if (object === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).map(([name, inner]) => [
      name,
      name === "arguments" ? parsed(inner) : plain(inner),
    ]),
  );
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A string where a list of parts may stand is one part of text. */
function normalBody(protocol: ChatProtocol, body: unknown): unknown {
  const object = asObject(body);
  if (object === undefined) return body;
  switch (protocol) {
    case "chat-completions":
      return { ...object, messages: messages(object["messages"], "text") };
    case "messages":
      return {
        ...object,
        ...(object["system"] === undefined ? {} : { system: parts(object["system"], "text") }),
        messages: oneTurnARole(messages(object["messages"], "text"), "content"),
      };
    case "responses":
      return withInstructions({ ...object, input: messages(inputItems(object["input"]), "input_text") });
    case "generate-content":
      return { ...object, contents: oneTurnARole(object["contents"], "parts") };
  }
}

/** Neighbouring turns of one role are one turn to both vendors whose turns alternate (rule 32). */
function oneTurnARole(turns: unknown, held: string): unknown {
  if (!Array.isArray(turns)) return turns;
  const out: JsonObject[] = [];
  for (const turn of asObjects(turns)) {
    const last = out.at(-1);
    if (last?.["role"] !== turn["role"] || last === undefined) out.push(turn);
    else out[out.length - 1] = { ...last, [held]: [...asArray(last[held]), ...asArray(turn[held])] };
  }
  return out;
}

function inputItems(input: unknown): unknown {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  if (!Array.isArray(input)) return input;
  return input.map((item) => (asObject(item)?.["role"] === undefined ? item : { type: "message", ...item }));
}

/** Instructions of responses may as well open its input. */
function withInstructions(body: JsonObject): JsonObject {
  const { instructions, input, ...rest } = body;
  if (instructions === undefined || !Array.isArray(input)) return body;
  const opening = { type: "message", role: "system", content: [{ type: "input_text", text: instructions }] };
  return { ...rest, input: [opening, ...input] };
}

function messages(value: unknown, type: string): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((message) => {
    const object = asObject(message);
    if (object === undefined || object["content"] === undefined) return message;
    const word = type === "input_text" && object["role"] === "assistant" ? "output_text" : type;
    const content = parts(object["content"], word);
    return {
      ...object,
      content: Array.isArray(content) ? content.map((part) => nested(part, type)) : content,
    };
  });
}

/** A tool result of messages has parts of its own. */
function nested(part: unknown, type: string): unknown {
  const object = asObject(part);
  return object?.["type"] === "tool_result" ? { ...object, content: parts(object["content"], type) } : part;
}

function parts(value: unknown, type: string): unknown {
  return typeof value === "string" ? [{ type, text: value }] : value;
}

function withoutIds(protocol: ChatProtocol, body: unknown): unknown {
  const object = asObject(body);
  if (object === undefined) return body;
  const { id: _, created: __, created_at: ___, responseId: ____, completed_at: _____, ...rest } = object;
  if (protocol === "responses" && Array.isArray(rest["output"])) {
    return { ...rest, output: asObjects(rest["output"]).map(({ id: _, ...item }) => item) };
  }
  if (protocol === "chat-completions") {
    return { ...rest, choices: asObjects(rest["choices"]).map(withOneSpelling) };
  }
  return rest;
}

/** Vendors of chat completions write thoughts under either of two names, and clients read both (rule 8). */
function withOneSpelling(choice: JsonObject): JsonObject {
  const { reasoning, ...message } = asObject(choice["message"]) ?? {};
  return {
    ...choice,
    message: reasoning === undefined ? message : { reasoning_content: reasoning, ...message },
  };
}
