/** Bytes of a prompt by class: plain text has several bytes per token, dense text may have one. */
export interface PromptBytes {
  readonly plain: number;
  readonly dense: number;
}

/** Tokens per byte of each class. */
export type TokenRates = PromptBytes;

/** Facts about a request's tokens that are known before it is sent. */
export interface TokenEstimate {
  /** The gateway's model id. */
  readonly model: string;
  readonly bytes: PromptBytes;
  /** Input tokens beside those of text. */
  readonly imageTokens: number;
  /** Maximum input of the model; undefined = unknown. */
  readonly inputLimit: number | undefined;
  /** Maximum output that the request allows; undefined = not stated, 0 = it generates no text. */
  readonly outputLimit: number | undefined;
  /** Number of responses that it asks for. */
  readonly responses: number;
}

/** Rates learnt from earlier responses to the key. */
export interface Learnt {
  readonly rates: TokenRates;
  /** Output tokens of one response; undefined = none was observed yet. */
  readonly output: number | undefined;
}

/** A key whose responses have been short may still get a longer one. */
const LEAST_OUTPUT = 256;
/** Responses half as long again as usual are common. */
const ABOVE_LEARNT = 1.5;
/**
 * Callers state limits far above what they get. Without this bound their requests would wait for each other needlessly.
 */
const MAX_OUTPUT = 4_096;

/**
 * Returns the tokens to take in advance for a request: its input, and the usual output of this key within what the
 * request allows. Without earlier responses, the request's own limit counts. The result is at most half of the key's
 * limit, so that two requests can always run at once.
 */
export function tokensToReserve(estimate: TokenEstimate, learnt: Learnt, limit: number): number {
  const { outputLimit, responses } = estimate;
  const usual =
    learnt.output === undefined ? MAX_OUTPUT : Math.max(LEAST_OUTPUT, learnt.output * ABOVE_LEARNT);
  const output = Math.min(outputLimit ?? MAX_OUTPUT, usual, MAX_OUTPUT) * Math.max(1, responses);
  return Math.max(1, Math.floor(Math.min(inputTokens(estimate, learnt.rates) + output, limit / 2)));
}

/** This is an estimate, not an upper bound. */
function inputTokens({ bytes, imageTokens, inputLimit }: TokenEstimate, rates: TokenRates): number {
  const tokens = Math.ceil(bytes.plain * rates.plain + bytes.dense * rates.dense) + imageTokens;
  return Math.min(tokens, inputLimit ?? tokens);
}
