/** What is known of a request's tokens before it is sent. */
export interface TokenEstimate {
  /** Our id. */
  readonly model: string;
  /** An estimate, no bound. */
  readonly input: number;
  /** The longest response that the request allows; undefined = it says nothing, 0 = it makes no text. */
  readonly outputLimit: number | undefined;
  /** How many responses it asks for. */
  readonly responses: number;
}

/** Short answers so far are no reason to expect none. */
const LEAST_OUTPUT = 256;
/** Answers vary: half as long again as usual is common. */
const ABOVE_LEARNT = 1.5;
/** Callers state limits far above what they get; nobody's requests wait for each other because of it. */
const MAX_OUTPUT = 4_096;

/**
 * Tokens to take ahead for one request: its input, and the output that answers to this key usually have (`learnt`), within
 * what the request allows. Where nothing is learnt yet the request's own limit is believed. At most half of the key's limit,
 * so that two requests can always run at once.
 */
export function tokensToReserve(
  { input, outputLimit, responses }: TokenEstimate,
  learnt: number | undefined,
  limit: number,
): number {
  const usual = learnt === undefined ? MAX_OUTPUT : Math.max(LEAST_OUTPUT, learnt * ABOVE_LEARNT);
  const output = Math.min(outputLimit ?? MAX_OUTPUT, usual, MAX_OUTPUT) * Math.max(1, responses);
  return Math.max(1, Math.floor(Math.min(input + output, limit / 2)));
}
