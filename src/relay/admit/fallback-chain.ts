import type { FrozenPrice } from "../../billing/billing.ts";
import type { UsageBound } from "../../billing/pricing/usage-bound.ts";
import type { FallbackReason, Model } from "../../catalog/catalog.ts";
import type { TextRequest } from "../text-request.ts";

/** A model that may answer a request in the place of the one that was asked. */
export interface FallbackModel {
  readonly model: Model;
  /** The request as it is asked of this model. */
  readonly request: TextRequest;
  readonly on: readonly FallbackReason[];
  readonly price: FrozenPrice;
  /** The most that its response can cost, and use. */
  readonly amountNanos: bigint;
  readonly bound: UsageBound;
}

/** The way through the fallbacks of one request, by how the upstreams of the model before have failed. */
export class FallbackChain {
  /** The one that is asked now; undefined = the model that was asked. */
  current: FallbackModel | undefined;
  readonly #left: FallbackModel[];
  /** The model that the request named. */
  readonly asked: Model;
  #failed = new Set<FallbackReason | undefined>();

  constructor(asked: Model, fallbacks: readonly FallbackModel[]) {
    this.asked = asked;
    this.#left = [...fallbacks];
  }

  /** An upstream of the present model has failed; undefined = in a way for which there is no fallback. */
  failed(reason: FallbackReason | undefined): void {
    this.#failed.add(reason);
  }

  /** True if there is a model to go on with if the running attempt fails so. */
  goesOnAfter(reason: FallbackReason): boolean {
    return this.#next(new Set([...this.#failed, reason])) !== -1;
  }

  /** Goes on with the next model that answers for all of these failures. */
  next(): FallbackModel | undefined {
    const index = this.#next(this.#failed);
    if (index === -1) return undefined;
    [this.current] = this.#left.splice(0, index + 1).slice(-1);
    this.#failed = new Set();
    return this.current;
  }

  /** No fallback model responded: the request belongs to the requested model again. */
  giveUp(): void {
    this.current = undefined;
  }

  #next(failed: ReadonlySet<FallbackReason | undefined>): number {
    if (failed.size === 0) return -1;
    const context = (this.current?.model ?? this.asked).contextTokens ?? 0;
    return this.#left.findIndex(
      ({ model, on }) =>
        [...failed].every((reason) => reason !== undefined && on.includes(reason)) &&
        (!failed.has("context_length") || (model.contextTokens ?? 0) > context),
    );
  }
}
