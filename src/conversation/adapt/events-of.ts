import type { ChatEvent } from "../event.ts";
import type { ChatResponse, ResponsePart } from "../response.ts";

/** The letters of one text as its deltas bring them. */
type Pieces = (text: string) => readonly string[];

/** The stream that a plain response amounts to; `collectEvents` undoes it. By default each text comes in one piece. */
export function eventsOf(response: ChatResponse, pieces: Pieces = inOnePiece): readonly ChatEvent[] {
  const { choices, usage, ...head } = response;
  const events: ChatEvent[] = [{ type: "response-start", ...head }];
  let block = 0;
  choices.forEach((choice, index) => {
    for (const part of choice.parts) {
      for (const event of eventsOfPart(part, block, index, pieces)) events.push(event);
      block += 1;
    }
  });
  if (usage !== undefined) events.push({ type: "usage", usage });
  choices.forEach(({ finish }, choice) => {
    events.push({ type: "finish", choice, finish });
  });
  return events;
}

function eventsOfPart(
  part: ResponsePart,
  block: number,
  choice: number,
  pieces: Pieces,
): readonly ChatEvent[] {
  switch (part.kind) {
    case "media":
      return [{ type: "media", block, choice, part }];
    case "foreign":
      return [{ type: "foreign", block, choice, part }];
    case "text": {
      const { refusal, citations = [], opaque: state } = part;
      return [
        { type: "text-start", block, choice, refusal },
        ...pieces(part.text).map((piece) => ({ type: "text-delta", block, text: piece }) as const),
        ...citations.map((citation) => ({ type: "citation", block, citation }) as const),
        { type: "text-end", block, opaque: state },
      ];
    }
    case "reasoning":
      return [
        { type: "reasoning-start", block, choice },
        ...pieces(part.text).map((piece) => ({ type: "reasoning-delta", block, text: piece }) as const),
        {
          type: "reasoning-end",
          block,
          redacted: part.redacted,
          opaque: part.opaque,
        },
      ];
    case "tool-call": {
      const { kind: _, arguments: all, opaque: state, cache: __, defect, ...call } = part;
      return [
        { type: "tool-call-start", block, choice, ...call, opaque: state },
        ...pieces(all).map((piece) => ({ type: "tool-call-delta", block, arguments: piece }) as const),
        { type: "tool-call-end", block, defect: defect ? defect : undefined },
      ];
    }
  }
}

function inOnePiece(text: string): readonly string[] {
  return text === "" ? [] : [text];
}
