import { type EventSplitter, openEventSplitter } from "../../protocols/streams/event-splitter.ts";
import type { UpstreamFailure, UpstreamResponse } from "../../upstreams/call.ts";
import type { RawHeaders } from "../../upstreams/transport/raw-headers.ts";

/** Between the transport and whoever reads the response: events that a vendor ends with one line end are split for all of them. */
export class SplitResponse implements UpstreamResponse {
  readonly #reader: UpstreamResponse;
  readonly #splitter: EventSplitter = openEventSplitter();

  constructor(reader: UpstreamResponse) {
    this.#reader = reader;
  }

  head(status: number, headers: RawHeaders): void {
    this.#reader.head(status, headers);
  }

  data(chunk: Buffer): void {
    this.#pass(this.#splitter.write(chunk));
  }

  ended(): void {
    this.#pass(this.#splitter.end(true));
    this.#reader.ended();
  }

  failed(failure: UpstreamFailure): void {
    this.#pass(this.#splitter.end(false));
    this.#reader.failed(failure);
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.#reader.data(bytes);
  }
}
