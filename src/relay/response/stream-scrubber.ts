import type { StreamMeter } from "../../protocols/protocol.ts";
import { dropComments, scrubStream } from "../../protocols/streams/scrub-stream.ts";
import { openSecretFilter, type SecretFilter, sentSecrets } from "../../upstreams/scrub/sent-secrets.ts";
import type { Attempt } from "./receiver.ts";

/** The upstream's own words in a stream that passes as it comes: scrubbed, and where clients fail on comments without them. */
export class StreamScrubber {
  /** The secrets that must not reach the caller. */
  readonly secrets: SecretFilter;
  readonly #attempt: Attempt;
  readonly #meter: StreamMeter;
  readonly #passes: boolean;
  /** True while the chunks that are held back may contain vendor text. */
  #some = false;

  /** `passes`: the upstream's bytes reach the caller. */
  constructor(attempt: Attempt, meter: StreamMeter, passes: boolean) {
    this.#attempt = attempt;
    this.#meter = meter;
    this.#passes = passes;
    this.secrets = openSecretFilter(sentSecrets(attempt.candidate));
  }

  /** Returns the chunks without vendor text. `more`: others are still held back. `isPart`: the chunks are part of a frame. */
  scrubbed(chunks: readonly Buffer[], more: boolean, isPart: boolean): readonly Buffer[] {
    this.#some = this.#meter.takeWords() || this.#some;
    if (!this.#some || !this.#passes || chunks.length === 0) return chunks;
    // The chunks that are still held back may contain it.
    this.#some = more;
    const { form } = this.#meter.truncated;
    const scrubbed = scrubStream(Buffer.concat(chunks), form, this.#attempt.scrubber());
    const bears = this.#attempt.exchange.request.protocol.forward.clientsAcceptComments;
    const kept = bears || form === "array" || isPart ? scrubbed : dropComments(scrubbed);
    return kept.length === 0 ? [] : [kept];
  }
}
