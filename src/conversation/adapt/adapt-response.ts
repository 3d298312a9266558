import type { ChatEvent } from "../event.ts";
import type { LossList } from "../loss.ts";
import type { ProtocolCapabilities } from "../lower/capabilities.ts";
import { fitCallId } from "../lower/names.ts";
import type { Citation } from "../request.ts";
import type { ChatResponse, Choice, ResponsePart } from "../response.ts";
import { dropTrailingState, dropTrailingStateEvents } from "../state/drop-trailing-state.ts";
import { placeState, placeStateEvents } from "../state/place-state.ts";
import { chainRuns, type StreamRun } from "./stream-transform.ts";
import { dropMalformedCallEvents, dropMalformedCalls } from "./whole-calls.ts";

/** The response without what the caller's protocol has no slot for; ids of calls as it takes them. */
export function adaptResponse(
  response: ChatResponse,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): ChatResponse {
  const { choices } = response;
  const kept = capabilities.manyChoices ? choices : choices.slice(0, 1);
  if (kept.length < choices.length) losses.field("n");
  return { ...response, choices: kept.map((choice) => fitChoice(choice, capabilities, losses)) };
}

/**
 * Numbers the choice that comes first 0, whatever its vendor numbers it (rule 41); one that was 0 takes its number. In a
 * plain response the place is the number.
 */
function firstIsZero(): StreamRun<ChatEvent, ChatEvent> {
  let first: number | undefined;
  return {
    step(event) {
      if (!("choice" in event)) return [event];
      first ??= event.choice;
      if (first === 0 || (event.choice !== first && event.choice !== 0)) return [event];
      return [{ ...event, choice: event.choice === first ? 0 : first }];
    },
    end: () => [],
  };
}

/** Leaves of several choices, which nobody asked for, the first one to callers who read one. */
function firstChoice(losses: LossList): StreamRun<ChatEvent, ChatEvent> {
  const others = new Set<number>();
  return {
    step(event) {
      if ("choice" in event && event.choice !== 0) {
        losses.field("n");
        if ("block" in event && event.type !== "media" && event.type !== "foreign") others.add(event.block);
        return [];
      }
      if (!("block" in event) || !others.has(event.block)) return [event];
      if (event.type.endsWith("-end")) others.delete(event.block);
      return [];
    },
    end: () => [],
  };
}

function fitChoice(source: Choice, capabilities: ProtocolCapabilities, losses: LossList): Choice {
  const choice = dropMalformedCalls(source, capabilities, losses);
  const fitted = choice.parts.flatMap((each) => fitPart(each, capabilities, losses));
  const parts = placeState(fitted, capabilities, losses);
  return { ...choice, parts: capabilities.stateAfterWords ? parts : dropTrailingState(parts, losses) };
}

/** The same for a stream. `oneChoice`: the caller asked for one, though its protocol has slots for several. */
export function adaptEvents(
  capabilities: ProtocolCapabilities,
  losses: LossList,
  oneChoice = false,
): StreamRun<ChatEvent, ChatEvent> {
  const places = openPlaces(capabilities);
  const state = placeStateEvents(capabilities, losses);
  const fitting: StreamRun<ChatEvent, ChatEvent> = {
    step(event) {
      switch (event.type) {
        case "foreign":
          return fitPart(event.part, capabilities, losses).length === 0 ? [] : [event];
        case "media":
          return fitPart(event.part, capabilities, losses).length === 0 ? [] : state.step(event);
        case "citation":
          return fitCitation(event.citation, capabilities, losses).length === 0 ? [] : places.step(event);
        case "text-delta":
          return places.step(event);
        case "text-start":
          places.step(event);
          return state.step(event);
        case "text-end":
          return places.step(event).flatMap((each) => (each === event ? state.step(event) : [each]));
        case "tool-call-start":
          return state.step({ ...event, id: fitCallId(event.id, capabilities.callIds) });
        default:
          return state.step(event);
      }
    },
    end: () => [],
  };
  const whole = chainRuns(dropMalformedCallEvents(capabilities, losses), fitting);
  const single = capabilities.manyChoices ? whole : chainRuns(firstChoice(losses), whole);
  const fitted = oneChoice || !capabilities.manyChoices ? chainRuns(firstIsZero(), single) : single;
  if (!capabilities.blocksInTurn) return fitted;
  const inTurn = chainRuns(fitted, serializeBlocks());
  return capabilities.stateAfterWords ? inTurn : chainRuns(inTurn, dropTrailingStateEvents(losses));
}

/** Holds the finishes of a response that is not counted yet back: protocols tell usage with them, or before. */
export function usageFirst(): StreamRun<ChatEvent, ChatEvent> {
  let isCounted = false;
  let finishes: ChatEvent[] = [];
  return {
    step(event) {
      if (event.type === "error") finishes = [];
      if (event.type === "finish" && !isCounted) {
        finishes.push(event);
        return [];
      }
      if (event.type !== "usage" || isCounted) return [event];
      isCounted = true;
      return [event, ...finishes];
    },
    end: () => (isCounted ? [] : finishes),
  };
}

/** Holds citations of whole texts back until their text ends, and says then where that is. */
function openPlaces(capabilities: ProtocolCapabilities): StreamRun<ChatEvent, ChatEvent> {
  const texts = new Map<number, { length: number; readonly waiting: Citation[] }>();
  return {
    step(event) {
      switch (event.type) {
        case "text-start":
          texts.set(event.block, { length: 0, waiting: [] });
          return [event];
        case "text-delta": {
          const text = texts.get(event.block);
          if (text !== undefined) text.length += event.text.length;
          return [event];
        }
        case "citation":
          if (!isOfWhole(event.citation, capabilities)) return [event];
          texts.get(event.block)?.waiting.push(event.citation);
          return [];
        case "text-end": {
          const { block } = event;
          const { length, waiting } = texts.get(block) ?? { length: 0, waiting: [] };
          texts.delete(block);
          const cited = waiting.map((citation) => placed(citation, length));
          return [...cited.map((citation) => ({ type: "citation", block, citation }) as const), event];
        }
        default:
          return [event];
      }
    },
    end: () => [],
  };
}

/**
 * True if a citation must be told its place: one without is of the whole text, as messages cites, and the
 * others cite passages.
 */
function isOfWhole({ start, end, source }: Citation, { protocol }: ProtocolCapabilities): boolean {
  return start === undefined && end === undefined && source.protocol !== protocol;
}

function placed(citation: Citation, length: number): Citation {
  return { ...citation, start: 0, end: length };
}

function fitCitation(
  citation: Citation,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): readonly Citation[] {
  const { responseCitations, protocol } = capabilities;
  const fits =
    citation.source.protocol === protocol ||
    responseCitations === "any" ||
    (responseCitations === "urls" && citation.url !== undefined);
  if (fits) return [citation];
  losses.field("citations");
  return [];
}

function fitPart(
  part: ResponsePart,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): readonly ResponsePart[] {
  switch (part.kind) {
    case "foreign":
      if (part.protocol === capabilities.protocol) return [part];
      losses.at(part.path);
      return [];
    case "media":
      if (capabilities.responseMedia.includes(part.media)) return [part];
      losses.field("media");
      return [];
    case "text": {
      if (part.citations === undefined) return [part];
      const { citations: all, ...uncited } = part;
      const citations = all
        .flatMap((citation) => fitCitation(citation, capabilities, losses))
        .map((citation) =>
          isOfWhole(citation, capabilities) ? placed(citation, part.text.length) : citation,
        );
      return [citations.length === 0 ? uncited : { ...uncited, citations }];
    }
    case "tool-call":
      return [{ ...part, id: fitCallId(part.id, capabilities.callIds) }];
    case "reasoning":
      return [part];
  }
}

/**
 * Lets blocks through strictly one after the other, in the order of their starts: what comes for a later
 * block waits until the earlier ones have ended (rule 13; parallel calls of chat streams interleave).
 */
function serializeBlocks(): StreamRun<ChatEvent, ChatEvent> {
  let current: number | undefined;
  /** Events of blocks that wait, by block; Map keeps the order of their starts. */
  const waiting = new Map<number, ChatEvent[]>();

  function release(out: ChatEvent[]): void {
    while (current === undefined) {
      const first = waiting.entries().next();
      if (first.done === true) return;
      const [block, events] = first.value;
      waiting.delete(block);
      for (const event of events) out.push(event);
      if (!events.some(isEnd)) current = block;
    }
  }

  return {
    step(event) {
      if (!("block" in event)) {
        if (event.type !== "error" || waiting.size === 0) return [event];
        waiting.clear();
        return [event];
      }
      const { block } = event;
      if (current === undefined || current === block) {
        const out: ChatEvent[] = [event];
        current = isEnd(event) ? undefined : block;
        release(out);
        return out;
      }
      const before = waiting.get(block);
      if (before === undefined) waiting.set(block, [event]);
      else before.push(event);
      return [];
    },
    end: () => [],
  };
}

/** Media and foreign parts are whole: their one event ends them. */
function isEnd(event: ChatEvent): boolean {
  return event.type.endsWith("-end") || event.type === "media" || event.type === "foreign";
}
