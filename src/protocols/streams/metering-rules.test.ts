import { describe, expect, it } from "vitest";
import {
  emptyStreamState,
  finishAtEnd,
  recordCall,
  recordFinish,
  recordId,
  recordIssuedId,
  recordStart,
  recordUnspecifiedFinish,
} from "./metering-rules.ts";

const long = (at: number): string => `${at} ${"x".repeat(10_000)}`;
const letters = (texts: Iterable<string>): number => [...texts].reduce((sum, text) => sum + text.length, 0);

describe("what is kept of a vendor's own words", () => {
  it("is bounded, however long its ids, queries and finishes are", () => {
    const state = emptyStreamState(1);
    for (let at = 0; at < 3_000; at += 1) {
      recordCall(state, "web_search", long(at));
      recordIssuedId(state, "separately", long(at));
      recordIssuedId(state, "withResponse", long(at).slice(0, 1_000));
    }
    recordFinish(state, long(0), 0);
    const { withResponse = [], separately = [] } = state.issued ?? {};
    expect(letters([...withResponse, ...separately])).toBeLessThan(300_000);
    expect(letters(state.calls?.get("web_search") ?? [])).toBeLessThan(300_000);
    expect(state.finish?.length).toBeLessThan(1_025);
  });

  it("still tells long queries apart", () => {
    const state = emptyStreamState(1);
    for (const at of [1, 2, 1, 3]) recordCall(state, "google_search", long(at));
    expect(state.calls?.get("google_search")?.size).toBe(3);
  });
});

describe("what is kept of a vendor's response", () => {
  it("is no id that is longer than any vendor's, and the first of the others", () => {
    const state = emptyStreamState(1);
    for (const id of ["x".repeat(1_000_000), "", 7, "resp_1", "resp_2"]) recordId(state, id);
    expect(state.id).toBe("resp_1");
  });

  it("are no more indexes than responses were asked for, whatever the vendor states", () => {
    const state = emptyStreamState(3);
    for (let index = 0; index < 100_000; index += 1) {
      recordStart(state, index);
      recordUnspecifiedFinish(state, index);
      recordFinish(state, "stop", index);
    }
    const { begunResponses, unspecifiedFinishes, finishedResponses } = state;
    for (const { size } of [begunResponses, unspecifiedFinishes, finishedResponses]) expect(size).toBe(3);
    expect(state.finished).toBe(true);
  });

  it("tells at the end of a stream that fewer responses came than were asked for, each with its finish", () => {
    const state = emptyStreamState(3);
    for (const index of [0, 1]) {
      recordStart(state, index);
      recordFinish(state, "stop", index);
    }
    expect(state.finished).toBe(false);
    finishAtEnd(state);
    expect(state.finished).toBe(true);
  });
});
