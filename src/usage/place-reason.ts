/** Why a request was sent to the place that it was last sent to, as receipts say it. */
export const PLACE_REASONS = [
  /** It is the own place of the request's conversation. */
  "affinity",
  /** The request belongs to no conversation: any place by weight. */
  "first_choice",
  /** The conversation was answered there before, though it is not its own place. */
  "moved",
  /** The request names by an id what is kept there. */
  "pinned",
  /** It has made the state that the request carries. */
  "state",
  /** The own place was full or not well, or has failed the request. */
  "failover",
] as const;

export type PlaceReason = (typeof PLACE_REASONS)[number];

/** Where a request was sent last. */
export interface AskedPlace {
  /** The name of the credential, which is its number where nobody has named it. */
  readonly credential: string;
  readonly reason: PlaceReason;
}
