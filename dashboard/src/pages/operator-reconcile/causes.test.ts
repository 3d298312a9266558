import { describe, expect, it } from "vitest";
import { CAUSE_SENTENCES, causeOf } from "../../../../src/reconcile/cause-sentence.ts";
import { explanationIn } from "./causes.ts";

const VALUES = ["v-1", "v-2", "v-3"];
const WHERE = "2026-11-28 m-1 input";

describe("what explains a difference", () => {
  it.each(CAUSE_SENTENCES)("is said in both languages, with the same values: %s", (sentence) => {
    const cause = { ...causeOf(sentence, WHERE, VALUES), values: VALUES };
    const [english, chinese] = [explanationIn("en", cause), explanationIn("zh", cause)];
    expect(english).toBe(cause.text);
    expect(chinese.replace(WHERE, "")).toMatch(/^：[\u4e00-\u9fff].*。$/);
    const named = (text: string) => VALUES.filter((value) => text.includes(value));
    expect(named(chinese)).toEqual(named(english));
  });

  it("names the first of many, and how many there are", () => {
    const many = Array.from({ length: 12 }, (_, at) => `+${at} b${at}`);
    const cause = causeOf("bucket", null, many);
    expect(explanationIn("en", { ...cause, values: [...cause.values] })).toContain("+9 b9 and 2 more");
    expect(explanationIn("zh", { ...cause, values: [...cause.values] })).toContain("+9 b9 等 12 项");
  });

  it("names no project where rows have none", () => {
    const cause = { ...causeOf("project", null, []), values: [] };
    expect(explanationIn("en", cause)).not.toContain("undefined");
    expect(explanationIn("zh", cause)).not.toContain("undefined");
  });
});
