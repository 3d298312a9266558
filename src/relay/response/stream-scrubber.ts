import type { StreamMeter } from "../../protocols/protocol.ts";
import { dropComments, scrubStream } from "../../protocols/streams/scrub-stream.ts";
import { openSecretFilter, type SecretFilter, sentSecrets } from "../../upstreams/scrub/sent-secrets.ts";
import type { Attempt } from "./receiver.ts";

/** The upstream's own words in a stream that passes as it comes: scrubbed, and where clients fail on comments without them. */
export class StreamScrubber {
  /** Of whatever the caller is told. */
  readonly secrets: SecretFilter;
  readonly #attempt: Attempt;
  readonly #meter: StreamMeter;
  readonly #passes: boolean;
  /** What is held back may hold some. */
  #some = false;

  /** `passes`: the upstream's bytes reach the caller. */
  constructor(attempt: Attempt, meter: StreamMeter, passes: boolean) {
    this.#attempt = attempt;
    this.#meter = meter;
    this.#passes = passes;
    this.secrets = openSecretFilter(sentSecrets(attempt.candidate));
  }

  /** These chunks as they can be told. `more`: others are held back still. `isPart`: they are part of a frame. */
  scrubbed(chunks: readonly Buffer[], more: boolean, isPart: boolean): readonly Buffer[] {
    this.#some = this.#meter.takeWords() || this.#some;
    if (!this.#some || !this.#passes || chunks.length === 0) return chunks;
    // What is still held back may be what holds them.
    this.#some = more;
    const { form } = this.#meter.truncated;
    const scrubbed = scrubStream(Buffer.concat(chunks), form, this.#attempt.scrubber());
    const bears = this.#attempt.exchange.request.protocol.forward.clientsAcceptComments;
    const kept = bears || form === "array" || isPart ? scrubbed : dropComments(scrubbed);
    return kept.length === 0 ? [] : [kept];
  }
}
