import { collectEvents } from "../../conversation/adapt/collect.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import { statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asObjects } from "../json.ts";
import type { DecodedResponse } from "../translation.ts";
import { decodeStream, ending, readChunk } from "./decode-stream.ts";

/** Reads an upstream's plain response: a stream of one event, or of several in an array. */
export function decodeResponse(raw: unknown, plan: ResponsePlan): DecodedResponse {
  const bodies = asObjects(Array.isArray(raw) ? raw : [raw]);
  const stated = bodies.find(statesError);
  if (stated !== undefined) return { error: decodeStatedError(stated) };
  const events: ChatEvent[] = [];
  let state = decodeStream.initial(plan);
  for (const body of bodies) {
    const [next, more] = readChunk(state, body);
    state = next;
    for (const event of more) events.push(event);
  }
  // A whole response has ended, whether it says why or not.
  const { candidates } = state;
  for (const [index, each] of candidates) candidates.set(index, { ...each, finish: each.finish ?? "" });
  if (candidates.size === 0 && state.block === undefined)
    return noResponse("The upstream's response has no candidate.");
  const collected = collectEvents([...events, ...ending(state)]);
  if ("response" in collected) return { response: collected.response };
  return noResponse(
    "error" in collected ? collected.error.message : "The upstream's response is incomplete.",
  );
}

function noResponse(message: string): DecodedResponse {
  return { error: decodeStatedError({ error: { message } }) };
}
