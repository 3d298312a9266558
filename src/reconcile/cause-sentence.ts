/** Possible causes of a difference, each with a sentence of its own (`SENTENCES`). */
export const CAUSE_SENTENCES = [
  "currency",
  "nothing_recorded",
  "project",
  "time_zone",
  "duplicate_row",
  "tier",
  "tier_factor",
  "bucket",
  "rounding",
  "price_change",
  "price",
  "price_unstated",
  "not_recorded_here",
  "not_billed",
] as const;
export type CauseSentence = (typeof CAUSE_SENTENCES)[number];

type CauseName = Exclude<CauseSentence, "tier_factor" | "price_unstated">;

export interface Cause {
  readonly name: CauseName;
  /** The sentence in English. */
  readonly text: string;
  /** The parts of the sentence, for other languages. */
  readonly sentence: CauseSentence;
  /** Day, model and bucket; null = the whole export. */
  readonly where: string | null;
  /** Values that the sentence names; the first ones if they form a list. */
  readonly values: readonly string[];
  /** Number of further values of that list. */
  readonly more: number;
}

/** Maximum number of values that a sentence names: buckets, ratios, currencies. */
const MAX_LISTED = 10;

export function causeOf(sentence: CauseSentence, where: string | null, all: readonly string[]): Cause {
  const text = SENTENCES[sentence](all);
  return {
    name: sentence === "tier_factor" ? "tier" : sentence === "price_unstated" ? "price" : sentence,
    text: where === null ? text : `${where}: ${text}`,
    sentence,
    where,
    values: all.slice(0, MAX_LISTED),
    more: Math.max(0, all.length - MAX_LISTED),
  };
}

export function listed(words: readonly string[], separator: string): string {
  const more = words.length - MAX_LISTED;
  const shown = words.slice(0, MAX_LISTED).join(separator);
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The dashboard has the Chinese sentences. */
const SENTENCES: Readonly<Record<CauseSentence, (values: readonly string[]) => string>> = {
  currency: (codes) =>
    `The export has amounts in ${listed(codes, ", ")}, which aren't compared: costs are in USD.`,
  nothing_recorded: () =>
    "No request of the export's days is recorded here, so that nothing was compared. Check the days, the upstreams (--upstream) and the time zone (--zone).",
  project: ([project]) =>
    project === undefined
      ? "The rows without a project agree by themselves; the others belong to other projects."
      : `The rows of ${project} agree by themselves; the others belong to other projects. Compare only this one (--project ${project}).`,
  time_zone: ([zone, compared]) =>
    `The export's days begin at midnight in ${zone}, not ${compared}. Compare in that time zone (--zone ${zone}).`,
  duplicate_row: ([times]) => `the export has the same row ${times} times.`,
  tier: ([tier, billed, recorded]) =>
    `the vendor bills ${billed} tokens at the tier "${tier}"; requests here used ${recorded} at it.`,
  tier_factor: ([ratio]) =>
    `the quantities agree, and every amount is ${ratio} times ours: another tier, or a discount.`,
  bucket: (changes) => `the vendor counts the same tokens in other buckets (${listed(changes, ", ")}).`,
  rounding: () => "the vendor rounds its amounts.",
  price_change: (ratios) =>
    `the quantities agree, at ${listed(ratios, " or ")} times our price; on other days the prices agree.`,
  price: (ratios) => `the quantities agree, at ${listed(ratios, " or ")} times our price.`,
  price_unstated: () => "the amounts differ, and the export states no quantities.",
  not_recorded_here: (changes) =>
    `the vendor bills usage that no request here accounts for (${listed(changes, ", ")}).`,
  not_billed: (changes) => `the vendor doesn't bill all that requests here used (${listed(changes, ", ")}).`,
};

/** Names of the causes for people. */
export const CAUSE_NAMES: Readonly<Record<CauseName, string>> = {
  currency: "Other currency",
  nothing_recorded: "Nothing recorded",
  project: "Other project",
  time_zone: "Time zone",
  duplicate_row: "Duplicate row",
  tier: "Service tier",
  bucket: "Bucket",
  rounding: "Rounding",
  price_change: "Price change",
  price: "Price",
  not_recorded_here: "Not recorded here",
  not_billed: "Not billed",
};
