import fc from "fast-check";
import { expect, it } from "vitest";
import { verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { type WrittenResponse, writtenResponse } from "../support/written-response.ts";

/** The protocols whose responses number their choices, and the field that holds them. */
const NUMBERED: Partial<Record<TextProtocol, string>> = {
  "chat-completions": "choices",
  "generate-content": "candidates",
};

const PAIRS = Object.keys(NUMBERED).flatMap((upstream) =>
  TEXT_PROTOCOLS.filter((client) => client !== upstream).map((client) => [upstream as TextProtocol, client]),
) as readonly (readonly [TextProtocol, TextProtocol])[];

const responses: fc.Arbitrary<WrittenResponse> = fc.record({
  text: fc.constantFrom("Hello there.", "é"),
  end: fc.constantFrom("stop", "length", "declined"),
  output: fc.constantFrom(undefined, 3),
});

/** `undefined`: the vendor leaves the number out. */
const indexes = fc.oneof(fc.constantFrom(undefined, 1, 7, 128), fc.nat());

it.each(PAIRS)(
  "gives the only choice of %s to a caller of %s whatever its index (rule 41)",
  async (upstream, client) => {
    const first = `"${NUMBERED[upstream]}":[{"index":0,`;
    await fc.assert(
      fc.asyncProperty(responses, indexes, async (response, index) => {
        const numbered = first.replace('"index":0,', index === undefined ? "" : `"index":${index},`);
        for (const streamed of [false, true]) {
          for (const framing of ["plain", "events"] as const) {
            const told = writtenResponse(upstream, response)[framing];
            expect(told).toContain(first);
            const [wanted, got] = await Promise.all(
              [told, told.replaceAll(first, numbered)].map((text) =>
                verdictOf({ client, upstream, streamed, pieces: [text] }),
              ),
            );
            const where = JSON.stringify({ streamed, framing, index });
            expect(withoutTime(wanted?.told), where).toContain(JSON.stringify(response.text).slice(1, -1));
            expect(withoutTime(got?.told), where).toBe(withoutTime(wanted?.told));
            expect(got?.outcome?.usage, where).toEqual(wanted?.outcome?.usage);
          }
        }
      }),
      { numRuns: 20 },
    );
  },
);

/** Answers name the second in which they are written. */
function withoutTime(told = ""): string {
  return told.replace(/"(created|created_at|completed_at|createTime)":("[^"]*"|\d+)/g, "");
}
