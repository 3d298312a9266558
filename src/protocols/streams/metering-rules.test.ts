import { describe, expect, it } from "vitest";
import { blankNotes, noteCall, noteFinish, noteIssued } from "./metering-rules.ts";

const long = (at: number): string => `${at} ${"x".repeat(10_000)}`;
const letters = (texts: Iterable<string>): number => [...texts].reduce((sum, text) => sum + text.length, 0);

describe("what is kept of a vendor's own words", () => {
  it("is bounded, however long its ids, queries and finishes are", () => {
    const notes = blankNotes(1);
    for (let at = 0; at < 3_000; at += 1) {
      noteCall(notes, "web_search", long(at));
      noteIssued(notes, "apart", long(at));
      noteIssued(notes, "withResponse", long(at).slice(0, 1_000));
    }
    noteFinish(notes, long(0), 0);
    const { withResponse = [], apart = [] } = notes.issued ?? {};
    expect(letters([...withResponse, ...apart])).toBeLessThan(300_000);
    expect(letters(notes.calls?.get("web_search") ?? [])).toBeLessThan(300_000);
    expect(notes.finish?.length).toBeLessThan(1_025);
  });

  it("still tells long queries apart", () => {
    const notes = blankNotes(1);
    for (const at of [1, 2, 1, 3]) noteCall(notes, "google_search", long(at));
    expect(notes.calls?.get("google_search")?.size).toBe(3);
  });
});
