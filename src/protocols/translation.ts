import type { ChatEvent } from "../conversation/event.ts";
import { fitAnswer, fitEvents } from "../conversation/fit-answer.ts";
import {
  type FieldNames,
  type Loss,
  type LossList,
  type Outcome,
  openLosses,
  outcomeOf,
} from "../conversation/loss.ts";
import { chainRuns, runMachine, type StreamMachine, type StreamRun } from "../conversation/machine.ts";
import type { AnswerFrame, AnswerPlan, EncodeTarget } from "../conversation/plan.ts";
import { prepareRequest } from "../conversation/prepare.ts";
import type { ChatRequest, JsonObject } from "../conversation/request.ts";
import type { ChatResponse } from "../conversation/response.ts";
import { type StatedCall, statedCalls, watchCalls } from "../conversation/stated-calls.ts";
import type { ProtocolTraits } from "../conversation/traits.ts";
import { undoEvents, undoResponse } from "../conversation/undo.ts";
import {
  callMarks,
  finishesSettled,
  firstCallEvents,
  firstCalls,
  markCalls,
  settleFinishes,
} from "../conversation/whole-calls.ts";
import type { UpstreamError } from "./blame.ts";

/**
 * One protocol's translation to and from the neutral form. Pure: no clock, no randomness, no I/O; media
 * is never fetched here. Nothing throws, whatever the input: what cannot be is an outcome.
 */
export interface Translation {
  readonly traits: ProtocolTraits;
  /** Reads a caller's parsed body. Refused: malformed where the specification lists a field. */
  decodeRequest(body: unknown): Outcome<ChatRequest>;
  /** Writes a body for an upstream. Refused: its meaning has no slot there. */
  encodeRequest(request: ChatRequest, target: EncodeTarget): Outcome<EncodedRequest>;
  /** Reads an upstream's plain answer. */
  decodeResponse(body: unknown, plan: AnswerPlan): DecodedResponse;
  /** Writes a caller's plain answer. */
  encodeResponse(response: ChatResponse, frame: AnswerFrame, tellCall?: TellCall): EncodedResponse;
  /** Reads an upstream's stream, event by event. */
  decodeStream(plan: AnswerPlan): StreamRun<WireFrame, ChatEvent>;
  /** Writes a caller's stream; losses are told to `losses` as they happen. */
  encodeStream(frame: AnswerFrame, losses: LossList, tellCall?: TellCall): StreamRun<ChatEvent, WireFrame>;
}

/** Is told of each call of an answer that carries state, as its caller gets it. */
export type TellCall = (call: StatedCall) => void;

export interface EncodedRequest {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
  readonly plan: AnswerPlan;
}

export type DecodedResponse = { readonly response: ChatResponse } | { readonly error: UpstreamError };

export interface EncodedResponse {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
}

/** One event on the wire. `name` is its `event:` line, absent or "" where it has none. */
export interface WireFrame {
  readonly name?: string;
  readonly data: string;
}

/** What a sibling codec provides, one file each; `translation()` adds what is the same for all. */
export interface CodecParts<DecodeState, EncodeState> {
  readonly traits: ProtocolTraits;
  /** `decode-request.ts`. May throw RefusedField and nothing else. */
  decodeRequest(body: unknown): ChatRequest;
  /** `encode-request.ts`. Gets a prepared request, all of whose fields have slots. May throw RefusedField. */
  encodeRequest(request: ChatRequest, target: EncodeTarget, losses: LossList): JsonObject;
  /** `decode-response.ts`. */
  decodeResponse(body: unknown, plan: AnswerPlan): DecodedResponse;
  /** `encode-response.ts`. Gets an answer all of whose parts have slots. */
  encodeResponse(response: ChatResponse, frame: AnswerFrame): JsonObject;
  /** `decode-stream.ts`. A stream that ends before its terminal event ends in an `error` (rule 19). */
  readonly decodeStream: StreamMachine<AnswerPlan, DecodeState, WireFrame, ChatEvent>;
  /** `encode-stream.ts`. */
  readonly encodeStream: StreamMachine<AnswerFrame, EncodeState, ChatEvent, WireFrame>;
}

/** Completes a codec: requests are fitted to the protocol before they are written, answers likewise. */
export function translation<D, E>(parts: CodecParts<D, E>): Translation {
  const { traits } = parts;
  return {
    traits,
    decodeRequest: (body) => outcomeOf(() => parts.decodeRequest(body)),
    encodeRequest: (request, target) =>
      outcomeOf(() => {
        const losses = openLosses(request.fieldNames);
        const { prepared, plan } = prepareRequest(request, traits, target, losses);
        const body = parts.encodeRequest(prepared, target, losses);
        return { body, losses: losses.list(), plan };
      }),
    decodeResponse(body, plan) {
      const decoded = parts.decodeResponse(body, plan);
      if ("error" in decoded) return decoded;
      return { response: settleFinishes(undoResponse(markCalls(decoded.response), plan)) };
    },
    encodeResponse(response, frame, tellCall) {
      const losses = openLosses(ANSWER_FIELDS);
      const fitted = fitAnswer(frame.oneCall ? firstCalls(response, losses) : response, traits, losses);
      if (tellCall !== undefined) for (const call of statedCalls(fitted)) tellCall(call);
      const body = parts.encodeResponse(fitted, frame);
      return { body, losses: losses.list() };
    },
    decodeStream(plan) {
      const marked = chainRuns(runMachine(parts.decodeStream, plan), callMarks());
      const undoing = undoEvents(plan);
      return chainRuns(undoing === undefined ? marked : chainRuns(marked, undoing), finishesSettled());
    },
    encodeStream(frame, losses, tellCall) {
      const fitting = frame.oneCall
        ? chainRuns(firstCallEvents(losses), fitEvents(traits, losses))
        : fitEvents(traits, losses);
      const watched = tellCall === undefined ? fitting : chainRuns(fitting, watchCalls(tellCall));
      return chainRuns(watched, runMachine(parts.encodeStream, frame));
    },
  };
}

/** Losses of answers are told in neutral words: the caller never wrote them. */
export const ANSWER_FIELDS: FieldNames = {};
