import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openFrameReader } from "../../src/protocols/streams/stream-frames.ts";
import { casesOf } from "../support/cases.ts";
import { chargeOfVerdict, type Verdict, verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { writtenResponse } from "../support/written-response.ts";

/** As the standard lets lines end. */
const LINE_ENDS: Readonly<Record<string, string>> = { LF: "\n", CRLF: "\r\n", CR: "\r" };

/** Told to callers as they come, for each protocol's own clients raise them. */
const ERRORS: Readonly<Record<TextProtocol, string>> = {
  "chat-completions": 'data: {"error":{"message":"Sorry.","code":503}}\n\n',
  responses: 'data: {"type":"error","message":"Sorry.","code":"server_error"}\n\n',
  messages: 'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Sorry."}}\n\n',
  "generate-content": 'data: {"error":{"code":503,"message":"Sorry.","status":"UNAVAILABLE"}}\n\n',
};

const TEXT = "Hello there, how are you today?";

const ENDS = ["finish", "error", "error with more behind it", "break", "caller's abort"] as const;
type End = (typeof ENDS)[number];

/** The frames of a stream up to such an end. */
function framesUpTo(protocol: TextProtocol, end: End, output?: number): readonly string[] {
  const { events } = writtenResponse(protocol, { text: TEXT, end: "stop", output });
  if (end === "finish") return events.split(/(?<=\n\n)/);
  const begun = events.slice(0, events.indexOf("\n\n", events.indexOf(TEXT)) + 2).split(/(?<=\n\n)/);
  if (end === "error") return [...begun, ERRORS[protocol]];
  if (end === "error with more behind it") return [...begun, ERRORS[protocol], begun.at(-1) ?? ""];
  return begun;
}

/** The stream with its lines ended so, cut at these places. */
function cut(frames: readonly string[], lineEnd: string, places: readonly number[]): readonly string[] {
  const stream = frames.join("").replaceAll("\n", lineEnd);
  const at = [...new Set([0, ...places.map((place) => place % stream.length), stream.length])];
  at.sort((one, other) => one - other);
  return at.slice(1).map((to, index) => stream.slice(at[index], to));
}

/** In and around the ends of frames, where half of a line end may come. */
function placesAt(frames: readonly string[], lineEnd: string): readonly number[] {
  const { length } = frames.join("").replaceAll("\n", lineEnd);
  let end = 0;
  return frames.flatMap((frame) => {
    end += frame.replaceAll("\n", lineEnd).length;
    return [-5, -4, -3, -2, -1, 0, 1].map((by) => end + by).filter((place) => place < length);
  });
}

/** The events that a caller reads: what stands in the last frame, if that is not closed, is none of them. */
function eventsIn(told: string): readonly string[] {
  const events = openFrameReader().write(Buffer.from(`${told}: end`));
  return events.map(({ data }) => data.replace(/\(request id: [^)]*\)|"created":\d+/g, ""));
}

const forwarded = (protocol: TextProtocol, end: End, pieces: readonly string[]): Promise<Verdict> =>
  verdictOf({
    client: protocol,
    upstream: protocol,
    streamed: true,
    pieces,
    leaves: end === "caller's abort",
  });

describe.each(TEXT_PROTOCOLS)("a forwarded stream of %s", (protocol) => {
  it.each(ENDS.filter((end) => end !== "caller's abort"))(
    "tells the same events up to its %s, however its lines end and wherever it is cut",
    async (end) => {
      const frames = framesUpTo(protocol, end);
      const expected = await forwarded(protocol, end, frames);
      const events = eventsIn(expected.told);
      const check = async (name: string, places: readonly number[]): Promise<void> => {
        const pieces = cut(frames, LINE_ENDS[name] ?? "", places);
        const verdict = await forwarded(protocol, end, pieces);
        // Nothing was told yet: another may answer.
        if (verdict.next && verdict.told === "") return;
        const where = JSON.stringify(pieces);
        expect(eventsIn(verdict.told), where).toEqual(events);
        expect(chargeOfVerdict(verdict), where).toEqual(chargeOfVerdict(expected));
      };
      for (const [name, lineEnd] of Object.entries(LINE_ENDS)) {
        for (const place of placesAt(frames, lineEnd)) await check(name, [place]);
      }
      const cuts = fc.array(fc.nat(), { maxLength: 8 });
      await fc.assert(fc.asyncProperty(fc.constantFrom(...Object.keys(LINE_ENDS)), cuts, check), {
        numRuns: casesOf(300),
      });
    },
  );

  it("is charged for the events that its caller was told, where that leaves, however its lines end and wherever it is cut", async () => {
    const frames = framesUpTo(protocol, "caller's abort");
    const charges = await Promise.all(
      frames.map(async (_, at) => {
        const verdict = await forwarded(protocol, "caller's abort", frames.slice(0, at + 1));
        return [eventsIn(verdict.told).length, chargeOfVerdict(verdict)] as const;
      }),
    );
    const byEvents = new Map(charges);
    for (const lineEnd of Object.values(LINE_ENDS)) {
      for (const place of placesAt(frames, lineEnd)) {
        const pieces = cut(frames, lineEnd, [place]);
        for (const heard of [pieces.slice(0, 1), pieces]) {
          const verdict = await forwarded(protocol, "caller's abort", heard);
          const told = eventsIn(verdict.told).length;
          if (told === 0) continue;
          expect(chargeOfVerdict(verdict), JSON.stringify(heard)).toEqual(byEvents.get(told));
        }
      }
    }
  });
});
