import { describe, expect, it } from "vitest";
import { openTextSink } from "./output-text.ts";

describe("the text of an answer", () => {
  it("is kept whole while it is short", () => {
    const sink = openTextSink();
    for (const part of ["a", 7, null, "b"]) sink.visible(part);
    sink.reasoning("c");
    expect(sink.text()).toEqual({ visible: "ab", reasoning: "c" });
  });

  it("is bounded however long it grows, and what is not kept is counted", () => {
    const sink = openTextSink();
    for (let part = 0; part < 1_000; part += 1) sink.visible("x".repeat(10_000));
    const { visible, visibleMore = 0 } = sink.text();
    expect(visible.length).toBeLessThanOrEqual(512 * 1024);
    expect(visible.length + visibleMore).toBe(10_000_000);
  });
});
