import type { ChatEvent } from "../../src/conversation/event.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import {
  blankPlan,
  type EncodeTarget,
  type ResponseFrame,
  type ResponsePlan,
} from "../../src/conversation/lower/plan.ts";
import type { Quirks } from "../../src/conversation/lower/quirks.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { writeFrames } from "../../src/protocols/streams/stream-frames.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { EncodedRequest, Translation, WireFrame } from "../../src/protocols/translation.ts";
import { frame } from "./conversation-arbitraries.ts";
import { type Difference, differences } from "./oracle-differences.ts";
import { normalRequest, normalResponse } from "./oracle-normal.ts";
import type { PairRow, StreamRow } from "./oracle-rows.ts";
import { foldStream } from "./oracle-streams.ts";

/** A difference, and between whom. */
export interface Finding extends Difference {
  /** Names the row in messages of failures only. */
  readonly row: string;
  readonly side: "request" | "answer" | "stream";
  readonly caller: ChatProtocol;
  readonly upstream: ChatProtocol;
  /** The losses of the caller's request; empty for the other direction. */
  readonly lost: readonly string[];
  /** The path without numbers, for example `messages[].content[].text`; of events, in the response they tell. */
  readonly place: string;
}

/** Compares the gateway's and the peer's translation of a caller's request, and of the upstream's response to it. */
export function judgePair(row: PairRow): readonly Finding[] {
  const decoded = codecOf(row.caller).decodeRequest(row.request);
  if ("refused" in decoded) throw new Error(`${row.id}: ${decoded.refused.path} ${decoded.refused.message}`);
  const target = targetOf(row);
  const encoded = codecOf(row.upstream).encodeRequest(decoded.value, target);
  const refused = "refused" in encoded;
  const plan = refused ? blankPlan(target.origin, target.seed) : encoded.value.plan;
  return [
    ...(refused ? refusal(row, encoded.refused.path) : judgeRequest(row, encoded.value)),
    ...judgeResponse(row, plan, { ...frame, echo: decoded.value.echo }),
  ];
}

function refusal(row: PairRow, path: string): readonly Finding[] {
  const theirs = normalRequest(row.upstream, row.expectedRequest);
  return [findingOf(row, "request", { path: "", ours: { refused: path }, theirs }, [])];
}

function judgeRequest(row: PairRow, { body, losses }: EncodedRequest): readonly Finding[] {
  const ours = normalRequest(row.upstream, asSent(body));
  const theirs = normalRequest(row.upstream, row.expectedRequest);
  const lost = losses.map(({ path }) => path);
  return differences(ours, theirs).map((difference) => findingOf(row, "request", difference, lost));
}

function judgeResponse(row: PairRow, plan: ResponsePlan, framed: ResponseFrame): readonly Finding[] {
  if (row.answer === undefined) return [];
  const response = codecOf(row.upstream).decodeResponse(row.answer.given, plan);
  if ("error" in response) throw new Error(`${row.id}: ${JSON.stringify(response.error)}`);
  const { body } = codecOf(row.caller).encodeResponse(response.response, framed);
  const ours = normalResponse(row.caller, asSent(body));
  const theirs = normalResponse(row.caller, row.answer.expected);
  return differences(ours, theirs).map((difference) => findingOf(row, "answer", difference, []));
}

/** Compares the gateway's and the peer's translation of an upstream's stream. */
export function judgeStream(row: StreamRow): readonly Finding[] {
  const ours = foldStream(row.caller, writeFrames(translatedStream(row)));
  const theirs = foldStream(row.caller, row.expected);
  return differences(ours, theirs).map((difference) => findingOf(row, "stream", difference, []));
}

function findingOf(
  { id, caller, upstream }: PairRow | StreamRow,
  side: Finding["side"],
  difference: Difference,
  lost: readonly string[],
): Finding {
  const place = difference.path.replace(/\[\d+\]/g, "[]");
  return { ...difference, row: id, side, caller, upstream, lost, place: placeInResponse(place) };
}

/** The path in the whole response, for a path in an event of a stream. */
function placeInResponse(place: string): string {
  return EVENT_PARTS.reduce((told, [part, whole]) => told.replace(part, whole), place);
}

const EVENT_PARTS: readonly (readonly [RegExp, string])[] = [
  [/^\[\]\.(response|message)\./, ""],
  [/^\[\]\.item\./, "output[]."],
  [/^\[\]\.part\./, "output[].content[]."],
  [/^\[\]\.content_block\./, "content[]."],
  [/^\[\]\.usage\b/, "usage"],
];

function translatedStream(row: StreamRow): readonly WireFrame[] {
  const decoder = codecOf(row.upstream).decodeStream(blankPlan(origin(row.upstream, "model-1"), "seed"));
  const encoder = codecOf(row.caller).encodeStream(frame, openLosses({}));
  const encode = (events: readonly ChatEvent[]): readonly WireFrame[] =>
    events.flatMap((event) => encoder.step(event));
  const given = row.given.map((data) => ({ data: JSON.stringify(data) }));
  return [
    ...[...given, ...TERMINALS[row.upstream]].flatMap((each) => encode(decoder.step(each))),
    ...encode(decoder.end()),
    ...encoder.end(),
  ];
}

/** The rows hold objects only, without the word that ends a stream of chat completions. */
const TERMINALS: Readonly<Record<ChatProtocol, readonly WireFrame[]>> = {
  "chat-completions": [{ data: "[DONE]" }],
  responses: [],
  messages: [],
  "generate-content": [],
};

function targetOf({ upstream, expectedRequest, caller, request }: PairRow): EncodeTarget {
  // generateContent names the model in its path, and the peer beside it.
  const model = String(expectedRequest["model"]);
  return {
    model,
    origin: origin(upstream, model),
    quirks: quirksOf(model),
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    seed: `${caller} ${JSON.stringify(request)}`,
  };
}

function origin(protocol: ChatProtocol, model: string): EncodeTarget["origin"] {
  return { protocol, upstream: "here", model };
}

function codecOf(protocol: ChatProtocol): Translation {
  const codec = PROTOCOLS[protocol].translation;
  if (codec === undefined) throw new Error(`impossible: ${protocol} has no translation`);
  return codec;
}

/** The peer's limit for messages if the caller names none. */
const MAX_OUTPUT_TOKENS = 4096;

/** The catalog's statements about the peer's models. */
function quirksOf(model: string): Quirks {
  return QUIRKS.find(([name]) => name.test(model))?.[1] ?? {};
}

const QUIRKS: readonly (readonly [RegExp, Quirks])[] = [
  [/^gpt-5\.6/, { maxTokensField: "max_completion_tokens", sampling: false, cacheMarks: true }],
  [/^gpt-5/, { maxTokensField: "max_completion_tokens", sampling: false }],
  [/^gpt-4o/, { maxTokensField: "max_completion_tokens" }],
  [/^claude-(opus-4-7|fable)/, { thinking: "adaptive", sampling: false }],
  [/^claude-opus-4-6/, { thinking: "adaptive" }],
  [/^gemini-3/, { thinking: "level" }],
];

/** JSON leaves undefined fields out. */
function asSent<Body>(body: Body): Body {
  return JSON.parse(JSON.stringify(body));
}
