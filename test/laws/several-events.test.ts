import fc from "fast-check";
import { expect, it } from "vitest";
import { casesOf } from "../support/cases.ts";
import { chargeOfVerdict, verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { writtenResponse } from "../support/written-response.ts";

const streams = fc.record({
  upstream: fc.constantFrom(...TEXT_PROTOCOLS),
  client: fc.constantFrom(...TEXT_PROTOCOLS),
  text: fc.constantFrom("Hello there, how are you today?", "Hi."),
  end: fc.constantFrom("stop" as const, "length" as const, "declined" as const),
  output: fc.constantFrom(undefined, 0, 3),
  /** How many events stand in each list, one after the other. */
  sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  /** So many of them come; 0 = all. */
  heard: fc.nat({ max: 5 }),
  leaves: fc.boolean(),
});

/** The events in lists of these sizes, each the data of one event; a list of one is no list, and `[DONE]` is never in one. */
function inLists(data: readonly string[], sizes: readonly number[]): readonly string[] {
  const written: string[] = [];
  for (let at = 0, turn = 0; at < data.length; turn += 1) {
    const list = data.slice(at, at + (sizes[turn % sizes.length] ?? 1)).filter((each) => each !== "[DONE]");
    written.push(list.length > 1 ? `[${list.join(",")}]` : (list[0] ?? "[DONE]"));
    at += Math.max(1, list.length);
  }
  return written;
}

const frames = (data: readonly string[]): readonly string[] => data.map((each) => `data: ${each}\n\n`);

/** What callers are told, without when. */
const untimed = (told: string): string => told.replace(/"(created|created_at|completed_at)":\d+/g, '"$1":0');

it("is judged, charged and translated alike where several events stand in a list, which is the data of one", async () => {
  await fc.assert(
    fc.asyncProperty(streams, async ({ upstream, client, sizes, heard, leaves, ...response }) => {
      const { events } = writtenResponse(upstream, response);
      const all = events.split("\n\n").flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? []);
      const data = heard === 0 ? all : all.slice(0, heard);
      const answer = { client, upstream, streamed: true, leaves };
      const alone = await verdictOf({ ...answer, pieces: frames(data) });
      const listed = await verdictOf({ ...answer, pieces: frames(inLists(data, sizes)) });
      const where = JSON.stringify([client, inLists(data, sizes)]);
      expect(chargeOfVerdict(listed), where).toEqual(chargeOfVerdict(alone));
      // An end is held back until it is certain.
      if (client !== upstream && !leaves) expect(untimed(listed.told), where).toBe(untimed(alone.told));
    }),
    { numRuns: casesOf(1_000) },
  );
});
