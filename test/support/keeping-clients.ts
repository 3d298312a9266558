import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { asArray, asObject, asObjects, asText, type JsonObject } from "../../src/protocols/json.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";

/** Clients by what they keep of a response in the history that they send back. */

/** A client, by the parts of a response that it keeps in its history. */
export interface Client {
  readonly keeps: string;
  readonly protocol: ChatProtocol;
  /** The turn as it is sent back, of a response in one piece or of its stream. */
  plain(body: JsonObject): JsonObject;
  streamed(frames: readonly WireFrame[]): JsonObject;
}

export const CLIENTS: readonly Client[] = [
  {
    keeps: "calls, with the `extra_content` of their first piece",
    protocol: "chat-completions",
    plain: (body) => chatTurn(asObject(choiceOf(body)?.["message"]) ?? {}),
    streamed: (frames) => chatTurn(firstPieces(frames)),
  },
  {
    keeps: "everything",
    protocol: "chat-completions",
    plain: (body) => asObject(choiceOf(body)?.["message"]) ?? {},
    streamed: (frames) => ({ ...chatTurn(firstPieces(frames)), reasoning_content: thoughtsIn(frames) }),
  },
  {
    keeps: "everything",
    protocol: "responses",
    plain: ({ output }) => ({ output }),
    streamed: (frames) => ({ output: lastResponse(frames)["output"] }),
  },
  {
    keeps: "no summaries of thoughts",
    protocol: "responses",
    plain: ({ output }) => ({ output: withoutSummaries(output) }),
    streamed: (frames) => ({ output: withoutSummaries(lastResponse(frames)["output"]) }),
  },
  ...(
    [
      ["everything", (blocks: readonly JsonObject[]) => blocks],
      [
        "thoughts ahead of all else",
        (blocks) => [...blocks.filter(isThought), ...blocks.filter(isNoThought)],
      ],
      ["no thoughts that are empty", (blocks) => blocks.filter(({ thinking }) => thinking !== "")],
    ] as readonly [string, (blocks: readonly JsonObject[]) => readonly JsonObject[]][]
  ).map(
    ([keeps, kept]): Client => ({
      keeps,
      protocol: "messages",
      plain: ({ content }) => ({ role: "assistant", content: kept(asObjects(content)) }),
      streamed: (frames) => ({ role: "assistant", content: kept(blocksIn(frames)) }),
    }),
  ),
  {
    keeps: "everything",
    protocol: "generate-content",
    plain: (body) => ({ contents: [contentOf(body)] }),
    streamed: (frames) => ({ contents: frames.map((each) => contentOf(JSON.parse(each.data))) }),
  },
  {
    keeps: "no thoughts",
    protocol: "generate-content",
    plain: (body) => ({ contents: [{ role: "model", parts: spokenParts([body]) }] }),
    streamed: (frames) => ({
      contents: [{ role: "model", parts: spokenParts(frames.map(({ data }) => JSON.parse(data))) }],
    }),
  },
];

const ASKED = { role: "user", content: "x" };

/** The request that goes on after such a turn. */
export const NEXT: Readonly<Record<ChatProtocol, (turn: JsonObject) => JsonObject>> = {
  "chat-completions": (turn) => ({
    model: "m",
    messages: [
      ASKED,
      turn,
      ...asObjects(turn["tool_calls"]).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "r" })),
    ],
  }),
  responses: ({ output }) => ({
    model: "m",
    input: [
      ASKED,
      ...asArray(output),
      ...asObjects(output).flatMap(({ call_id }) =>
        call_id === undefined ? [] : [{ type: "function_call_output", call_id, output: "r" }],
      ),
    ],
  }),
  messages: (turn) => ({
    model: "m",
    max_tokens: 9,
    messages: [
      ASKED,
      turn,
      {
        role: "user",
        content: asObjects(turn["content"]).flatMap(({ type, id }) =>
          type === "tool_use" ? [{ type: "tool_result", tool_use_id: id, content: "r" }] : [],
        ),
      },
    ],
  }),
  "generate-content": ({ contents }) => ({
    contents: [
      { role: "user", parts: [{ text: "x" }] },
      ...asArray(contents),
      {
        role: "user",
        parts: asObjects(contents)
          .flatMap(({ parts }) => asObjects(parts))
          .flatMap(({ functionCall }) => {
            const call = asObject(functionCall);
            return call === undefined
              ? []
              : [{ functionResponse: { id: call["id"], name: call["name"], response: { output: "r" } } }];
          }),
      },
    ],
  }),
};

function choiceOf(body: JsonObject): JsonObject | undefined {
  return asObjects(body["choices"])[0];
}

/** A message without its thoughts, and with nothing else in `extra_content` than clients know. */
function chatTurn({ content, tool_calls }: JsonObject): JsonObject {
  const calls = asObjects(tool_calls).map(({ extra_content, ...call }) => {
    const signature = asObject(asObject(extra_content)?.["google"])?.["thought_signature"];
    return signature === undefined
      ? call
      : { ...call, extra_content: { google: { thought_signature: signature } } };
  });
  return { role: "assistant", content, tool_calls: calls };
}

/** Text and calls, of which all but the arguments is read from the first piece. */
function firstPieces(frames: readonly WireFrame[]): JsonObject {
  const calls: { function: { arguments: string } }[] = [];
  let content = "";
  for (const delta of deltasIn(frames)) {
    content += asText(delta["content"]);
    for (const piece of asObjects(delta["tool_calls"])) {
      const known = calls[Number(piece["index"])];
      if (known === undefined) calls.push(structuredClone(piece) as unknown as (typeof calls)[0]);
      else known.function.arguments += asText(asObject(piece["function"])?.["arguments"]);
    }
  }
  return { content, tool_calls: calls };
}

function thoughtsIn(frames: readonly WireFrame[]): string {
  return deltasIn(frames)
    .map(({ reasoning_content }) => asText(reasoning_content))
    .join("");
}

export function deltasIn(frames: readonly WireFrame[]): readonly JsonObject[] {
  return frames.flatMap(({ data }): readonly JsonObject[] => {
    const delta = data === "[DONE]" ? undefined : asObject(choiceOf(JSON.parse(data))?.["delta"]);
    return delta === undefined ? [] : [delta];
  });
}

function lastResponse(frames: readonly WireFrame[]): JsonObject {
  return JSON.parse(frames.at(-1)?.data ?? "{}").response;
}

function withoutSummaries(output: unknown): readonly JsonObject[] {
  return asObjects(output).map((item) => (item["type"] === "reasoning" ? { ...item, summary: [] } : item));
}

/** The blocks that a stream amounts to. */
export function blocksIn(frames: readonly WireFrame[]): readonly JsonObject[] {
  const blocks: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  for (const { data } of frames) {
    const { type, index, content_block, delta } = JSON.parse(data);
    if (type === "content_block_start") blocks[index] = { ...content_block };
    const block = blocks[index];
    if (type !== "content_block_delta" || block === undefined) continue;
    if (delta.partial_json === undefined) {
      const [field = "", piece] = Object.entries(delta).find(([key]) => key !== "type") ?? [];
      block[field] = asText(block[field]) + asText(piece);
    } else {
      inputs[index] = (inputs[index] ?? "") + delta.partial_json;
      block["input"] = inputs[index].endsWith("}") ? JSON.parse(inputs[index]) : {};
    }
  }
  return blocks;
}

function isThought({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function isNoThought(block: JsonObject): boolean {
  return !isThought(block);
}

export function contentOf(body: JsonObject): JsonObject {
  return asObject(asObjects(body["candidates"])[0]?.["content"]) ?? {};
}

/** The parts of all chunks, neighbouring words joined, thoughts left out. */
function spokenParts(chunks: readonly JsonObject[]): readonly JsonObject[] {
  const parts: Record<string, unknown>[] = [];
  for (const part of chunks.flatMap((chunk) => asObjects(contentOf(chunk)["parts"]))) {
    const last = parts.at(-1);
    if (part["thought"] === true) continue;
    if (last !== undefined && last["text"] !== undefined && part["text"] !== undefined) {
      Object.assign(last, part, { text: asText(last["text"]) + asText(part["text"]) });
    } else parts.push({ ...part });
  }
  return parts;
}
