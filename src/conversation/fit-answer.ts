import type { ChatEvent } from "./event.ts";
import { fitCallId } from "./ids.ts";
import { blocksInTurn } from "./in-turn.ts";
import { endInWords, eventsEndInWords } from "./last-words.ts";
import type { LossList } from "./loss.ts";
import { chainRuns, type StreamRun } from "./machine.ts";
import { OF_MEDIA, type Opaque } from "./opaque.ts";
import type { Citation } from "./request.ts";
import type { AnswerPart, ChatResponse, Choice } from "./response.ts";
import type { ProtocolTraits } from "./traits.ts";

/** The answer without what the caller's protocol has no slot for; ids of calls as it takes them. */
export function fitAnswer(response: ChatResponse, traits: ProtocolTraits, losses: LossList): ChatResponse {
  return { ...response, choices: response.choices.map((choice) => fitChoice(choice, traits, losses)) };
}

function fitChoice(choice: Choice, traits: ProtocolTraits, losses: LossList): Choice {
  const parts: AnswerPart[] = [];
  const calls = choice.parts.some((part) => part.kind === "tool-call");
  for (const part of choice.parts.flatMap((each) => fitPart(each, traits, losses))) {
    if (part.kind === "foreign" || part.opaque === undefined) {
      parts.push(part);
      continue;
    }
    const { opaque, ...stateless } = part;
    const place = placeOf(part.kind, calls, traits);
    if (place === "own") {
      parts.push(part);
      continue;
    }
    parts.push(stateless);
    if (place === "beside") parts.push({ kind: "reasoning", text: "", opaque: detached(opaque, part) });
    else losses.field("reasoningState");
  }
  return { ...choice, parts: traits.stateAfterWords ? parts : endInWords(parts, losses) };
}

/** The same for a stream. */
export function fitEvents(traits: ProtocolTraits, losses: LossList): StreamRun<ChatEvent, ChatEvent> {
  const callIds = new Map<number, { readonly id: string; readonly choice: number }>();
  /** Choices of blocks without an id. */
  const choices = new Map<number, number>();
  const statedThoughts = new Set<number>();
  const places = openPlaces(traits);
  let beside = 0;
  /** A thought of its own, under a number that no block of the stream has. */
  const stateBlock = (opaque: Opaque, choice: number, of: string): readonly ChatEvent[] => {
    beside -= 1;
    return [
      { type: "reasoning-start", block: beside, choice },
      { type: "reasoning-end", block: beside, opaque: { ...opaque, of } },
    ];
  };
  const ended = (event: BlockEnd, kind: "text" | "tool-call"): readonly ChatEvent[] => {
    const { opaque, ...stateless } = event;
    const place = opaque === undefined ? "own" : placeOf(kind, true, traits);
    if (opaque === undefined || place === "own") return [event];
    if (place === "none") {
      losses.field("reasoningState");
      return [stateless];
    }
    const call = callIds.get(event.block);
    const choice = call?.choice ?? choices.get(event.block) ?? 0;
    return [stateless, ...stateBlock(opaque, choice, call?.id ?? "")];
  };
  const fitting: StreamRun<ChatEvent, ChatEvent> = {
    step(event) {
      switch (event.type) {
        case "foreign":
          return fitPart(event.part, traits, losses).length === 0 ? [] : [event];
        case "media": {
          const { opaque, ...stateless } = event.part;
          if (fitPart(event.part, traits, losses).length === 0) return [];
          const place = opaque === undefined ? "own" : placeOf("media", true, traits);
          if (opaque === undefined || place === "own") return [event];
          const shown = { ...event, part: stateless };
          if (place === "beside") return [shown, ...stateBlock(opaque, event.choice, OF_MEDIA)];
          losses.field("reasoningState");
          return [shown];
        }
        case "citation":
          return fitCitation(event.citation, traits, losses).length === 0 ? [] : places.step(event);
        case "text-delta":
          return places.step(event);
        case "text-start":
        case "reasoning-start":
          choices.set(event.block, event.choice);
          return places.step(event);
        case "reasoning-end":
          if (event.opaque !== undefined) statedThoughts.add(choices.get(event.block) ?? 0);
          return [event];
        case "finish": {
          const calls = [...callIds.values()].some(({ choice }) => choice === event.choice);
          if (statedThoughts.has(event.choice) && placeOf("reasoning", calls, traits) === "none") {
            losses.field("reasoningState");
          }
          return [event];
        }
        case "tool-call-start": {
          const id = fitCallId(event.id, traits.callIds);
          callIds.set(event.block, { id, choice: event.choice });
          return [{ ...event, id }];
        }
        case "text-end":
          return places.step(event).flatMap((each) => (each === event ? ended(event, "text") : [each]));
        case "tool-call-end":
          return ended(event, "tool-call");
        default:
          return [event];
      }
    },
    end: () => [],
  };
  if (!traits.blocksInTurn) return fitting;
  const inTurn = chainRuns(fitting, blocksInTurn());
  return traits.stateAfterWords ? inTurn : chainRuns(inTurn, eventsEndInWords(losses));
}

type BlockEnd = Extract<ChatEvent, { readonly type: "text-end" | "tool-call-end" }>;

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

/** Where the state of a part stands: in the part, in a thought beside it, or nowhere. */
function placeOf(
  kind: "text" | "media" | "reasoning" | "tool-call",
  calls: boolean,
  { stateSlots }: ProtocolTraits,
): "own" | "beside" | "none" {
  if (stateSlots.includes(kind)) return "own";
  if (kind === "reasoning") return calls && stateSlots.includes("thought-before-call") ? "own" : "none";
  return stateSlots.includes("reasoning") ? "beside" : "none";
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

function detached(opaque: Opaque, part: AnswerPart): Opaque {
  if (part.kind === "media") return { ...opaque, of: OF_MEDIA };
  return { ...opaque, of: part.kind === "tool-call" ? part.id : "" };
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
