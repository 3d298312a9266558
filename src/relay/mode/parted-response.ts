import { type EventParter, openEventParter } from "../../protocols/streams/event-parter.ts";
import type { UpstreamFailure, UpstreamResponse } from "../../upstreams/call.ts";
import type { RawHeaders } from "../../upstreams/transport/raw-headers.ts";

/** Between the transport and whoever reads the response: events that a vendor ends with one line end are parted for all of them. */
export class PartedResponse implements UpstreamResponse {
  readonly #reader: UpstreamResponse;
  readonly #parter: EventParter = openEventParter();

  constructor(reader: UpstreamResponse) {
    this.#reader = reader;
  }

  head(status: number, headers: RawHeaders): void {
    this.#reader.head(status, headers);
  }

  data(chunk: Buffer): void {
    this.#pass(this.#parter.write(chunk));
  }

  ended(): void {
    this.#pass(this.#parter.end(true));
    this.#reader.ended();
  }

  failed(failure: UpstreamFailure): void {
    this.#pass(this.#parter.end(false));
    this.#reader.failed(failure);
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.#reader.data(bytes);
  }
}
