import { describe, expect, it } from "vitest";
import { openLosses } from "./loss.ts";

describe("losses", () => {
  it("are told once, however many parts they happened to, and by each reason", () => {
    const losses = openLosses({ topK: "top_k" });
    for (let at = 0; at < 1_000; at += 1) losses.at(`messages[${at}].content[${at % 3}].weight`);
    losses.field("topK");
    losses.field("topK");
    losses.field("topK", "model-refuses");
    expect(losses.list()).toEqual([
      { path: "messages[].content[].weight", reason: "no-slot" },
      { path: "top_k", reason: "no-slot" },
      { path: "top_k", reason: "model-refuses" },
    ]);
  });

  it("stay few and short, whatever names a caller invents", () => {
    const losses = openLosses({});
    for (let at = 0; at < 1_000; at += 1) losses.at(`x${at}${"y".repeat(10_000)}`);
    expect(losses.list().length).toBe(101);
    expect(losses.list().at(-1)).toEqual({ path: "...", reason: "no-slot" });
    expect(Math.max(...losses.list().map(({ path }) => path.length))).toBe(200);
  });

  it("name the very part that is refused", () => {
    expect(() => openLosses({}).refuseAt("messages[3].content[1]", "No.")).toThrow(
      expect.objectContaining({ path: "messages[3].content[1]" }),
    );
  });
});
