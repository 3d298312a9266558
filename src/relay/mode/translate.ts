import type { Model } from "../../catalog/catalog.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { EndUser } from "../../conversation/lower/end-user.ts";
import type { EncodeTarget, ResponseFrame } from "../../conversation/lower/plan.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import type { Origin } from "../../conversation/state/opaque.ts";
import { type EventMeter, UNKNOWN_STREAM } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { type OnCall, RESPONSE_FIELDS, type WireFrame } from "../../protocols/translation.ts";
import { bodyChangesAt } from "../../upstreams/body-form.ts";
import type { Candidate } from "../../upstreams/call.ts";
import type { MeteredUsage } from "../../usage/usage.ts";
import type { StateTerms } from "../admit/conversation-state.ts";
import type { TextRequest } from "../text-request.ts";
import { openEventReader } from "./event-reader.ts";
import { EVENT_WRITER, openArrayWriter, type StreamRewriter } from "./framing.ts";
import type { RelayMode } from "./relay-mode.ts";
import { type ResponseConversion, reportedUsage } from "./response-conversion.ts";
import { StreamMemory } from "./stream-memory.ts";
import { translationOf, type WrittenRequest } from "./translate-request.ts";

/** Bytes of text per token, for the estimate that stands in until the upstream tells its count (rule 6). */
const BYTES_PER_TOKEN = 4;

/** The target that a request is encoded for. */
export function targetOf(
  request: Pick<TextRequest, "id">,
  candidate: Candidate,
  model: Model,
  quirks: Quirks,
  signers: readonly string[],
  { foreign, withoutState }: StateTerms,
  endUser: EndUser | undefined,
): EncodeTarget {
  return {
    model: candidate.model,
    origin: originOf(candidate),
    signers,
    withoutState: withoutState ? "all" : foreign > 0 ? "bare" : undefined,
    quirks,
    maxOutputTokens: model.maxOutputTokens ?? undefined,
    seed: request.id,
    changes: bodyChangesAt(candidate),
    endUser,
  };
}

/** The origin of state in a candidate's responses; its protocol is one of the four that generate. */
export function originOf({ protocol, upstream, model, credential }: Candidate): Origin {
  return {
    protocol: protocol as Origin["protocol"],
    upstream: upstream.name,
    model,
    credential: String(credential.id),
  };
}

/** The fields of a response to this request besides its content. */
export function responseFrame(
  { id, scan, responses }: TextRequest,
  model: string,
  { createdSeconds, includeUsage, oneCall, echo }: FrameFields,
): ResponseFrame {
  return {
    id: id.replace(/^req_/, ""),
    requestId: id,
    created: createdSeconds,
    model,
    includeUsage,
    oneChoice: responses === 1 ? true : undefined,
    oneCall,
    echo,
    inputEstimate: Math.max(1, Math.ceil(scan.length / BYTES_PER_TOKEN)),
  };
}

interface FrameFields extends Pick<ResponseFrame, "includeUsage" | "oneCall" | "echo"> {
  readonly createdSeconds: number;
}

/** The mode of a request that was translated to the upstream's protocol. */
export function translate(
  request: TextRequest,
  { body, separateBodies, losses, plan, ...frameFields }: WrittenRequest,
  { model, protocol }: Candidate,
  createdSeconds: number,
  onCall?: OnCall,
): RelayMode {
  const frame = responseFrame(request, model, { createdSeconds, ...frameFields });
  const conversion: ResponseConversion = { ...clientFormatOf(request), upstream: protocol, plan, frame };
  return {
    pieces: [body],
    copies: plan.copies,
    separateBodies,
    arrayStream: false,
    storesResponse: false,
    losses,
    foreignValues: 0,
    inSlices: true,
    contentType:
      request.streamed && !request.arrayStream
        ? "text/event-stream; charset=utf-8"
        : "application/json; charset=utf-8",
    openStream(usage) {
      const meter = usage.openEvents(request.responses);
      return { meter, rewriter: openTranslatedStream(request, conversion, meter, onCall) };
    },
    onCall,
    wholeForm: () => ({ kind: "written", own: false, conversion }),
  };
}

/** The response format that the client expects. */
export function clientFormatOf({
  protocol,
  streamed,
  arrayStream,
}: TextRequest): Pick<ResponseConversion, "client" | "streamed" | "arrayStream"> {
  return { client: protocol.name, streamed, arrayStream };
}

function openTranslatedStream(
  request: TextRequest,
  { upstream, plan, frame }: ResponseConversion,
  meter: EventMeter,
  onCall: OnCall | undefined,
): StreamRewriter {
  const losses = openLosses(RESPONSE_FIELDS);
  const memory = new StreamMemory();
  const reader = openEventReader(translationOf(PROTOCOLS[upstream]), plan, meter, (frame, events) =>
    memory.count(frame, events),
  );
  const encoder = translationOf(request.protocol).encodeStream(frame, losses, onCall);
  const writer = request.arrayStream ? openArrayWriter() : EVENT_WRITER;
  const written = (frames: readonly WireFrame[]): string => {
    let text = "";
    for (const frame of frames) text += writer.frame(frame);
    return text;
  };
  let failed = false;
  let stated: MeteredUsage | undefined;
  const encoded = (events: readonly ChatEvent[]): string => {
    let text = "";
    for (const event of events) {
      // Usage is told at the end, as it is charged; failures once, by `fail`, with the words that are the caller's to read.
      if (event.type === "usage") stated = event.usage;
      else if (event.type === "error") failed = true;
      else text += written(encoder.step(event));
    }
    return text;
  };

  return {
    write: (chunk) => inOnePiece(encoded(reader.write(chunk))),
    skip: (chunk) => reader.skip(chunk),
    end: () => inOnePiece(encoded(reader.end())),
    closing(charged) {
      // The finish waits for it.
      const usage = written(encoder.step({ type: "usage", usage: reportedUsage(stated, charged) }));
      return inOnePiece(usage + written(encoder.end()) + writer.end());
    },
    failed: () => failed,
    fail(error) {
      const frames = written(encoder.step({ type: "error", error }));
      // An encoder that had not begun has no stream of its own form to fail in.
      const form = frames || request.protocol.encodeStreamError(error, request.id, UNKNOWN_STREAM);
      return inOnePiece(form + writer.end());
    },
    losses: () => losses.list(),
    keptBytes: () => memory.bytes,
    passesErrors: false,
  };
}

/** One write for all that a chunk held: each costs more than to write its events. */
function inOnePiece(text: string): readonly Buffer[] {
  return text === "" ? [] : [Buffer.from(text)];
}
