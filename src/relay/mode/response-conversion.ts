import { writeExact } from "../../base/json/exact-json.ts";
import { eventsOf } from "../../conversation/adapt/events-of.ts";
import { openLosses } from "../../conversation/loss.ts";
import type { ResponseFrame, ResponsePlan } from "../../conversation/lower/plan.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { asObject } from "../../protocols/json.ts";
import type { StreamEvent } from "../../protocols/streams/stream-event.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { type OnCall, RESPONSE_FIELDS } from "../../protocols/translation.ts";
import { type MeteredUsage, TOKEN_BUCKETS, type TokenUsage } from "../../usage/usage.ts";
import { isCollected } from "../fan-out/joined-form.ts";
import { type ReadResponse, readResponse } from "./event-reader.ts";
import {
  type BodyRewrite,
  type ChargedUsage,
  EVENT_WRITER,
  type Framing,
  openArrayWriter,
  tokensOfResponse,
} from "./framing.ts";
import { translationOf } from "./translate-request.ts";

/**
 * Tells the framing by the first bytes, since the stated type is often wrong. undefined = by these nobody can tell. More copies
 * than one come in the joined form.
 */
export function framingOf(beginning: Buffer, upstream: ProtocolName, copies = 1): Framing | undefined {
  if (copies > 1) return isCollected(beginning) ? "whole" : "events";
  const text = beginning.toString("latin1", 0, SNIFFED_BYTES).replace(BLANKS, "");
  if (text.startsWith("{")) return "whole";
  if (text.startsWith("[")) return PROTOCOLS[upstream].forward.streamsArrays ? "array" : undefined;
  return EVENTS.test(text) ? "events" : undefined;
}

/** The byte order mark takes three bytes in UTF-8. */
const BLANKS = /^(?:\xef\xbb\xbf)?\s*/;
const EVENTS = /^(?:data|event|id|retry|error)?:/;
/** How many bytes are enough to recognize the framing. */
export const SNIFFED_BYTES = 64;

/** The conversion from an upstream's protocol to the requested format. Plain data, as it is sent to a worker. */
export interface ResponseConversion {
  readonly client: ProtocolName;
  readonly streamed: boolean;
  readonly arrayStream: boolean;
  readonly upstream: ProtocolName;
  readonly plan: ResponsePlan;
  readonly frame: ResponseFrame;
  /** The usage to report instead of the upstream's; absent = the upstream's. */
  readonly charged?: TokenUsage | undefined;
}

/**
 * The usage that callers of a rewritten response see: the charged usage. A free response whose upstream counts tokens shows
 * the upstream's count.
 */
export function reportedUsage(stated: MeteredUsage | undefined, charged: ChargedUsage): MeteredUsage {
  const tokens = tokensOfResponse(charged);
  const isStated =
    stated !== undefined && !charged.estimated && (isUnreported(tokens) || isSame(tokens, stated.tokens));
  return isStated ? stated : { tokens, hostile: [] };
}

function isSame(one: TokenUsage, other: TokenUsage): boolean {
  return one === other || TOKEN_BUCKETS.every((bucket) => one[bucket] === other[bucket]);
}

function isUnreported(tokens: TokenUsage): boolean {
  return TOKEN_BUCKETS.every((bucket) => tokens[bucket] === undefined);
}

/** Reads a whole response of `responses` choices in either framing, once for its charge and for its caller. */
export function readUpstreamResponse(
  { upstream, plan }: ResponseConversion,
  body: Buffer,
  framing: Framing,
  responses: number,
): ReadResponse {
  const protocol = PROTOCOLS[upstream];
  const readers = { usage: protocol.usage, upstream: translationOf(protocol), plan, responses };
  return readResponse(readers, body, framing);
}

/**
 * Writes the response in the requested format: plain, or as a stream. `onCall` gets each call and its state; absent = they aren't stored.
 */
export function writeClientResponse(
  conversion: ResponseConversion,
  read: ReadResponse,
  onCall?: OnCall,
): BodyRewrite {
  const decoded = read.decode();
  return "error" in decoded ? decoded : written(conversion, decoded.response, onCall);
}

/**
 * Writes the response of an upstream that speaks the caller's protocol: heads as the vendor wrote them, and the whole response
 * if one of its events holds it.
 */
export function writeNativeResponse(conversion: ResponseConversion, read: ReadResponse): BodyRewrite {
  const { streamed, frame } = conversion;
  const whole = streamed ? undefined : wholeIn(conversion, read.events);
  if (whole !== undefined) return { body: [Buffer.from(whole)], losses: [] };
  const decoded = read.decode();
  if ("error" in decoded) return decoded;
  return written({ ...conversion, frame: ownFrame(frame, decoded.response) }, decoded.response);
}

function written(
  { client, streamed, arrayStream, frame, charged }: ResponseConversion,
  read: ChatResponse,
  onCall?: OnCall,
): BodyRewrite {
  const response = charged === undefined ? read : { ...read, usage: { tokens: charged, hostile: [] } };
  const translation = translationOf(PROTOCOLS[client]);
  if (!streamed) {
    const { body, losses } = translation.encodeResponse(response, frame, onCall);
    return { body: [Buffer.from(writeExact(body))], losses };
  }
  const losses = openLosses(RESPONSE_FIELDS);
  const encoder = translation.encodeStream(frame, losses, onCall);
  const writer = arrayStream ? openArrayWriter() : EVENT_WRITER;
  const frames = [...eventsOf(response).flatMap((event) => encoder.step(event)), ...encoder.end()];
  const text = frames.map((each) => writer.frame(each)).join("") + writer.end();
  return { body: [Buffer.from(text)], losses: losses.list() };
}

/** The plain response that one of the events holds, as its vendor wrote it. */
function wholeIn(
  { upstream, charged }: ResponseConversion,
  events: readonly StreamEvent[],
): string | undefined {
  const { wholeIn: find } = PROTOCOLS[upstream].forward;
  if (find === undefined) return undefined;
  for (const { exact } of events.flatMap(({ parts }) => parts).toReversed()) {
    const event = asObject(exact);
    const whole = event === undefined ? undefined : find(event, charged);
    if (whole !== undefined) return writeExact(whole);
  }
  return undefined;
}

/** Later requests may name the vendor's id, and encoders put their protocol's prefix before it. */
function ownFrame(frame: ResponseFrame, { id, created }: ChatResponse): ResponseFrame {
  return {
    ...frame,
    id: id === undefined ? frame.id : id.replace(PREFIX, ""),
    created: created ?? frame.created,
  };
}

const PREFIX = /^(?:chatcmpl-|resp_|msg_)/;
