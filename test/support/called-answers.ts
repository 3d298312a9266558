import { openLosses } from "../../src/conversation/loss.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { JsonObject } from "../../src/conversation/request.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";
import { codecOf } from "./codec-of.ts";
import { frame, plan } from "./conversation-arbitraries.ts";

/** An upstream's response: the arguments of its calls as it writes them, and its word for the end ("" = none). */
export interface CalledResponse {
  /** The arguments of the calls; JSON if the protocol, or `asValues`, has a value in their place. */
  readonly calls: readonly string[];
  readonly asValues?: true;
  readonly finish: string;
}

/** The caller's view of the response. */
export interface CalledTold {
  /** The arguments of each call as text. */
  readonly calls: readonly string[];
  readonly finish: string;
  /** The losses that the receipt names. */
  readonly losses: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
type Wire = any;

/** The response of one protocol's upstream as a caller of another reads it. */
export function relayCalls(
  upstream: ChatProtocol,
  client: ChatProtocol,
  response: CalledResponse,
  streamed: boolean,
): CalledTold {
  const from = codecOf(upstream);
  const to = codecOf(client);
  if (!streamed) {
    const decoded = from.decodeResponse(PLAIN[upstream](response), plan(upstream));
    if ("error" in decoded) throw new Error(`${upstream} reads no answer`);
    const { body, losses } = to.encodeResponse(decoded.response, frame);
    return { ...TOLD[client](body), losses: losses.map(({ path }) => path) };
  }
  const losses = openLosses({});
  const reader = from.decodeStream(plan(upstream));
  const writer = to.encodeStream(frame, losses);
  const events = [...STREAMED[upstream](response).flatMap((each) => reader.step(each)), ...reader.end()];
  const frames = [...events.flatMap((event) => writer.step(event)), ...writer.end()];
  const told = TOLD_STREAMED[client](
    frames.flatMap(({ data }) => (data === "[DONE]" ? [] : JSON.parse(data))),
  );
  return { ...told, losses: losses.list().map(({ path }) => path) };
}

const PLAIN: Readonly<Record<ChatProtocol, (response: CalledResponse) => JsonObject>> = {
  "chat-completions": ({ calls, finish, asValues }) => ({
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "So:",
          tool_calls: calls.map((text, at) => chatCall(asValues ? JSON.parse(text) : text, at)),
        },
        finish_reason: finish,
      },
    ],
  }),
  responses: ({ calls, finish, asValues }) => ({
    ...ended(finish),
    output: [
      { type: "message", content: [{ type: "output_text", text: "So:" }] },
      ...calls.map((text, at) => itemOf(asValues ? JSON.parse(text) : text, at)),
    ],
  }),
  messages: ({ calls, finish }) => ({
    content: [
      { type: "text", text: "So:" },
      ...calls.map((input, at) => ({
        type: "tool_use",
        id: `c${at}`,
        name: "look",
        input: JSON.parse(input),
      })),
    ],
    stop_reason: finish === "" ? null : finish,
  }),
  "generate-content": ({ calls, finish }) => ({
    candidates: [{ content: { parts: [{ text: "So:" }, ...calls.map(nativeCall)] }, finishReason: finish }],
  }),
};

const STREAMED: Readonly<Record<ChatProtocol, (response: CalledResponse) => readonly WireFrame[]>> = {
  "chat-completions": ({ calls, finish, asValues }) => [
    chunk({ role: "assistant", content: "So:" }),
    ...calls.flatMap((text, at) => {
      if (asValues) return [chunk({ tool_calls: [{ index: at, ...chatCall(JSON.parse(text), at) }] })];
      const { id, function: called } = chatCall(text, at);
      const start = { index: at, id, function: { name: called.name, arguments: "" } };
      return [start, ...pieces(text).map((piece) => ({ index: at, function: { arguments: piece } }))].map(
        (call) => chunk({ tool_calls: [call] }),
      );
    }),
    ...(finish === "" ? [] : [chunk({}, finish)]),
    { data: "[DONE]" },
  ],
  responses: ({ calls, finish, asValues }) => {
    const items = calls.map((text, at) => itemOf(asValues ? JSON.parse(text) : text, at));
    const end = ended(finish);
    return [
      event("response.created", { response: { status: "in_progress", output: [] } }),
      event("response.output_text.delta", { item_id: "m", output_index: 0, content_index: 0, delta: "So:" }),
      ...items.flatMap((item, at) => [
        event("response.output_item.added", { output_index: at + 1, item: { ...item, arguments: "" } }),
        ...pieces(asValues ? "" : item.arguments).map((delta) =>
          event("response.function_call_arguments.delta", { item_id: item.id, output_index: at + 1, delta }),
        ),
        event("response.output_item.done", { output_index: at + 1, item }),
      ]),
      event(`response.${end.status}`, { response: { ...end, output: [] } }),
    ];
  },
  messages: ({ calls, finish, asValues }) => [
    event("message_start", { message: { id: "m", content: [] } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "So:" } }),
    event("content_block_stop", { index: 0 }),
    ...calls.flatMap((text, at) => [
      event("content_block_start", {
        index: at + 1,
        content_block: {
          type: "tool_use",
          id: `c${at}`,
          name: "look",
          input: asValues ? JSON.parse(text) : {},
        },
      }),
      ...pieces(asValues ? "" : text).map((partial_json) =>
        event("content_block_delta", { index: at + 1, delta: { type: "input_json_delta", partial_json } }),
      ),
      event("content_block_stop", { index: at + 1 }),
    ]),
    event("message_delta", { delta: { stop_reason: finish === "" ? null : finish } }),
    event("message_stop", {}),
  ],
  "generate-content": ({ calls, finish }) => [
    { data: JSON.stringify({ candidates: [{ content: { parts: [{ text: "So:" }] } }] }) },
    {
      data: JSON.stringify({
        candidates: [{ content: { parts: calls.map(nativeCall) }, finishReason: finish }],
      }),
    },
  ],
};

type Told = Omit<CalledTold, "losses">;

const TOLD: Readonly<Record<ChatProtocol, (body: Wire) => Told>> = {
  "chat-completions": ({ choices: [choice] }) => ({
    calls: (choice.message.tool_calls ?? []).map((call: Wire) => call.function.arguments),
    finish: choice.finish_reason,
  }),
  responses: (body) => ({
    calls: body.output.filter(isFunctionCall).map((item: Wire) => item.arguments),
    finish: body.incomplete_details?.reason ?? body.status,
  }),
  messages: (body) => ({
    calls: body.content.filter(isToolUse).map(({ input }: Wire) => JSON.stringify(input)),
    finish: body.stop_reason,
  }),
  "generate-content": ({ candidates: [candidate] }) => ({
    calls: candidate.content.parts.flatMap(nativeArguments),
    finish: candidate.finishReason,
  }),
};

const TOLD_STREAMED: Readonly<Record<ChatProtocol, (events: readonly Wire[]) => Told>> = {
  "chat-completions"(chunks) {
    const choices = chunks.flatMap((each) => each.choices);
    const calls: string[] = [];
    for (const { index, function: piece } of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
      calls[index] = (calls[index] ?? "") + piece.arguments;
    }
    return { calls, finish: choices.map((choice) => choice.finish_reason ?? "").join("") };
  },
  responses: (events) => TOLD.responses(events.at(-1).response),
  messages(events) {
    const calls = events.filter((each) => isToolUse(each.content_block ?? {}));
    return {
      calls: calls.map(({ index }) =>
        events
          .filter((each) => each.index === index && each.delta !== undefined)
          .map(({ delta }) => delta.partial_json)
          .join(""),
      ),
      finish: events.find(({ type }) => type === "message_delta").delta.stop_reason,
    };
  },
  "generate-content"(responses) {
    const candidates = responses.flatMap((each) => each.candidates ?? []);
    return {
      calls: candidates.flatMap(({ content }) => content.parts.flatMap(nativeArguments)),
      finish: candidates.map(({ finishReason }) => finishReason ?? "").join(""),
    };
  },
};

const chatCall = (text: string, at: number) => ({
  id: `c${at}`,
  type: "function",
  function: { name: "look", arguments: text },
});
const itemOf = (text: string, at: number) => ({
  type: "function_call",
  id: `f${at}`,
  call_id: `c${at}`,
  name: "look",
  arguments: text,
});
const nativeCall = (text: string, at: number) => ({
  functionCall: { id: `c${at}`, name: "look", args: JSON.parse(text) },
});
const nativeArguments = ({ functionCall: call }: Wire): string[] =>
  call === undefined ? [] : [JSON.stringify(call.args)];
const isFunctionCall = ({ type }: Wire): boolean => type === "function_call";
const isToolUse = ({ type }: Wire): boolean => type === "tool_use";

function ended(finish: string): JsonObject & { readonly status: string } {
  if (finish === "" || finish === "completed") return { status: "completed" };
  return { status: "incomplete", incomplete_details: { reason: finish } };
}

function chunk(delta: JsonObject, finish: string | null = null): WireFrame {
  return { data: JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] }) };
}

function event(type: string, fields: JsonObject): WireFrame {
  return { name: type, data: JSON.stringify({ type, ...fields }) };
}

/** The text in pieces of a few letters, which cut words apart. */
function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,3}/g) ?? [];
}
