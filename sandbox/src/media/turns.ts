import type { Scenario } from "../scenario.ts";

/**
 * The responses in turn before the truth, in the form `polls="QUEUED,503*2,garbage,PAUSED"`: a word is a status, a
 * number an HTTP error, and some words are faults.
 */
export type Turn =
  | { type: "status"; word: string }
  | { type: "fault"; scenario: Scenario }
  /** 200 with something that is not JSON, or JSON without any field that is known. */
  | { type: "nonsense"; body: string }
  /** The task counts as unknown. */
  | { type: "unknown" };

const FAULTS: Readonly<Record<string, Turn>> = {
  garbage: { type: "nonsense", body: "<!-- not what was asked for" },
  empty: { type: "nonsense", body: "{}" },
  html: { type: "fault", scenario: { html: true } },
  cut: { type: "fault", scenario: { cut: 0 } },
  half: { type: "fault", scenario: { cut: 1 } },
  reset: { type: "fault", scenario: { reset: true } },
  stall: { type: "fault", scenario: { stall: 0 } },
  unknown: { type: "unknown" },
};

/** A list such as `503*1000000` must not be written out. */
const MAX_REPEATS = 1_000_000;

/** The turn of the `asked`th question, counted from 1; undefined once the list is used up. */
export function turnAt(list: string | undefined, asked: number): Turn | undefined {
  if (list === undefined) return undefined;
  let passed = 0;
  for (const item of list.split(",")) {
    const [, word = "", repeats = "1"] = /^\s*(.*?)(?:\*(\d+))?\s*$/.exec(item) ?? [];
    passed += Math.min(Number(repeats), MAX_REPEATS);
    if (asked <= passed) return turnOf(word);
  }
  return undefined;
}

function turnOf(word: string): Turn | undefined {
  if (word === "") return undefined;
  if (/^[45]\d\d$/.test(word)) return { type: "fault", scenario: { error: Number(word) } };
  return FAULTS[word] ?? { type: "status", word };
}
