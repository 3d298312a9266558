import { collectEvents } from "../../conversation/adapt/collect.ts";
import { joinResponses, openJoin } from "../../conversation/adapt/join.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import { checkedMedia } from "../../conversation/media.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { decodeStatedError } from "../../protocols/errors/upstream-error.ts";
import { asArray } from "../../protocols/json.ts";
import type { EventMeter, EventSource, ResponseSummary, UsageReader } from "../../protocols/protocol.ts";
import { JsonText, type StreamEvent } from "../../protocols/streams/stream-event.ts";
import type { DecodedResponse, Translation, WireFrame } from "../../protocols/translation.ts";
import { splitResponseNumber } from "../fan-out/joined-form.ts";
import { joinSummaries } from "../fan-out/joined-usage.ts";
import type { Framing } from "./framing.ts";

/** Reads an upstream's stream, cut anywhere, into neutral events. `write` and `end` throw NotAnImage. */
export interface EventReader {
  write(chunk: Buffer): readonly ChatEvent[];
  /** The chunk's events are nobody's to read. */
  skip(chunk: Buffer): void;
  end(): readonly ChatEvent[];
}

/** Called with each frame and the events decoded from it. `write` rethrows what it throws. */
type FrameWatch = (frame: WireFrame, events: readonly ChatEvent[]) => void;

/**
 * A reader of the response that the plan's request makes: of one stream, or of several in the joined form. Its chunks have
 * been written to the meter, from which it has their events.
 */
export function openEventReader(
  upstream: Translation,
  plan: ResponsePlan,
  { sources }: EventMeter,
  watch: FrameWatch,
): EventReader {
  const plans = plan.copies === 1 ? [plan] : plansOf(plan);
  const readers = sources.map((source, at) => openOne(upstream, plans[at] ?? plan, source, watch));
  const [only] = readers;
  if (plan.copies === 1 && only !== undefined) {
    return {
      write: (chunk) => only.read(chunk.length),
      skip: (chunk) => only.skip(chunk.length),
      end: () => only.end(),
    };
  }
  const join = openJoin(plan.copies);
  return {
    write(tagged) {
      const { response, chunk } = splitResponseNumber(tagged);
      const events = readers[response]?.read(chunk.length) ?? [];
      return events.flatMap((event) => join.step(response, event));
    },
    skip(tagged) {
      const { response, chunk } = splitResponseNumber(tagged);
      readers[response]?.skip(chunk.length);
    },
    end: () =>
      readers.flatMap((reader, response) => reader.end().flatMap((event) => join.step(response, event))),
  };
}

/** Reads one stream by the bytes that may pass of it. */
interface SourceReader {
  read(bytes: number): readonly ChatEvent[];
  skip(bytes: number): void;
  end(): readonly ChatEvent[];
}

function openOne(
  upstream: Translation,
  plan: ResponsePlan,
  source: EventSource,
  watch: FrameWatch,
): SourceReader {
  const decoder = upstream.decodeStream(plan);
  const decode = (frame: WireFrame): readonly ChatEvent[] => {
    const events = decoder.step(frame).map(checkedEvent);
    watch(frame, events);
    return events;
  };
  const read = (bytes: number): readonly ChatEvent[] => {
    const [first, ...more] = source.take(bytes);
    if (first === undefined) return [];
    // Nearly every chunk is one frame.
    const events = decode(first);
    return more.length === 0 ? events : [...events, ...more.flatMap(decode)];
  };
  return {
    read,
    skip: (bytes) => void source.take(bytes),
    end: () => [...read(0), ...decoder.end().map(checkedEvent)],
  };
}

function checkedEvent(event: ChatEvent): ChatEvent {
  return event.type === "media" ? { ...event, part: checkedMedia(event.part) } : event;
}

/** A response that is there whole, read once: what metering learns of it, and its neutral form. */
export interface ReadResponse {
  readonly summary: ResponseSummary;
  /** False: its events ended before it did. */
  readonly finished: boolean;
  /** Events of a response that came as a stream. */
  readonly events: readonly StreamEvent[];
  /** Throws NotAnImage. */
  decode(): DecodedResponse;
}

/** The readers of a response: its upstream's meter and decoder. */
export interface ResponseReaders {
  readonly usage: UsageReader;
  readonly upstream: Translation;
  readonly plan: ResponsePlan;
  /** How many choices were asked for. */
  readonly responses: number;
}

/** Reads a whole response as it came, or several in the joined form. */
export function readResponse(readers: ResponseReaders, body: Buffer, framing: Framing): ReadResponse {
  if (framing !== "whole") return readStreamed(readers, body);
  const json = new JsonText(UTF8.decode(body));
  const { plan } = readers;
  return plan.copies === 1
    ? readPlain(readers, json.value, () => json.exact)
    : readJoined({ ...readers, responses: 1 }, json);
}

function readPlain(
  { usage, upstream, plan }: ResponseReaders,
  value: unknown,
  exact: () => unknown,
): ReadResponse {
  return {
    summary: usage.readPlain(value),
    finished: true,
    events: [],
    decode: () => withCheckedMedia(upstream.decodeResponse(exact(), plan)),
  };
}

function readStreamed({ usage, upstream, plan, responses }: ResponseReaders, body: Buffer): ReadResponse {
  const meter = usage.openEvents(responses);
  meter.write(body);
  meter.end();
  const events = meter.sources.flatMap((source) => source.take());
  return {
    summary: meter.summary(),
    finished: meter.finished || meter.error !== undefined,
    events,
    decode() {
      const decoder = upstream.decodeStream(plan);
      const read = events.flatMap((event) => decoder.step(event));
      const collected = collectEvents([...read, ...decoder.end()]);
      if ("response" in collected) return withCheckedMedia({ response: collected.response });
      const error =
        "error" in collected ? collected.error : { message: "The upstream's stream is incomplete." };
      return { error: decodeStatedError({ error }) };
    },
  };
}

/** The elements of an array: an object as it came, or a string that holds the events of one that came as a stream. */
function readJoined(readers: ResponseReaders, json: JsonText): ReadResponse {
  const exact = asArray(json.exact);
  const parts = plansOf(readers.plan).map((plan, at) => {
    const value = asArray(json.value)[at];
    return typeof value === "string"
      ? readStreamed({ ...readers, plan }, Buffer.from(value))
      : readPlain({ ...readers, plan }, value, () => exact[at]);
  });
  return {
    // Without its end one that came as a stream has failed.
    summary: joinSummaries(
      parts.map(({ summary, finished }) => (finished ? summary : { ...summary, failed: true })),
    ),
    finished: true,
    events: [],
    decode() {
      const responses: ChatResponse[] = [];
      for (const part of parts) {
        const decoded = part.decode();
        if ("error" in decoded) return decoded;
        responses.push(decoded.response);
      }
      return { response: joinResponses(responses) };
    },
  };
}

function withCheckedMedia(decoded: DecodedResponse): DecodedResponse {
  if ("error" in decoded) return decoded;
  const choices = decoded.response.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) => (part.kind === "media" ? checkedMedia(part) : part)),
  }));
  return { response: { ...decoded.response, choices } };
}

/** A plan for each response, so that ids which their upstream leaves out differ among them. */
function plansOf(plan: ResponsePlan): readonly ResponsePlan[] {
  return Array.from({ length: plan.copies }, (_, response) => ({
    ...plan,
    seed: `${plan.seed} ${response}`,
  }));
}

// It decodes whole texts only, so it keeps no state between calls.
const UTF8 = new TextDecoder();
