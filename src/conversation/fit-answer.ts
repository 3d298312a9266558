import type { ChatEvent } from "./event.ts";
import { fitCallId } from "./ids.ts";
import { blocksInTurn } from "./in-turn.ts";
import { endInWords, eventsEndInWords } from "./last-words.ts";
import type { LossList } from "./loss.ts";
import { chainRuns, type StreamRun } from "./machine.ts";
import { eventsPlaceState, placeState } from "./place-state.ts";
import type { Citation } from "./request.ts";
import type { AnswerPart, ChatResponse, Choice } from "./response.ts";
import type { ProtocolTraits } from "./traits.ts";
import { brokenLeftOut, withoutBroken } from "./whole-calls.ts";

/** The answer without what the caller's protocol has no slot for; ids of calls as it takes them. */
export function fitAnswer(response: ChatResponse, traits: ProtocolTraits, losses: LossList): ChatResponse {
  return { ...response, choices: response.choices.map((choice) => fitChoice(choice, traits, losses)) };
}

function fitChoice(told: Choice, traits: ProtocolTraits, losses: LossList): Choice {
  const choice = withoutBroken(told, traits, losses);
  const fitted = choice.parts.flatMap((each) => fitPart(each, traits, losses));
  const parts = placeState(fitted, traits, losses);
  return { ...choice, parts: traits.stateAfterWords ? parts : endInWords(parts, losses) };
}

/** The same for a stream. */
export function fitEvents(traits: ProtocolTraits, losses: LossList): StreamRun<ChatEvent, ChatEvent> {
  const places = openPlaces(traits);
  const state = eventsPlaceState(traits, losses);
  const fitting: StreamRun<ChatEvent, ChatEvent> = {
    step(event) {
      switch (event.type) {
        case "foreign":
          return fitPart(event.part, traits, losses).length === 0 ? [] : [event];
        case "media":
          return fitPart(event.part, traits, losses).length === 0 ? [] : state.step(event);
        case "citation":
          return fitCitation(event.citation, traits, losses).length === 0 ? [] : places.step(event);
        case "text-delta":
          return places.step(event);
        case "text-start":
          places.step(event);
          return state.step(event);
        case "text-end":
          return places.step(event).flatMap((each) => (each === event ? state.step(event) : [each]));
        case "tool-call-start":
          return state.step({ ...event, id: fitCallId(event.id, traits.callIds) });
        default:
          return state.step(event);
      }
    },
    end: () => [],
  };
  const fitted = chainRuns(brokenLeftOut(traits, losses), fitting);
  if (!traits.blocksInTurn) return fitted;
  const inTurn = chainRuns(fitted, blocksInTurn());
  return traits.stateAfterWords ? inTurn : chainRuns(inTurn, eventsEndInWords(losses));
}

/** Holds citations of whole texts back until their text ends, and says then where that is. */
function openPlaces(traits: ProtocolTraits): StreamRun<ChatEvent, ChatEvent> {
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
          if (!isOfWhole(event.citation, traits)) return [event];
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
 * Whether a citation must be told its place: one without is of the whole text, as messages cites, and the
 * others cite passages.
 */
function isOfWhole({ start, end, source }: Citation, { protocol }: ProtocolTraits): boolean {
  return start === undefined && end === undefined && source.protocol !== protocol;
}

function placed(citation: Citation, length: number): Citation {
  return { ...citation, start: 0, end: length };
}

function fitCitation(citation: Citation, traits: ProtocolTraits, losses: LossList): readonly Citation[] {
  const { answerCitations, protocol } = traits;
  const fits =
    citation.source.protocol === protocol ||
    answerCitations === "any" ||
    (answerCitations === "urls" && citation.url !== undefined);
  if (fits) return [citation];
  losses.field("citations");
  return [];
}

function fitPart(part: AnswerPart, traits: ProtocolTraits, losses: LossList): readonly AnswerPart[] {
  switch (part.kind) {
    case "foreign":
      if (part.protocol === traits.protocol) return [part];
      losses.at(part.path);
      return [];
    case "media":
      if (traits.answerMedia.includes(part.media)) return [part];
      losses.field("media");
      return [];
    case "text": {
      if (part.citations === undefined) return [part];
      const { citations: all, ...uncited } = part;
      const citations = all
        .flatMap((citation) => fitCitation(citation, traits, losses))
        .map((citation) => (isOfWhole(citation, traits) ? placed(citation, part.text.length) : citation));
      return [citations.length === 0 ? uncited : { ...uncited, citations }];
    }
    case "tool-call":
      return [{ ...part, id: fitCallId(part.id, traits.callIds) }];
    case "reasoning":
      return [part];
  }
}
