import { describe, expect, it } from "vitest";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import { readRecordings } from "../support/recordings.ts";
import { askUnknown } from "../support/unknown-fields.ts";

/** Longer recordings say nothing more and take most of the time. */
const MAX_LETTERS = 20_000;

const recordings = readRecordings();

describe("a field that nobody knows, in any object of a recorded request", () => {
  it.each(CHAT_PROTOCOLS)("is told as lost, or refused, on the way from %s", (from) => {
    const requests = recordings
      .filter(({ protocol }) => protocol === from)
      .flatMap(({ request }): readonly object[] => (request === undefined ? [] : [request]))
      .filter((request) => JSON.stringify(request).length < MAX_LETTERS);
    const { asked, silent } = askUnknown(from, requests);
    expect(silent).toEqual([]);
    expect(asked).toBeGreaterThan(1_000);
  });
});
