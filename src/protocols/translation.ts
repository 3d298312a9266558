import { adaptEvents, adaptResponse, usageFirst } from "../conversation/adapt/adapt-response.ts";
import { type CallWithState, callsWithState, watchCalls } from "../conversation/adapt/calls-with-state.ts";
import { restoreEventNames, restoreNames } from "../conversation/adapt/restore-names.ts";
import {
  chainRuns,
  runTransform,
  type StreamRun,
  type StreamTransform,
} from "../conversation/adapt/stream-transform.ts";
import {
  correctFinishEvents,
  correctFinishes,
  firstCallEvents,
  firstCalls,
  markCallEvents,
  markCalls,
} from "../conversation/adapt/whole-calls.ts";
import type { ChatEvent } from "../conversation/event.ts";
import {
  type FieldNames,
  type Loss,
  type LossList,
  type Outcome,
  openLosses,
  outcomeOf,
} from "../conversation/loss.ts";
import type { ProtocolCapabilities } from "../conversation/lower/capabilities.ts";
import { lowerRequest } from "../conversation/lower/lower-request.ts";
import type { EncodeTarget, ResponseFrame, ResponsePlan } from "../conversation/lower/plan.ts";
import type { ChatRequest, JsonObject } from "../conversation/request.ts";
import type { ChatResponse } from "../conversation/response.ts";
import type { UpstreamError } from "./errors/upstream-error-policy.ts";
import { StreamEvent } from "./streams/stream-event.ts";

/**
 * One protocol's translation to and from the neutral form. Pure: no clock, no randomness, no I/O; media
 * is never fetched here. Nothing throws, whatever the input: what cannot be is an outcome.
 */
export interface Translation {
  readonly capabilities: ProtocolCapabilities;
  /** Reads a caller's parsed body. Refused: malformed where the specification lists a field. */
  decodeRequest(body: unknown): Outcome<ChatRequest>;
  /** Writes a body for an upstream. Refused: its meaning has no slot there. */
  encodeRequest(request: ChatRequest, target: EncodeTarget): Outcome<EncodedRequest>;
  /** Reads an upstream's plain response. */
  decodeResponse(body: unknown, plan: ResponsePlan): DecodedResponse;
  /** Writes a caller's plain response. */
  encodeResponse(response: ChatResponse, frame: ResponseFrame, onCall?: OnCall): EncodedResponse;
  /** Reads an upstream's stream, event by event. */
  decodeStream(plan: ResponsePlan): StreamRun<WireFrame, ChatEvent>;
  /** Writes a caller's stream; losses are told to `losses` as they happen. Where no usage came, its finish waits for the end. */
  encodeStream(frame: ResponseFrame, losses: LossList, onCall?: OnCall): StreamRun<ChatEvent, WireFrame>;
}

/** Called with each call that carries state, as the client gets it. */
export type OnCall = (call: CallWithState) => void;

export interface EncodedRequest {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
  readonly plan: ResponsePlan;
}

export type DecodedResponse = { readonly response: ChatResponse } | { readonly error: UpstreamError };

export interface EncodedResponse {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
}

/** One event on the wire. `name` is its `event:` line, absent or "" where it has none. */
export interface WireFrame {
  readonly name?: string | undefined;
  readonly data: string;
}

/** The parts that each codec provides, one file each; `translation()` adds what is the same for all. */
export interface CodecParts<DecodeState, EncodeState> {
  readonly capabilities: ProtocolCapabilities;
  /** `decode-request.ts`. May throw RefusedField and nothing else. */
  decodeRequest(body: unknown): ChatRequest;
  /** `encode-request.ts`. Gets a prepared request, all of whose fields have slots. May throw RefusedField. */
  encodeRequest(request: ChatRequest, target: EncodeTarget, losses: LossList): JsonObject;
  /** `decode-response.ts`. */
  decodeResponse(body: unknown, plan: ResponsePlan): DecodedResponse;
  /** `encode-response.ts`. Gets a response all of whose parts have slots. */
  encodeResponse(response: ChatResponse, frame: ResponseFrame): JsonObject;
  /** `decode-stream.ts`. A stream that ends before its terminal event ends in an `error` (rule 19). */
  readonly decodeStream: StreamTransform<ResponsePlan, DecodeState, StreamEvent, ChatEvent>;
  /** `encode-stream.ts`. */
  readonly encodeStream: StreamTransform<ResponseFrame, EncodeState, ChatEvent, WireFrame>;
}

/** Completes a codec: requests are fitted to the protocol before they are written, answers likewise. */
export function translation<D, E>(parts: CodecParts<D, E>): Translation {
  const { capabilities } = parts;
  return {
    capabilities,
    decodeRequest: (body) => outcomeOf(() => parts.decodeRequest(body)),
    encodeRequest: (request, target) =>
      outcomeOf(() => {
        const losses = openLosses(request.fieldNames);
        const { request: prepared, plan } = lowerRequest(request, capabilities, target, losses);
        const body = parts.encodeRequest(prepared, target, losses);
        return { body, losses: losses.list(), plan };
      }),
    decodeResponse(body, plan) {
      const decoded = parts.decodeResponse(body, plan);
      if ("error" in decoded) return decoded;
      return { response: correctFinishes(restoreNames(markCalls(decoded.response), plan)) };
    },
    encodeResponse(response, frame, onCall) {
      const losses = openLosses(RESPONSE_FIELDS);
      const fitted = adaptResponse(
        frame.oneCall ? firstCalls(response, losses) : response,
        capabilities,
        losses,
      );
      if (onCall !== undefined) for (const call of callsWithState(fitted)) onCall(call);
      const body = parts.encodeResponse(fitted, frame);
      return { body, losses: losses.list() };
    },
    decodeStream(plan) {
      const machine = runTransform(parts.decodeStream, plan);
      const reading: StreamRun<WireFrame, ChatEvent> = {
        step(frame) {
          // A meter has read most of them already.
          const { parts } = frame instanceof StreamEvent ? frame : new StreamEvent(frame);
          const [only] = parts;
          return parts.length === 1 && only !== undefined ? machine.step(only) : parts.flatMap(machine.step);
        },
        end: () => machine.end(),
      };
      const marked = chainRuns(reading, markCallEvents());
      const undoing = restoreEventNames(plan);
      return chainRuns(undoing === undefined ? marked : chainRuns(marked, undoing), correctFinishEvents());
    },
    encodeStream(frame, losses, onCall) {
      const adapting = adaptEvents(capabilities, losses, frame.oneChoice);
      const fitting = frame.oneCall ? chainRuns(firstCallEvents(losses), adapting) : adapting;
      const watched = onCall === undefined ? fitting : chainRuns(fitting, watchCalls(onCall));
      return chainRuns(watched, chainRuns(usageFirst(), runTransform(parts.encodeStream, frame)));
    },
  };
}

/** Losses of responses are told in neutral words: the caller never wrote them. */
export const RESPONSE_FIELDS: FieldNames = {};
