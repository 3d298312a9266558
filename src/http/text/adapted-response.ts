import { asBuffer, openFrameScanner, readFrame, writeFrame } from "../../base/sse.ts";
import { type ErrorStatement, GatewayError, shouldRetry, statementOf } from "../../errors.ts";
import { asObject, asText, type JsonObject, parseLoosely } from "../../protocols/json.ts";
import type { ClientResponse } from "../../relay/response/client-response.ts";

/** A call in a form of its own that is answered by way of another: both directions, as pure functions. */
export interface Adapter {
  /** The request as the other form has it; throws GatewayError where that has no word for it. */
  request(body: JsonObject): JsonObject;
  /** The number of separate prompts in the messages of that request; absent = they are one conversation. */
  prompts?(body: JsonObject): number;
  /** A whole response of the other form in the caller's; throws GatewayError where it is none in that. */
  plain(response: JsonObject): JsonObject;
  /** One event of its stream as the caller is told it; [] = it tells nothing. Absent where nothing streams. */
  event?(event: JsonObject): readonly JsonObject[];
}

type AdaptedResult = { readonly value: JsonObject } | { readonly refused: ErrorStatement };

/** The path's form of errors. */
export interface ErrorForm {
  /** `error.type` of the gateway's own. */
  readonly type: string;
  encode(statement: ErrorStatement): string;
}

/** Read into values and written anew at once, by the event loop. Summaries and prompts' ends have some hundred kilobytes at most. */
const ADAPTED_RESPONSE_BYTES = 1024 * 1024;

/** Rewrites what is on its way to the caller; errors before a response do not come this way, and look as the path's errors do. */
export class AdaptedResponse implements ClientResponse {
  readonly maxBytes = ADAPTED_RESPONSE_BYTES;
  readonly #inner: ClientResponse;
  readonly #adapter: Adapter;
  readonly #errors: ErrorForm;
  readonly #scanner = openFrameScanner({
    frame: (buffer, start, end) => {
      this.#written += this.#frame(buffer.toString("utf8", start, end));
    },
  });
  #written = "";
  #lastRead: { readonly body: readonly Uint8Array[]; readonly as: AdaptedResult | undefined } | undefined;

  constructor(inner: ClientResponse, adapter: Adapter, errors: ErrorForm) {
    this.#inner = inner;
    this.#adapter = adapter;
    this.#errors = errors;
  }

  get open(): boolean {
    return this.#inner.open;
  }

  get committed(): boolean {
    return this.#inner.committed;
  }

  addHeaders(more: Readonly<Record<string, string>>): void {
    this.#inner.addHeaders(more);
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#inner.head(status, headers);
  }

  write(chunk: Uint8Array): boolean {
    this.#scanner.write(asBuffer(chunk));
    return this.#send();
  }

  end(): void {
    this.#scanner.end();
    this.#send();
    this.#inner.end();
  }

  #send(): boolean {
    const written = this.#written;
    this.#written = "";
    return written === "" ? true : this.#inner.write(Buffer.from(written));
  }

  whole(status: number, headers: Readonly<Record<string, string>>, body: readonly Uint8Array[]): void {
    const adapted = status === 200 ? this.#read(body) : undefined;
    if (adapted === undefined) this.#inner.whole(status, headers, body);
    else if ("value" in adapted)
      this.#inner.whole(status, headers, [Buffer.from(JSON.stringify(adapted.value))]);
    else {
      const retry = { "x-should-retry": String(shouldRetry(adapted.refused)) };
      const error = Buffer.from(this.#errors.encode(adapted.refused));
      this.#inner.whole(adapted.refused.status, { ...headers, ...retry }, [error]);
    }
  }

  refusal(body: readonly Uint8Array[]): ErrorStatement | undefined {
    const adapted = this.#read(body);
    return adapted !== undefined && "refused" in adapted ? adapted.refused : undefined;
  }

  /** A whole response in the caller's form, read once; undefined = it is no JSON object, and passes as it is. */
  #read(body: readonly Uint8Array[]): AdaptedResult | undefined {
    if (this.#lastRead?.body === body) return this.#lastRead.as;
    const response = asObject(parseLoosely(Buffer.concat(body).toString("utf8")));
    const as = response === undefined ? undefined : this.#adapt(response);
    this.#lastRead = { body, as };
    return as;
  }

  #adapt(response: JsonObject): AdaptedResult {
    try {
      return { value: this.#adapter.plain(response) };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { refused: statementOf(error, this.#errors.type) };
    }
  }

  abort(): void {
    this.#inner.abort();
  }

  onDrain(listener: () => void): void {
    this.#inner.onDrain(listener);
  }

  onDisconnect(listener: () => void): void {
    this.#inner.onDisconnect(listener);
  }

  onClosed(listener: () => void): void {
    this.#inner.onClosed(listener);
  }

  /** Comments, errors and the end of the stream pass as they are. */
  #frame(frame: string): string {
    const { name, data } = readFrame(frame);
    const event = data.startsWith("{") ? asObject(parseLoosely(data)) : undefined;
    if (event === undefined || event["error"] !== undefined)
      return frame.trim() === "" ? "" : `${frame.trimEnd()}\n\n`;
    const events = this.#adapter.event?.(event) ?? [];
    return events
      .map((each) => writeFrame(JSON.stringify(each), name === "" ? undefined : asText(each["type"])))
      .join("");
  }
}
