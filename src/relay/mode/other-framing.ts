import { writeExact } from "../../base/json/exact-json.ts";
import { eventsOf } from "../../conversation/adapt/events-of.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ResponseFrame, ResponsePlan } from "../../conversation/lower/plan.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { asObject, parseWhole } from "../../protocols/json.ts";
import type { Protocol, ResponseSummary, UsageReader } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { type DecodedResponse, RESPONSE_FIELDS, type TellCall } from "../../protocols/translation.ts";
import { framesOf, readResponse, readStreamed } from "./event-reader.ts";
import { EVENT_WRITER, openArrayWriter } from "./frame-writer.ts";
import type { BodyRewrite, Framing } from "./framing.ts";
import { isCollected } from "./joined-form.ts";
import { translationOf } from "./translate-request.ts";

/**
 * Tells the framing by the first bytes, since the stated type is often wrong. undefined = by these nobody can tell. More copies
 * than one come in the joined form.
 */
export function framingOf(beginning: Buffer, upstream: ProtocolName, copies = 1): Framing | undefined {
  if (copies > 1) return isCollected(beginning) ? "whole" : "events";
  const text = beginning.toString("latin1", 0, LOOKED_AT).replace(BLANKS, "");
  if (text.startsWith("{")) return "whole";
  if (text.startsWith("[")) return PROTOCOLS[upstream].forward.streamsArrays ? "array" : undefined;
  return EVENTS.test(text) ? "events" : undefined;
}

/** As UTF-8 the byte order mark is three bytes. */
const BLANKS = /^(?:\xef\xbb\xbf)?\s*/;
const EVENTS = /^(?:data|event|id|retry)?:/;
/** The bytes that tell it. */
export const LOOKED_AT = 64;

/** Facts of a whole answer; `finished` false: its events ended before it did. */
export function factsOf(
  usage: UsageReader,
  body: Buffer,
  framing: Framing,
  responses: number,
): { readonly facts: ResponseSummary; readonly finished: boolean } {
  if (framing === "whole") return { facts: usage.readBytes(body), finished: true };
  const meter = usage.openStream(responses);
  meter.write(body);
  meter.end();
  return { facts: meter.facts(), finished: meter.finished || meter.error !== undefined };
}

/** From an upstream's protocol to what a caller asked for. Plain data: it must reach a worker. */
export interface Crossing {
  readonly client: ProtocolName;
  readonly streamed: boolean;
  readonly arrayStream: boolean;
  readonly upstream: ProtocolName;
  readonly plan: ResponsePlan;
  readonly frame: ResponseFrame;
}

/**
 * Reads a whole answer in either framing and writes it as the caller asked: plain, or as a stream. `tellCall` is told each call
 * and its state; absent = nobody keeps them.
 */
export function writeAsAsked(
  crossing: Crossing,
  body: Buffer,
  framing: Framing,
  tellCall?: TellCall,
): BodyRewrite {
  const read = readAnswer(crossing, body, framing);
  if ("error" in read) return read;
  const { client, streamed, arrayStream, frame } = crossing;
  const translation = translationOf(PROTOCOLS[client]);
  if (!streamed) {
    const written = translation.encodeResponse(read.response, frame, tellCall);
    return { body: [Buffer.from(writeExact(written.body))], losses: written.losses };
  }
  const losses = openLosses(RESPONSE_FIELDS);
  const encoder = translation.encodeStream(frame, losses, tellCall);
  const writer = arrayStream ? openArrayWriter() : EVENT_WRITER;
  const frames = [...eventsOf(read.response).flatMap((event) => encoder.step(event)), ...encoder.end()];
  const text = frames.map((each) => writer.frame(each)).join("") + writer.end();
  return { body: [Buffer.from(text)], losses: losses.list() };
}

/**
 * The same where the upstream speaks the caller's own protocol: heads as the vendor wrote them, and the whole answer
 * itself where one of its events holds it.
 */
export function writeOwnAsAsked(crossing: Crossing, body: Buffer, framing: Framing): BodyRewrite {
  const { streamed, upstream, frame } = crossing;
  const whole = streamed ? undefined : wholeIn(PROTOCOLS[upstream], body, framing);
  if (whole !== undefined) return { body: [Buffer.from(whole)], losses: [] };
  const read = readAnswer(crossing, body, framing);
  if ("error" in read) return read;
  return writeAsAsked({ ...crossing, frame: ownFrame(frame, read.response) }, body, framing);
}

function readAnswer({ upstream, plan }: Crossing, body: Buffer, framing: Framing): DecodedResponse {
  const translation = translationOf(PROTOCOLS[upstream]);
  if (framing === "whole") return readResponse(translation, plan, parseWhole(UTF8.decode(body)));
  return readStreamed(translation, plan, body, framing);
}

/** The plain answer that one of the events holds, as its vendor wrote it. */
function wholeIn({ forward }: Protocol, body: Buffer, framing: Framing): string | undefined {
  const { wholeIn: find } = forward;
  if (find === undefined || framing === "whole") return undefined;
  for (const { data } of framesOf(body, framing).toReversed()) {
    const event = asObject(parseWhole(data));
    const whole = event === undefined ? undefined : find(event);
    if (whole !== undefined) return writeExact(whole);
  }
  return undefined;
}

/** Later requests may name the vendor's id, and encoders put their protocol's prefix before it. */
function ownFrame(frame: ResponseFrame, { id, created }: ChatResponse): ResponseFrame {
  return {
    ...frame,
    ...(id === undefined ? {} : { id: id.replace(PREFIX, "") }),
    ...(created === undefined ? {} : { created }),
  };
}

const PREFIX = /^(?:chatcmpl-|resp_|msg_)/;
// Whole texts only, so it keeps nothing from one to the next.
const UTF8 = new TextDecoder();
