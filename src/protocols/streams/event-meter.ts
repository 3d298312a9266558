import { asBuffer } from "../../base/sse.ts";
import type { EventMeter, EventSource, OutputText } from "../protocol.ts";
import type { MeteringRules } from "./metering-rules.ts";
import { openTextSink } from "./output-text.ts";
import type { StreamEvent } from "./stream-event.ts";
import { openEventScanner, type ReadEvent } from "./stream-frames.ts";
import { EventReading, keepText } from "./stream-meter.ts";

/** An event that waits for the decoder, and the bytes of the stream up to its end. */
interface Waiting {
  readonly event: StreamEvent;
  readonly end: number;
}

/**
 * The meter of a stream that is translated. It reads every event, when its last byte comes, and keeps it for the decoder
 * until the bytes may pass: the same event, cut and parsed once.
 */
export class TranslatedMeter extends EventReading implements EventMeter, EventSource {
  readonly sources: readonly EventSource[] = [this];
  readonly #text = openTextSink();
  #waiting: Waiting[] = [];
  /** Bytes up to the end of the last event. */
  #cut = 0;
  /** Bytes whose events the decoder has. */
  #taken = 0;

  constructor(rules: MeteringRules, responses: number) {
    super(rules, responses);
  }

  write(bytes: Uint8Array): number {
    const chunk = asBuffer(bytes);
    if (chunk.length === 0) return 0;
    this.begin(chunk);
    if (this.hasStopped) return 0;
    this.scanner ??= openEventScanner(chunk, (...told) => this.#keep(...told), { isWhole: true });
    if (this.scanner !== undefined) {
      const end = this.scanner.write(chunk);
      return this.hasStopped ? this.bytesToEnd : end;
    }
    this.#cut += chunk.length;
    return chunk.length;
  }

  take(bytes?: number): readonly StreamEvent[] {
    const waiting = this.#waiting;
    this.#taken += bytes ?? 0;
    const until = bytes === undefined ? Number.POSITIVE_INFINITY : this.#taken;
    let count = 0;
    while (count < waiting.length && (waiting[count]?.end ?? 0) <= until) count += 1;
    this.#waiting = count === waiting.length ? [] : waiting.slice(count);
    return waiting.slice(0, count).map(({ event }) => event);
  }

  /** The upstream's bytes do not pass, and with them none of its own words. */
  takeWords(): boolean {
    return false;
  }

  protected outputText(): OutputText {
    return this.#text.text();
  }

  #keep(buffer: Buffer, start: number, end: number, next: number, readEvent: ReadEvent): void {
    // Server-sent events follow each other without a gap, wherever their chunks are cut.
    if (this.hasStopped) return;
    this.#cut += next - start;
    const event = readEvent(buffer, start, end);
    if (event.data === "") return;
    this.read(event, buffer, start, next);
    if (this.errorBehindEnd) return;
    keepText(this.rules, event, this.#text);
    // Items of an array are never passed on before their end.
    this.#waiting.push({ event, end: this.scanner?.form === "array" ? Number.POSITIVE_INFINITY : this.#cut });
  }
}
