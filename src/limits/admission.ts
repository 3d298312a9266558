import type { LearntInput } from "./learnt-input.ts";
import type { LearntOutput } from "./learnt-output.ts";
import { describe, exceeded } from "./rate-response.ts";
import { secondsToFull, secondsToRoom } from "./token-bucket.ts";
import type { TokenBuckets } from "./token-buckets.ts";
import { type TokenEstimate, tokensToReserve } from "./token-reserve.ts";

/** An admitted request. */
export interface Admission {
  /** The response's `x-ratelimit-*` headers, as far as they are known by now. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Takes the tokens that the request will probably use; called once at most, when the body is known. Rejects with
   * GatewayError rate_limit_exceeded, and then nothing is taken. Returns undefined for a key without a token limit,
   * whose requests are not estimated.
   */
  reserveTokens(estimateOf: () => TokenEstimate): Promise<void> | undefined;
  /** Ends the request and replaces the reserved tokens by those used. Calls after the first do nothing. */
  finish(used?: UsedTokens): void;
}

/** Tokens that a request is charged for; a refused one used none. */
export interface UsedTokens {
  readonly input: number;
  readonly output: number;
}

/** Shared by all requests of a process. */
export interface TokenTools {
  readonly buckets: TokenBuckets;
  readonly inputs: LearntInput;
  readonly outputs: LearntOutput;
}

/** Tokens that were taken in advance for a request. */
interface Reserved {
  readonly tokens: number;
  readonly limit: number;
  readonly estimate: TokenEstimate;
}

/** Releases the request's place and corrects its tokens, once only, however often its end is reported. */
export class RunningAdmission implements Admission {
  readonly headers: Record<string, string>;
  readonly #leave: () => void;
  readonly #key: string;
  readonly #limit: number | undefined;
  readonly #tools: TokenTools;
  #reserved: Reserved | undefined;
  #over = false;

  constructor(
    headers: Record<string, string>,
    leave: () => void,
    key: string,
    limit: number | undefined,
    tools: TokenTools,
  ) {
    this.headers = headers;
    this.#leave = leave;
    this.#key = key;
    this.#limit = limit;
    this.#tools = tools;
  }

  reserveTokens(estimateOf: () => TokenEstimate): Promise<void> | undefined {
    return this.#limit === undefined ? undefined : this.#reserve(estimateOf(), this.#limit);
  }

  async #reserve(estimate: TokenEstimate, limit: number): Promise<void> {
    const { buckets, inputs, outputs } = this.#tools;
    const { model } = estimate;
    const learnt = { rates: inputs.of(this.#key, model), output: outputs.of(this.#key, model) };
    const tokens = tokensToReserve(estimate, learnt, limit);
    const { taken, debt } = await buckets.take(this.#key, limit, tokens);
    describe(this.headers, "tokens", { limit, left: limit - debt, resetSeconds: secondsToFull(debt, limit) });
    if (!taken) {
      const message = `This key may use ${limit} tokens per minute.`;
      throw exceeded("tokens_per_minute", message, secondsToRoom(debt, limit), this.headers);
    }
    const reserved = { tokens, limit, estimate };
    // The request may have ended while Redis was asked.
    if (this.#over) void this.#correct(reserved, 0);
    else this.#reserved = reserved;
  }

  finish(used: UsedTokens = NOTHING): void {
    if (this.#over) return;
    this.#over = true;
    this.#leave();
    const reserved = this.#reserved;
    if (reserved === undefined) return;
    const { model, bytes, imageTokens, responses } = reserved.estimate;
    const { inputs, outputs } = this.#tools;
    if (imageTokens === 0) inputs.learn(this.#key, model, bytes, used.input);
    outputs.learn(this.#key, model, used.output / Math.max(1, responses));
    void this.#correct(reserved, used.input + used.output);
  }

  #correct({ tokens, limit }: Reserved, used: number): void | Promise<void> {
    if (used !== tokens) return this.#tools.buckets.correct(this.#key, limit, used - tokens);
  }
}

const NOTHING: UsedTokens = { input: 0, output: 0 };
