import { collectEvents } from "../../conversation/adapt/collect.ts";
import { joinResponses, openJoin } from "../../conversation/adapt/join.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import { checkedMedia } from "../../conversation/media.ts";
import type { ChatResponse } from "../../conversation/response.ts";
import { decodeStatedError } from "../../protocols/errors/upstream-error.ts";
import { openArrayScanner } from "../../protocols/streams/array-scanner.ts";
import { openFrameReader } from "../../protocols/streams/stream-frames.ts";
import type { DecodedResponse, Translation, WireFrame } from "../../protocols/translation.ts";
import type { Framing } from "./framing.ts";
import { framingOfText, untag } from "./joined-form.ts";

/** Reads an upstream's stream, cut anywhere, into neutral events. Both throw NotAnImage. */
export interface EventReader {
  write(chunk: Buffer): readonly ChatEvent[];
  end(): readonly ChatEvent[];
}

/** Is told of each frame and the events that it was read as. What it throws, `write` throws. */
type FrameWatch = (frame: WireFrame, events: readonly ChatEvent[]) => void;

/** A reader of the answer that the plan's request makes: of one stream, or of several in the joined form. */
export function openEventReader(upstream: Translation, plan: ResponsePlan, watch: FrameWatch): EventReader {
  if (plan.copies === 1) return openOne(upstream, plan, watch);
  const readers = plansOf(plan).map((each) => openOne(upstream, each, watch));
  const join = openJoin(plan.copies);
  return {
    write(tagged) {
      const { response, chunk } = untag(tagged);
      return (readers[response]?.write(chunk) ?? []).flatMap((event) => join.step(response, event));
    },
    end: () =>
      readers.flatMap((reader, response) => reader.end().flatMap((event) => join.step(response, event))),
  };
}

/** The same for whole answers, parsed. Throws NotAnImage. */
export function readResponse(upstream: Translation, plan: ResponsePlan, body: unknown): DecodedResponse {
  if (plan.copies === 1) return withCheckedMedia(upstream.decodeResponse(body, plan));
  const responses: ChatResponse[] = [];
  for (const [response, each] of plansOf(plan).entries()) {
    const part: unknown = Array.isArray(body) ? body[response] : undefined;
    const decoded =
      typeof part === "string"
        ? readStreamed(upstream, each, Buffer.from(part), framingOfText(part))
        : withCheckedMedia(upstream.decodeResponse(part, each));
    if ("error" in decoded) return decoded;
    responses.push(decoded.response);
  }
  return { response: joinResponses(responses) };
}

function withCheckedMedia(decoded: DecodedResponse): DecodedResponse {
  if ("error" in decoded) return decoded;
  const choices = decoded.response.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) => (part.kind === "media" ? checkedMedia(part) : part)),
  }));
  return { response: { ...decoded.response, choices } };
}

/** One answer that came as a stream and is there whole. Throws NotAnImage. */
export function readStreamed(
  upstream: Translation,
  plan: ResponsePlan,
  body: Buffer,
  framing: Framing,
): DecodedResponse {
  const decoder = upstream.decodeStream(plan);
  const events = framesOf(body, framing).flatMap((frame) => decoder.step(frame));
  const collected = collectEvents([...events, ...decoder.end()]);
  if ("response" in collected) return withCheckedMedia({ response: collected.response });
  const error = "error" in collected ? collected.error : { message: "The upstream's stream is incomplete." };
  return { error: decodeStatedError({ error }) };
}

/** The events of a whole stream, the items of an array included. */
export function framesOf(body: Buffer, framing: Framing): readonly WireFrame[] {
  if (framing === "events") {
    const reader = openFrameReader();
    return [...reader.write(body), ...reader.end()];
  }
  const frames: WireFrame[] = [];
  const scanner = openArrayScanner((buffer, start, end) => {
    frames.push({ data: buffer.toString("utf8", start, end) });
  });
  scanner.write(body);
  return frames;
}

function openOne(upstream: Translation, plan: ResponsePlan, watch: FrameWatch): EventReader {
  const frames = openFrameReader();
  const decoder = upstream.decodeStream(plan);
  const read = (frame: WireFrame): readonly ChatEvent[] => {
    const events = decoder.step(frame).map(checkedEvent);
    watch(frame, events);
    return events;
  };
  return {
    write(chunk) {
      const [first, ...more] = frames.write(chunk);
      if (first === undefined) return [];
      // Nearly every chunk is one frame.
      const events = read(first);
      return more.length === 0 ? events : [...events, ...more.flatMap(read)];
    },
    end: () => [...frames.end().flatMap(read), ...decoder.end().map(checkedEvent)],
  };
}

function checkedEvent(event: ChatEvent): ChatEvent {
  return event.type === "media" ? { ...event, part: checkedMedia(event.part) } : event;
}

/** A plan for each answer, so that ids which their upstream leaves out differ among them. */
function plansOf(plan: ResponsePlan): readonly ResponsePlan[] {
  return Array.from({ length: plan.copies }, (_, response) => ({
    ...plan,
    seed: `${plan.seed} ${response}`,
  }));
}
