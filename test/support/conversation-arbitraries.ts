import fc from "fast-check";
import { eventsOf as wholeEvents } from "../../src/conversation/adapt/events-of.ts";
import type { ChatEvent } from "../../src/conversation/event.ts";
import {
  blankPlan,
  type EncodeTarget,
  type ResponseFrame,
  type ResponsePlan,
} from "../../src/conversation/lower/plan.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import {
  type ChatRequest,
  EFFORTS,
  type JsonObject,
  type MediaPart,
  type Message,
  type Part,
  type ReasoningPart,
  type TextPart,
  type Tool,
  type ToolCallPart,
  type ToolResultPart,
} from "../../src/conversation/request.ts";
import type {
  ChatResponse,
  Choice,
  Finish,
  FinishKind,
  ResponsePart,
} from "../../src/conversation/response.ts";
import type { Opaque, Origin } from "../../src/conversation/state/opaque.ts";
import type { MeteredUsage, TokenUsage } from "../../src/usage/usage.ts";

/** Generators of the neutral form. What they make is well-formed: a valid caller or vendor could have said it. */

/** The target of a property test's requests, and the issuer of the state in its responses. */
export function origin(protocol: ChatProtocol): Origin {
  return { protocol, upstream: "here", model: "model-1" };
}

export function target(protocol: ChatProtocol, more: Partial<EncodeTarget> = {}): EncodeTarget {
  return {
    model: "model-1",
    origin: origin(protocol),
    quirks: {},
    maxOutputTokens: 8192,
    seed: "seed",
    ...more,
  };
}

/** One chat completion without messages or wishes, but for those given. */
export function bareRequest(more: Partial<ChatRequest>): ChatRequest {
  return {
    protocol: "chat-completions",
    model: "m",
    stream: false,
    includeUsage: false,
    system: [],
    messages: [],
    tools: [],
    sampling: {},
    limits: {},
    foreign: [],
    echo: {},
    fieldNames: {},
    ...more,
  };
}

export function plan(protocol: ChatProtocol): ResponsePlan {
  return blankPlan(origin(protocol), "seed");
}

export const frame: ResponseFrame = {
  id: "0123456789abcdef",
  requestId: "req-1",
  created: 1_700_000_000,
  model: "model-1",
  includeUsage: true,
  echo: {},
  inputEstimate: 7,
};

/** Text with the traps of JSON, SSE and Unicode in it. */
export const text = fc.string({
  unit: fc.constantFrom(...'ab \n"\\{}:é漢😀', "\u2028"),
  minLength: 1,
  maxLength: 24,
});
export const word = fc.string({ unit: fc.constantFrom(..."abcXYZ019_-"), minLength: 1, maxLength: 20 });
const json: fc.Arbitrary<JsonObject> = fc.dictionary(word, fc.oneof(text, fc.integer(), fc.boolean()), {
  maxKeys: 3,
});
const argumentsText = json.map((value) => JSON.stringify(value));
const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 24 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));

export function opaque(...protocols: readonly ChatProtocol[]): fc.Arbitrary<Opaque> {
  return fc.record({ origin: fc.constantFrom(...protocols.map(origin)), value: word });
}

export function textParts(cached: boolean): fc.Arbitrary<TextPart> {
  return fc.record(
    {
      kind: fc.constant("text"),
      text,
      ...(cached ? { cache: fc.record({ ttl: fc.constantFrom("5m", "1h") }) } : {}),
    },
    { requiredKeys: ["kind", "text"] },
  ) as fc.Arbitrary<TextPart>;
}

const images: fc.Arbitrary<MediaPart> = fc
  .oneof(
    fc.record({
      from: fc.constant("url" as const),
      url: word.map((name) => `https://example.com/${name}.png`),
    }),
    fc.record({ from: fc.constant("base64" as const), data: base64 }),
  )
  .map((source) => ({ kind: "media", media: "image", source, mimeType: "image/png" }) as const);

/** A turn of calls, its results in order, maybe words between. */
function toolRound(names: readonly string[]): fc.Arbitrary<readonly Message[]> {
  const called = fc.uniqueArray(
    fc.record({
      id: word.map((id) => `call_${id}`),
      name: fc.constantFrom(...names),
      arguments: argumentsText,
    }),
    {
      minLength: 1,
      maxLength: 3,
      selector: ({ id }) => id,
    },
  );
  return fc
    .tuple(called, fc.option(textParts(false), { nil: undefined }), fc.infiniteStream(text))
    .map(([calls, said, results]) => {
      const parts: ToolCallPart[] = calls.map((call) => ({ kind: "tool-call", ...call }));
      const responses: ToolResultPart[] = calls.map(({ id, name }) => ({
        kind: "tool-result",
        callId: id,
        name,
        parts: [{ kind: "text", text: String(results.next().value) }],
      }));
      return [
        { role: "assistant", parts: [...(said === undefined ? [] : [said]), ...parts] },
        { role: "user", parts: responses },
      ];
    });
}

export interface RequestTraits {
  /** Cache marks may occur. */
  readonly cached?: boolean;
}

/** Conversations that end with the user's turn; tools are declared where they are called. */
export function chatRequests(
  protocol: ChatProtocol,
  { cached = false }: RequestTraits = {},
): fc.Arbitrary<ChatRequest> {
  const names = ["get_weather", "look_up", "run"];
  const tools: fc.Arbitrary<Tool[]> = fc
    .constantFrom([], names)
    .chain((known) => fc.tuple(...known.map((name) => toolOf(name))));
  const user: fc.Arbitrary<Message> = fc
    .array(fc.oneof({ weight: 3, arbitrary: textParts(cached) }, { weight: 1, arbitrary: images }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts: readonly Part[]) => ({ role: "user", parts }));
  const assistant: fc.Arbitrary<Message> = textParts(false).map((part) => ({
    role: "assistant",
    parts: [part],
  }));
  return tools.chain((declared) => {
    const rounds =
      declared.length === 0
        ? fc.tuple(user, assistant)
        : fc.oneof(
            fc.tuple(user, assistant),
            fc.tuple(user).chain(([first]) => toolRound(names).map((round) => [first, ...round])),
          );
    return fc
      .record({
        system: fc.array(textParts(cached), { maxLength: 1 }),
        history: fc.array(rounds, { maxLength: 3 }),
        last: user,
        sampling: fc.record(
          { temperature: fc.constantFrom(0, 0.5, 1), topP: fc.constantFrom(0.1, 0.9) },
          { requiredKeys: [] },
        ),
        maxOutputTokens: fc.option(fc.integer({ min: 1, max: 8192 }), { nil: undefined }),
        stop: fc.option(fc.array(word, { minLength: 1, maxLength: 4 }), { nil: undefined }),
        effort: fc.option(fc.constantFrom(...EFFORTS), { nil: undefined }),
        stream: fc.boolean(),
      })
      .map(({ system, history, last, sampling, maxOutputTokens, stop, effort, stream }) => ({
        protocol,
        model: "model-1",
        stream,
        includeUsage: false,
        system,
        messages: [...history.flat(), last],
        tools: declared,
        sampling,
        limits: {
          ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
          ...(stop === undefined ? {} : { stop }),
        },
        ...(effort === undefined ? {} : { reasoning: { enabled: true, effort } }),
        foreign: [],
        echo: {},
        fieldNames: {},
      }));
  });
}

function toolOf(name: string): fc.Arbitrary<Tool> {
  return fc.record({
    kind: fc.constant("function" as const),
    name: fc.constant(name),
    description: text,
    parameters: fc.constant({
      type: "object",
      properties: { place: { type: "string" } },
      required: ["place"],
    }),
    strict: fc.boolean(),
  });
}

const tokens: fc.Arbitrary<TokenUsage> = fc.record({
  inputUncached: fc.nat(10_000),
  cacheRead: fc.nat(10_000),
  outputVisible: fc.nat(10_000),
  outputReasoning: fc.nat(10_000),
});

export interface ResponseTraits {
  /** Kinds of parts that may occur; tool calls and text always do. */
  readonly reasoning?: boolean;
  /** Thoughts and calls carry state of this protocol. */
  readonly state?: ChatProtocol;
  readonly choices?: number;
}

/** Whole answers: thoughts, words, calls, each at most a few, and a finish that agrees with them. */
export function chatResponses(
  protocol: ChatProtocol,
  traits: ResponseTraits = {},
): fc.Arbitrary<ChatResponse> {
  const unsigned = fc.record({ kind: fc.constant("reasoning" as const), text });
  const thought: fc.Arbitrary<ReasoningPart> =
    traits.state === undefined
      ? unsigned
      : fc.tuple(unsigned, opaque(traits.state)).map(([part, state]) => ({ ...part, opaque: state }));
  const said: fc.Arbitrary<TextPart> = fc.record({ kind: fc.constant("text" as const), text });
  const call: fc.Arbitrary<ToolCallPart> = fc.record({
    kind: fc.constant("tool-call" as const),
    id: word.map((id) => `call_${id}`),
    name: word,
    arguments: argumentsText,
  });
  const choice: fc.Arbitrary<Choice> = fc
    .record({
      thoughts: fc.array(thought, { maxLength: traits.reasoning === false ? 0 : 1 }),
      texts: fc.array(said, { maxLength: 1 }),
      calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }),
      plain: fc.constantFrom<FinishKind>("stop", "length", "content-filter"),
    })
    .map(({ thoughts, texts, calls, plain }) => {
      const parts: ResponsePart[] = [...thoughts, ...texts, ...calls];
      const finish: Finish = { unified: calls.length > 0 ? "tool-calls" : plain, protocol };
      return { parts, finish };
    });
  const count = traits.choices ?? 1;
  return fc.record({
    model: fc.constant("model-1"),
    choices: fc.array(choice, { minLength: count, maxLength: count }),
    usage: tokens.map((counted): MeteredUsage => ({ tokens: counted, hostile: [] })),
  });
}

/** The events of a response, its texts cut into pieces, the choices one after the other. */
export function chatEvents(response: ChatResponse): fc.Arbitrary<readonly ChatEvent[]> {
  return fc
    .infiniteStream(fc.integer({ min: 1, max: 6 }))
    .map((sizes) => eventsOf(response, () => Number(sizes.next().value)));
}

/** The events of a response; its texts come in pieces of so many letters. */
export function eventsOf(response: ChatResponse, nextSize: () => number = () => 4): readonly ChatEvent[] {
  return wholeEvents(response, (text) => pieces(text, nextSize));
}

function pieces(whole: string, nextSize: () => number): readonly string[] {
  const out: string[] = [];
  const letters = [...whole];
  while (letters.length > 0) out.push(letters.splice(0, nextSize()).join(""));
  return out;
}

/** Any JSON at all, and the vendor's own words in wrong places: what a decoder must survive. */
export function brokenJson(...keys: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.constantFrom(...keys), fc.string({ maxLength: 8 }));
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.double(),
      fc.integer(),
      fc.string(),
      fc.constantFrom(...keys),
    ),
    array: fc.array(tie("tree"), { maxLength: 4 }),
    object: fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
    tree: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("array"), tie("object")),
  }));
  return tree as fc.Arbitrary<unknown>;
}
