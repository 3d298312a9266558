import { appendAll } from "../../base/append-all.ts";
import type { ChatEvent } from "../event.ts";
import type { ResponsePart } from "../response.ts";
import type { StreamRun } from "./stream-transform.ts";

/**
 * Thoughts that a server left in the text, in `<think>` tags at the response's beginning, as thoughts. Anywhere else the
 * tags are words: a response may speak of them.
 */
export function splitThinkTags(parts: readonly ResponsePart[]): readonly ResponsePart[] {
  const [first, ...rest] = parts;
  if (first?.kind !== "text" || first.refusal === true) return parts;
  const opened = first.text.trimStart();
  if (!opened.startsWith(OPEN)) return parts;
  const end = opened.indexOf(CLOSE);
  const reasoning = (end === -1 ? opened.slice(OPEN.length) : opened.slice(OPEN.length, end)).trim();
  const text = end === -1 ? "" : opened.slice(end + CLOSE.length).trimStart();
  const cut = first.text.length - text.length;
  const citations = first.citations?.map((citation) => ({
    ...citation,
    start: citation.start === undefined ? undefined : Math.max(0, citation.start - cut),
    end: citation.end === undefined ? undefined : Math.max(0, citation.end - cut),
  }));
  const said = { ...first, text, citations };
  return [
    ...(reasoning === "" ? [] : [{ kind: "reasoning", text: reasoning } as const]),
    ...(text === "" && first.opaque === undefined ? [] : [said]),
    ...rest,
  ];
}

/** The same for a stream, with the tags cut anywhere. */
export function splitThinkTagEvents(): StreamRun<ChatEvent, ChatEvent> {
  /** The text that a choice began with, while it is not known what it is, or is a thought. */
  const opening = new Map<number, Opening>();
  const begun = new Set<number>();

  function start(event: Extract<ChatEvent, { type: "text-start" }>): readonly ChatEvent[] {
    if (begun.has(event.choice) || event.refusal === true) return begin(event.choice, event);
    begun.add(event.choice);
    opening.set(event.block, { phase: "unknown", start: event, held: "", read: 0 });
    return [];
  }

  function begin(choice: number, event: ChatEvent): readonly ChatEvent[] {
    begun.add(choice);
    return [event];
  }

  return {
    step(event) {
      switch (event.type) {
        case "text-start":
          return start(event);
        case "text-delta": {
          const text = opening.get(event.block);
          return text === undefined ? [event] : grow(text, event.text);
        }
        case "text-end": {
          const text = opening.get(event.block);
          if (text === undefined) return [event];
          opening.delete(event.block);
          const last = ending(text);
          const isTold = text.phase === "told" || last.some(({ type }) => type === "text-start");
          if (isTold) return [...last, event];
          return event.opaque === undefined ? last : [...last, text.start, event];
        }
        case "citation": {
          const text = opening.get(event.block);
          if (text?.phase !== "told") return text === undefined ? [event] : [];
          const { start: from, end: to } = event.citation;
          const start = from === undefined ? {} : { start: Math.max(0, from - text.read) };
          const end = to === undefined ? {} : { end: Math.max(0, to - text.read) };
          return [{ ...event, citation: { ...event.citation, ...start, ...end } }];
        }
        case "reasoning-start":
        case "tool-call-start":
        case "media":
        case "foreign":
          return begin(event.choice, event);
        default:
          return [event];
      }
    },
    end: () => [],
  };
}

interface Opening {
  /** `unknown`: no tag yet; `behind`: the tag has closed, no word yet; `told`: words that pass as they come. */
  phase: "unknown" | "thought" | "behind" | "told";
  readonly start: Extract<ChatEvent, { type: "text-start" }>;
  /** True if a thought has begun is known by its first word. */
  thinks?: true | undefined;
  held: string;
  /** Letters that are no words of the response. */
  read: number;
}

function grow(text: Opening, piece: string): readonly ChatEvent[] {
  if (text.phase === "told") return delta(text, piece);
  text.held += piece;
  const out: ChatEvent[] = [];
  if (text.phase === "unknown") {
    const words = text.held.trimStart();
    if (words.length < OPEN.length && OPEN.startsWith(words) && text.held.length < MAX_HELD) return [];
    if (!words.startsWith(OPEN)) return emitHeld(text);
    text.phase = "thought";
    take(text, text.held.length - words.length + OPEN.length);
  }
  if (text.phase === "thought") {
    const end = text.held.indexOf(CLOSE);
    const held = end === -1 ? (HELD_BACK.exec(text.held.slice(-MAX_HELD))?.[0].length ?? 0) : 0;
    const stop = end === -1 ? text.held.length - held : end;
    const reasoning = text.held.slice(0, stop);
    appendAll(out, think(text, end === -1 ? reasoning : reasoning.trimEnd()));
    take(text, end === -1 ? stop : end + CLOSE.length);
    if (end === -1) return out;
    appendAll(out, endReasoning(text));
    text.phase = "behind";
  }
  const blank = text.held.length - text.held.trimStart().length;
  take(text, blank);
  return text.held === "" ? out : [...out, ...emitHeld(text)];
}

/** The events for the rest of the text at its end. */
function ending(text: Opening): readonly ChatEvent[] {
  if (text.phase === "unknown") return emitHeld(text);
  if (text.phase !== "thought") return [];
  return [...think(text, text.held.trimEnd()), ...endReasoning(text)];
}

function take(text: Opening, letters: number): void {
  text.held = text.held.slice(letters);
  text.read += letters;
}

function emitHeld(text: Opening): readonly ChatEvent[] {
  const { held } = text;
  text.phase = "told";
  text.held = "";
  return [text.start, ...delta(text, held)];
}

function delta({ start: { block } }: Opening, piece: string): readonly ChatEvent[] {
  return piece === "" ? [] : [{ type: "text-delta", block, text: piece }];
}

function think(text: Opening, piece: string): readonly ChatEvent[] {
  const { choice } = text.start;
  const words = text.thinks ? piece : piece.trimStart();
  if (words === "") return [];
  const block = reasoningOf(text);
  const reasoningDelta: ChatEvent = { type: "reasoning-delta", block, text: words };
  if (text.thinks) return [reasoningDelta];
  text.thinks = true;
  return [{ type: "reasoning-start", block, choice }, reasoningDelta];
}

function endReasoning(text: Opening): readonly ChatEvent[] {
  return text.thinks ? [{ type: "reasoning-end", block: reasoningOf(text) }] : [];
}

/** Between the text's number and the next, where no block of the stream is. */
function reasoningOf({ start }: Opening): number {
  return start.block + 0.5;
}

const OPEN = "<think>";
const CLOSE = "</think>";

/** Text that may be the space before the end of reasoning, or the beginning of its tag. */
const HELD_BACK = /\s*(?:<(?:\/(?:t(?:h(?:i(?:n(?:k)?)?)?)?)?)?)?$/;

/** No more space than this is held back, so that a stream of nothing else costs no memory. */
const MAX_HELD = 256;
