/** Bytes of a prompt by how many tokens they may have: in plain text several make one, in dense text each may be one. */
export interface PromptBytes {
  readonly plain: number;
  readonly dense: number;
}

/** Tokens per byte of each class. */
export type TokenRates = PromptBytes;

/** What is known of a request's tokens before it is sent. */
export interface TokenEstimate {
  /** Our id. */
  readonly model: string;
  readonly bytes: PromptBytes;
  /** Input beside the text. */
  readonly imageTokens: number;
  /** The most input that the model reads; undefined = unknown. */
  readonly inputLimit: number | undefined;
  /** The longest response that the request allows; undefined = it says nothing, 0 = it makes no text. */
  readonly outputLimit: number | undefined;
  /** How many responses it asks for. */
  readonly responses: number;
}

/** What responses to the key have shown so far. */
export interface Learnt {
  readonly rates: TokenRates;
  /** Tokens of one response; undefined = none was seen yet. */
  readonly output: number | undefined;
}

/** Short answers so far are no reason to expect none. */
const LEAST_OUTPUT = 256;
/** Answers vary: half as long again as usual is common. */
const ABOVE_LEARNT = 1.5;
/** Callers state limits far above what they get; nobody's requests wait for each other because of it. */
const MAX_OUTPUT = 4_096;

/**
 * Tokens to take ahead for one request: its input, and the output that answers to this key usually have, within
 * what the request allows. Where nothing is learnt yet the request's own limit is believed. At most half of the key's limit,
 * so that two requests can always run at once.
 */
export function tokensToReserve(estimate: TokenEstimate, learnt: Learnt, limit: number): number {
  const { outputLimit, responses } = estimate;
  const usual =
    learnt.output === undefined ? MAX_OUTPUT : Math.max(LEAST_OUTPUT, learnt.output * ABOVE_LEARNT);
  const output = Math.min(outputLimit ?? MAX_OUTPUT, usual, MAX_OUTPUT) * Math.max(1, responses);
  return Math.max(1, Math.floor(Math.min(inputTokens(estimate, learnt.rates) + output, limit / 2)));
}

/** An estimate, no bound. */
function inputTokens({ bytes, imageTokens, inputLimit }: TokenEstimate, rates: TokenRates): number {
  const tokens = Math.ceil(bytes.plain * rates.plain + bytes.dense * rates.dense) + imageTokens;
  return Math.min(tokens, inputLimit ?? tokens);
}
