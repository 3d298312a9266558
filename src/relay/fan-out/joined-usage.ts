import type { UpstreamError } from "../../protocols/errors/upstream-error-policy.ts";
import {
  type EventMeter,
  type EventSource,
  type ResponseSummary,
  type TruncatedStream,
  UNKNOWN_STREAM,
  type UsageReader,
} from "../../protocols/protocol.ts";
import { SERVICE_DIMENSIONS, type ServiceTerms } from "../../usage/service-terms.ts";
import { sumUsage, sumWork } from "../../usage/usage.ts";
import { splitResponseNumber } from "./joined-form.ts";

/**
 * Reads the usage of several streams in the joined form, the sum of what their meters read. Without a response it is that of
 * as many unknown ones as requests were sent. Whole answers are read one by one, in `event-reader.ts`.
 */
export function joinedUsage(
  reader: UsageReader,
  sent: () => number,
  meters: readonly EventMeter[],
): UsageReader {
  const unknown = (): ResponseSummary =>
    joinSummaries(Array.from({ length: sent() }, () => reader.readPlain(undefined)));
  return {
    readPlain: unknown,
    readBytes: unknown,
    buckets: (usage) => reader.buckets(usage),
    openStream: () => new JoinedMeter(meters),
    openEvents: () => new JoinedMeter(meters),
  };
}

/** One meter for all: it has begun when the first has, and is finished when the last is. */
class JoinedMeter implements EventMeter {
  readonly sources: readonly EventSource[];
  readonly #meters: readonly EventMeter[];
  #last: EventMeter | undefined;
  #bytes = 0;

  constructor(meters: readonly EventMeter[]) {
    this.sources = meters.flatMap(({ sources }) => sources);
    this.#meters = meters;
  }

  write(bytes: Uint8Array): number {
    const { response, chunk } = splitResponseNumber(bytes);
    this.#last = this.#meters[response];
    this.#last?.write(chunk);
    this.#bytes = bytes.length;
    // Each response's frames are cut by its own reader, so nothing need be held back for the next chunk.
    return bytes.length;
  }

  end(): void {}

  get started(): boolean {
    return this.#meters.some(({ started }) => started);
  }

  get hasOutput(): boolean {
    return this.#meters.some(({ hasOutput }) => hasOutput);
  }

  get error(): UpstreamError | undefined {
    return this.#meters.find(({ error }) => error !== undefined)?.error;
  }

  /** Joined responses are always translated. */
  get upstreamFormatError(): boolean {
    return false;
  }

  get keptBytes(): number {
    return this.#meters.reduce((sum, { keptBytes }) => sum + keptBytes, 0);
  }

  get failed(): boolean {
    return this.#meters.some(({ failed }) => failed);
  }

  get bytesBeforeError(): number {
    return 0;
  }

  /** Each response has an end of its own, behind which its own meter and decoder read nothing. */
  get bytesToEnd(): number {
    return this.#bytes;
  }

  get errorBehindEnd(): boolean {
    return false;
  }

  get finished(): boolean {
    return this.#meters.every(({ finished }) => finished);
  }

  get finishedBeforeOutput(): boolean {
    return !this.hasOutput && this.#meters.every(({ finishedBeforeOutput }) => finishedBeforeOutput);
  }

  get nothingFollows(): boolean {
    return this.#meters.every(({ nothingFollows }) => nothingFollows);
  }

  get continuedAfterFinish(): boolean {
    return this.#last?.continuedAfterFinish === true;
  }

  /** Joined responses are always translated, so no vendor text passes unchanged. */
  takeWords(): boolean {
    return false;
  }

  get missingEnd(): string {
    return this.#meters.find(({ missingEnd }) => missingEnd !== "")?.missingEnd ?? "";
  }

  get truncated(): TruncatedStream {
    return this.#meters.find(({ truncated }) => truncated.form === "array")?.truncated ?? UNKNOWN_STREAM;
  }

  summary(): ResponseSummary {
    return joinSummaries(this.#meters.filter(({ started }) => started).map((meter) => meter.summary()));
  }
}

/** The sum of the parts of a joined response. */
export function joinSummaries(parts: readonly ResponseSummary[]): ResponseSummary {
  const usages = parts.flatMap(({ usage }) => usage ?? []);
  return {
    usage: usages.length < parts.length ? undefined : sumUsage(usages),
    ...sumWork(parts),
    hasOutput: parts.some(({ hasOutput }) => hasOutput),
    finish: parts.at(-1)?.finish,
    finishedByCaller: parts.some(({ finishedByCaller }) => finishedByCaller),
    declined: parts.some(({ declined }) => declined),
    id: undefined,
    issued: undefined,
    served: sharedTerms(parts),
    error: parts.find(({ error }) => error !== undefined)?.error,
    failed: parts.every(({ failed }) => failed),
    unreadable: parts.some(({ unreadable }) => unreadable === true),
    parts,
    outputText() {
      const texts = parts.map((part) => part.outputText());
      return {
        visible: texts.map(({ visible }) => visible).join(""),
        reasoning: texts.map(({ reasoning }) => reasoning).join(""),
        images: texts.reduce((sum, { images = 0 }) => sum + images, 0),
        audioBytes: texts.reduce((sum, { audioBytes = 0 }) => sum + audioBytes, 0),
      };
    },
  };
}

/**
 * Returns the terms that all responses share; where they differ, their sum has no single price and the requested terms apply.
 */
function sharedTerms(parts: readonly ResponseSummary[]): ServiceTerms | undefined {
  const [first, ...others] = parts.map(({ served }) => served ?? {});
  if (first === undefined) return undefined;
  return Object.fromEntries(
    SERVICE_DIMENSIONS.flatMap((dimension) => {
      const word = first[dimension];
      const isShared = word !== undefined && others.every((other) => other[dimension] === word);
      return isShared ? [[dimension, word] as const] : [];
    }),
  );
}
