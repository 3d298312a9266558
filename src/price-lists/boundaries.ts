/** The input size at which a vendor's price for long input begins, and how lists write it. */
export interface Boundary {
  /** The vendor's name in the bundled list. */
  readonly vendor: string;
  /** Numbers that lists have for this boundary. */
  readonly listed: readonly number[];
  /** Input of more tokens than this costs the higher price. */
  readonly above: number;
  /** The vendor's page that states it; undefined = there is none, so the list's number is kept. */
  readonly source: string | undefined;
}

/**
 * Boundaries that are not round numbers, or on which lists differ by one token. Vendors write "272K", and either the
 * price for short or the one for long input applies to a prompt of exactly 272,000 tokens. Lists convert that to a
 * number in different ways. A test holds the bundled list to this table.
 */
export const BOUNDARIES: readonly Boundary[] = [
  {
    vendor: "openai",
    listed: [271_999, 272_000],
    above: 272_000,
    // "prompts with >272K input tokens"
    source: "https://developers.openai.com/api/docs/models/gpt-5.4",
  },
  // We found no number of tokens in Bedrock's price list.
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
    // The vendor's sentence is the same for models with another number.
    source: "https://docs.x.ai/docs/models",
  },
];

/** Returns the boundary that a list means: the reviewed one, otherwise the list's own. */
export function boundaryOf(vendor: string, listed: number): number {
  return BOUNDARIES.find((row) => row.vendor === vendor && row.listed.includes(listed))?.above ?? listed;
}
