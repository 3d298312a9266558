import { writeExact } from "../base/exact-json.ts";
import type { Model } from "../catalog/catalog.ts";
import type { ChatEvent } from "../conversation/event.ts";
import { openLosses } from "../conversation/loss.ts";
import type { AnswerFrame, AnswerPlan, EncodeTarget } from "../conversation/plan.ts";
import type { Quirks } from "../conversation/quirks.ts";
import { parseWhole } from "../protocols/json.ts";
import { type Protocol, UNKNOWN_STREAM } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import { ANSWER_FIELDS, type TellCall, type WireFrame } from "../protocols/translation.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { StateTerms } from "./conversation-state.ts";
import { openEventReader, readResponse } from "./event-reader.ts";
import { EVENT_WRITER, openArrayWriter } from "./frame-writer.ts";
import type { Passage, StreamPassage } from "./passage.ts";
import type { TextRequest } from "./text-request.ts";
import { translationOf, type WrittenRequest } from "./translate-request.ts";

/** Bytes of text per token, for the estimate that stands in until the upstream tells its count (rule 6). */
const BYTES_PER_TOKEN = 4;

/** Whom a request is written for. */
export function targetOf(
  request: TextRequest,
  candidate: Candidate,
  model: Model,
  quirks: Quirks,
  signers: readonly string[],
  { foreign, withoutState }: StateTerms,
): EncodeTarget {
  return {
    model: candidate.model,
    origin: {
      protocol: candidate.protocol as EncodeTarget["origin"]["protocol"],
      upstream: candidate.upstream.name,
      model: candidate.model,
      credential: String(candidate.credential.id),
    },
    signers,
    ...(withoutState ? { withoutState: "all" } : foreign > 0 ? { withoutState: "bare" } : {}),
    quirks,
    maxOutputTokens: model.maxOutputTokens ?? undefined,
    seed: request.id,
  };
}

/** Speaks another protocol to the upstream than the caller spoke; the request is written for it already. */
export function translate(
  request: TextRequest,
  { body, losses, plan, includeUsage, echo }: WrittenRequest,
  { model, protocol }: Candidate,
  createdSeconds: number,
  tellCall?: TellCall,
): Passage {
  const upstream = PROTOCOLS[protocol];
  const frame: AnswerFrame = {
    id: request.id.replace(/^req_/, ""),
    requestId: request.id,
    created: createdSeconds,
    model,
    includeUsage,
    echo,
    inputEstimate: Math.max(1, Math.ceil(request.scan.length / BYTES_PER_TOKEN)),
  };
  return {
    pieces: [body],
    copies: plan.copies,
    arrayStream: false,
    storesResponse: false,
    losses,
    foreignValues: 0,
    contentType:
      request.streamed && !request.arrayStream
        ? "text/event-stream; charset=utf-8"
        : "application/json; charset=utf-8",
    openStream: () => openTranslatedStream(request, upstream, plan, frame, tellCall),
    plain(chunks) {
      const answer = readResponse(translationOf(upstream), plan, parse(chunks));
      if ("error" in answer) return answer;
      const translated = translationOf(request.protocol).encodeResponse(answer.response, frame, tellCall);
      return { body: [Buffer.from(writeExact(translated.body))], losses: translated.losses };
    },
  };
}

function openTranslatedStream(
  request: TextRequest,
  upstream: Protocol,
  plan: AnswerPlan,
  frame: AnswerFrame,
  tellCall: TellCall | undefined,
): StreamPassage {
  const losses = openLosses(ANSWER_FIELDS);
  const reader = openEventReader(translationOf(upstream), plan);
  const encoder = translationOf(request.protocol).encodeStream(frame, losses, tellCall);
  const writer = request.arrayStream ? openArrayWriter() : EVENT_WRITER;
  const written = (frames: readonly WireFrame[]): string => {
    let text = "";
    for (const frame of frames) text += writer.frame(frame);
    return text;
  };
  let failed = false;
  const encoded = (events: readonly ChatEvent[]): string => {
    let text = "";
    for (const event of events) {
      // Failures are told once, by `fail`, with the words that are the caller's to read.
      if (event.type !== "error") text += written(encoder.step(event));
    }
    return text;
  };

  return {
    write: (chunk) => inOnePiece(encoded(reader.write(chunk))),
    end() {
      const events = reader.end();
      failed = events.some(({ type }) => type === "error");
      return inOnePiece(encoded(events) + (failed ? "" : written(encoder.end()) + writer.end()));
    },
    failedAtEnd: () => failed,
    fail(error) {
      const told = written(encoder.step({ type: "error", error }));
      // An encoder that had not begun has no stream of its own form to fail in.
      const form = told || request.protocol.encodeStreamError(error, request.id, UNKNOWN_STREAM);
      return inOnePiece(form + writer.end());
    },
    losses: () => losses.list(),
    passesErrors: false,
  };
}

/** One write for all that a chunk held: each costs more than to write its events. */
function inOnePiece(text: string): readonly Buffer[] {
  return text === "" ? [] : [Buffer.from(text)];
}

/** As leniently as the meter reads it, which drops a byte order mark too. */
function parse(chunks: readonly Buffer[]): unknown {
  return parseWhole(UTF8.decode(Buffer.concat(chunks)));
}

// Whole texts only, so it keeps nothing from one to the next.
const UTF8 = new TextDecoder();
