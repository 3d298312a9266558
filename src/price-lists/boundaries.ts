/** Where a vendor's price for long input begins, and how lists write it. */
export interface Boundary {
  /** The bundled list's name of the vendor. */
  readonly vendor: string;
  /** Numbers that lists have for it. */
  readonly listed: readonly number[];
  /** Input of more tokens than this costs the higher price. */
  readonly above: number;
  /** What the vendor says, and where; undefined = it says nothing, so that the list's number stays. */
  readonly source: string | undefined;
}

/**
 * Boundaries on which lists disagree by one token, or which are no round number. Vendors write "272K" and mean either that
 * a prompt of 272,000 tokens is still short or that it is long already; lists turn that into a number each in its own way.
 * A test holds the bundled list to this table.
 */
export const BOUNDARIES: readonly Boundary[] = [
  {
    vendor: "openai",
    listed: [271_999, 272_000],
    above: 272_000,
    // "prompts with >272K input tokens"
    source: "https://developers.openai.com/api/docs/models/gpt-5.4",
  },
  // Bedrock's price list names no number of tokens that could be found.
  { vendor: "aws", listed: [271_999], above: 271_999, source: undefined },
  {
    vendor: "x-ai",
    listed: [199_999, 200_000],
    above: 199_999,
    // "Requests whose prompt reaches 200k tokens"
    source: "https://docs.x.ai/developers/models/grok-4.20-0309.md",
  },
  {
    vendor: "x-ai",
    listed: [127_999, 128_000],
    above: 127_999,
    // The same sentence of the vendor's, for models with another number.
    source: "https://docs.x.ai/docs/models",
  },
];

/** The boundary that a list means: the reviewed one, else its own. */
export function boundaryOf(vendor: string, listed: number): number {
  return BOUNDARIES.find((row) => row.vendor === vendor && row.listed.includes(listed))?.above ?? listed;
}
