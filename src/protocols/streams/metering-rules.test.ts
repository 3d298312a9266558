import { describe, expect, it } from "vitest";
import {
  emptyStreamState,
  finishAtEnd,
  noteBegun,
  noteCall,
  noteFinish,
  noteId,
  noteIssued,
  noteUnspecifiedFinish,
} from "./metering-rules.ts";

const long = (at: number): string => `${at} ${"x".repeat(10_000)}`;
const letters = (texts: Iterable<string>): number => [...texts].reduce((sum, text) => sum + text.length, 0);

describe("what is kept of a vendor's own words", () => {
  it("is bounded, however long its ids, queries and finishes are", () => {
    const notes = emptyStreamState(1);
    for (let at = 0; at < 3_000; at += 1) {
      noteCall(notes, "web_search", long(at));
      noteIssued(notes, "separately", long(at));
      noteIssued(notes, "withResponse", long(at).slice(0, 1_000));
    }
    noteFinish(notes, long(0), 0);
    const { withResponse = [], separately = [] } = notes.issued ?? {};
    expect(letters([...withResponse, ...separately])).toBeLessThan(300_000);
    expect(letters(notes.calls?.get("web_search") ?? [])).toBeLessThan(300_000);
    expect(notes.finish?.length).toBeLessThan(1_025);
  });

  it("still tells long queries apart", () => {
    const notes = emptyStreamState(1);
    for (const at of [1, 2, 1, 3]) noteCall(notes, "google_search", long(at));
    expect(notes.calls?.get("google_search")?.size).toBe(3);
  });
});

describe("what is kept of a vendor's response", () => {
  it("is no id that is longer than any vendor's, and the first of the others", () => {
    const notes = emptyStreamState(1);
    for (const id of ["x".repeat(1_000_000), "", 7, "resp_1", "resp_2"]) noteId(notes, id);
    expect(notes.id).toBe("resp_1");
  });

  it("are no more indexes than responses were asked for, whatever the vendor states", () => {
    const notes = emptyStreamState(3);
    for (let index = 0; index < 100_000; index += 1) {
      noteBegun(notes, index);
      noteUnspecifiedFinish(notes, index);
      noteFinish(notes, "stop", index);
    }
    const { begunResponses, unspecifiedFinishes, finishedResponses } = notes;
    for (const { size } of [begunResponses, unspecifiedFinishes, finishedResponses]) expect(size).toBe(3);
    expect(notes.finished).toBe(true);
  });

  it("tells at the end of a stream that fewer responses came than were asked for, each with its finish", () => {
    const notes = emptyStreamState(3);
    for (const index of [0, 1]) {
      noteBegun(notes, index);
      noteFinish(notes, "stop", index);
    }
    expect(notes.finished).toBe(false);
    finishAtEnd(notes);
    expect(notes.finished).toBe(true);
  });
});
