import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allCells, PAGE, pageWithTables } from "../support/translation-matrix/page.ts";

describe("the table of what translation keeps", () => {
  it("has no place where something is lost and nobody is told", () => {
    const cells = allCells();
    expect(cells.filter(({ cell }) => cell === "silent").map(({ place }) => place)).toEqual([]);
    expect(cells.filter(({ cell }) => cell !== "-").length).toBeGreaterThan(700);
  });

  it("loses nothing between two sides of one protocol but what no vendor takes back", () => {
    const lost = allCells().filter(
      ({ place, cell }) => isOwn(place) && (cell === "dropped" || cell === "400" || cell === "weaker"),
    );
    expect(lost.map(({ place }) => place.replace(/ and .*/, ""))).toEqual(Object.keys(OWN_LOSSES));
  });

  it("stands in docs/translation.md as the codecs have it: `npm run docs:matrix` writes it anew", () => {
    expect(pageWithTables() === readFileSync(PAGE, "utf8")).toBe(true);
  });
});

/** Told by the upstream's protocol being the caller's. */
function isOwn(place: string): boolean {
  const [, client, upstream] = /: (\S+) and (\S+)$/.exec(place) ?? [];
  return client === upstream;
}

/** Each with its reason. */
const OWN_LOSSES: Readonly<Record<string, string>> = {
  "citations of earlier responses: chat-completions": "the vendor's schema takes no annotations in requests",
  "reasoning state, before text only: chat-completions": "the slot of state is a call's",
  "citations of earlier responses: responses": "the assistant's words are one text",
  "reasoning with state of another upstream: responses": "no vendor is shown another's state",
  "failed tool result: responses": "the nearest word is an incomplete result",
  "reasoning with state of another upstream: messages": "no vendor is shown another's state",
  "reasoning without state: messages": "every vendor of messages refuses a thought that it did not sign",
  "reasoning with state of another upstream: generate-content": "no vendor is shown another's state",
};
