import type { ChatEvent } from "../conversation/event.ts";
import { joinResponses, openJoin } from "../conversation/join.ts";
import type { AnswerPlan } from "../conversation/plan.ts";
import type { ChatResponse } from "../conversation/response.ts";
import { openFrameReader } from "../protocols/stream-frames.ts";
import type { DecodedResponse, Translation } from "../protocols/translation.ts";
import { untag } from "./joined-form.ts";

/** Reads an upstream's stream, cut anywhere, into neutral events. */
export interface EventReader {
  write(chunk: Buffer): readonly ChatEvent[];
  end(): readonly ChatEvent[];
}

/** A reader of the answer that the plan's request makes: of one stream, or of several in the joined form. */
export function openEventReader(upstream: Translation, plan: AnswerPlan): EventReader {
  if (plan.copies === 1) return openOne(upstream, plan);
  const readers = plansOf(plan).map((each) => openOne(upstream, each));
  const join = openJoin(plan.copies);
  return {
    write(tagged) {
      const { answer, chunk } = untag(tagged);
      return (readers[answer]?.write(chunk) ?? []).flatMap((event) => join.step(answer, event));
    },
    end: () => readers.flatMap((reader, answer) => reader.end().flatMap((event) => join.step(answer, event))),
  };
}

/** The same for a plain answer, parsed. */
export function readResponse(upstream: Translation, plan: AnswerPlan, body: unknown): DecodedResponse {
  if (plan.copies === 1) return upstream.decodeResponse(body, plan);
  const responses: ChatResponse[] = [];
  for (const [answer, each] of plansOf(plan).entries()) {
    const decoded = upstream.decodeResponse(Array.isArray(body) ? body[answer] : undefined, each);
    if ("error" in decoded) return decoded;
    responses.push(decoded.response);
  }
  return { response: joinResponses(responses) };
}

function openOne(upstream: Translation, plan: AnswerPlan): EventReader {
  const frames = openFrameReader();
  const decoder = upstream.decodeStream(plan);
  return {
    write(chunk) {
      const [first, ...more] = frames.write(chunk);
      if (first === undefined) return [];
      // Nearly every chunk is one frame.
      const events = decoder.step(first);
      return more.length === 0 ? events : [...events, ...more.flatMap((frame) => decoder.step(frame))];
    },
    end: () => [...frames.end().flatMap((frame) => decoder.step(frame)), ...decoder.end()],
  };
}

/** A plan for each answer, so that ids which their upstream leaves out differ among them. */
function plansOf(plan: AnswerPlan): readonly AnswerPlan[] {
  return Array.from({ length: plan.copies }, (_, answer) => ({ ...plan, seed: `${plan.seed} ${answer}` }));
}
