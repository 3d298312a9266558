import { describe, expect, it } from "vitest";
import { seriesColour } from "./series-colour.ts";

describe("seriesColour", () => {
  it("gives a name one colour, and names that stand in one chart different ones", () => {
    const names = ["text-large", "text-small", "embed-small", "imagegen-2", "videoa-2.0", "videob-3.0-video"];
    expect(new Set(names.map(seriesColour)).size).toBe(names.length);
    expect(seriesColour("text-large")).toBe(seriesColour("text-large"));
  });
});
