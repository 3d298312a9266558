import { packChunk } from "../../base/pack-chunk.ts";
import type { EventMeter, UsageReader } from "../../protocols/protocol.ts";
import type { Transport, UpstreamCall, UpstreamRequest, UpstreamResponse } from "../../upstreams/call.ts";
import type { Framing } from "../mode/framing.ts";
import { framingOf, SNIFFED_BYTES } from "../mode/response-conversion.ts";
import { SplitResponse } from "../response/split-response.ts";
import { ARRAY_CLOSE, ARRAY_NEXT, ARRAY_OPEN, QUOTE, quoted, withResponseNumber } from "./joined-form.ts";
import { joinedUsage } from "./joined-usage.ts";

/** How many bytes a response may buffer while it waits for the others; then its upstream is paused. */
const WAITING_BYTES = 256 * 1024;

/** Several requests in flight that look like one. */
export interface FanOut {
  readonly upstreamCall: UpstreamCall;
  /** Reads usage off the joined answer. */
  readonly usage: UsageReader;
}

/** The response to one of the requests. */
interface Copy {
  readonly number: number;
  readonly meter: EventMeter;
  /** Read from the first bytes; undefined = they haven't arrived. */
  framing: Framing | undefined;
  /** Received chunks that could not be passed on yet. */
  waiting: Buffer[];
  waitingBytes: number;
  /** It has begun, with success. */
  headed: boolean;
  ended: boolean;
  /** The end was passed on. */
  closed: boolean;
}

/**
 * Sends one request with each of these bodies at once, where one request makes one response and several are wanted.
 * The receiver sees one response, in the form of `joined-form.ts`. It begins when all have begun with
 * success; until then, and for responses that are collected whole until the last has ended, the failure of one is the failure
 * of all and the others are cancelled. So is the failure of one stream amid its response.
 */
export function fanOut(
  transport: Transport,
  call: UpstreamRequest,
  bodies: readonly UpstreamRequest["body"][],
  reader: UsageReader,
  response: UpstreamResponse,
): FanOut {
  const copies = bodies.map((_, number) => openCopy(number, reader));
  const meters = copies.map(({ meter }) => meter);
  const calls = copies.map((copy) =>
    transport.send({ ...call, body: bodies[copy.number] ?? [] }, new SplitResponse(listen(copy))),
  );
  /** The copy whose error response stands for all. */
  let failedCopy: Copy | undefined;
  let begun = false;
  let over = false;
  let paused = false;
  /** Side by side as events, or one after the other as a whole; undefined = nothing has come of a stream. */
  let form: "streams" | "whole" | undefined;
  /** Index of the whole response that is being passed on. */
  let turn = 0;

  return {
    usage: joinedUsage(reader, () => calls.filter((call) => call.sentMs() !== undefined).length, meters),
    upstreamCall: {
      sentMs: () => calls.map((call) => call.sentMs()).find((ms) => ms !== undefined),
      pause() {
        paused = true;
        for (const call of calls) call.pause();
      },
      resume() {
        paused = false;
        for (const call of calls) call.resume();
      },
      rest() {
        for (const call of calls) call.rest();
      },
      abort() {
        over = true;
        for (const call of calls) call.abort();
      },
    },
  };

  function listen(copy: Copy): UpstreamResponse {
    return {
      head(status, headers) {
        copy.headed = status >= 200 && status <= 299;
        if (!copy.headed) {
          failedCopy = copy;
          cancelAllBut(copy);
          response.head(status, headers);
        } else if (copies.every(({ headed }) => headed)) {
          begun = true;
          response.head(status, headers);
          advance();
        }
      },
      data(chunk) {
        if (failedCopy !== undefined) return response.data(chunk);
        copy.waitingBytes += chunk.length;
        packChunk(copy.waiting, chunk, copy.waitingBytes);
        advance();
        if (copy.waitingBytes > WAITING_BYTES) calls[copy.number]?.pause();
      },
      ended() {
        if (failedCopy !== undefined) return response.ended();
        copy.ended = true;
        advance();
      },
      failed(failure) {
        // A stream that breaks after its terminal event has said all.
        if (copy.meter.finished) {
          copy.ended = true;
          return advance();
        }
        cancelAllBut(copy);
        response.failed(failure);
      },
    };
  }

  /** Passes on whatever may pass now. */
  function advance(): void {
    if (!begun) return;
    if (form === undefined) {
      form = formAsItCame();
      if (form === "whole") pass(ARRAY_OPEN);
    }
    if (form === "streams") advanceStreams();
    else if (form === "whole") advanceWhole();
  }

  /** The first response of which anything has come decides for all: none of it has been passed on. */
  function formAsItCame(): typeof form {
    if (!call.streamed) return "whole";
    for (const copy of copies) {
      const framing = framingIn(copy);
      if (framing !== undefined) return framing === "events" ? "streams" : "whole";
    }
    return undefined;
  }

  function framingIn({ waiting, waitingBytes, ended }: Copy): Framing | undefined {
    const framing =
      waitingBytes === 0 ? undefined : framingOf(Buffer.concat(waiting), call.candidate.protocol);
    if (framing !== undefined) return framing;
    // A response in an unknown form is reported by the reader of the requested form.
    return ended || waitingBytes >= SNIFFED_BYTES ? (call.streamed ? "events" : "whole") : undefined;
  }

  /** Streams flow side by side. The first that ends too early ends them all. */
  function advanceStreams(): void {
    for (const copy of copies) {
      for (const chunk of takeWaiting(copy)) pass(withResponseNumber(copy.number, chunk));
      if (!copy.ended || copy.closed) continue;
      copy.closed = true;
      copy.meter.end();
    }
    const brokenOff = copies.some(({ closed, meter }) => closed && !meter.finished);
    if (brokenOff || copies.every(({ closed }) => closed)) end();
  }

  /** Whole responses follow each other in order. */
  function advanceWhole(): void {
    for (let copy = copies[turn]; copy !== undefined; copy = copies[turn]) {
      if (copy.framing === undefined) {
        copy.framing = framingIn(copy);
        if (copy.framing === undefined) return;
        if (copy.framing !== "whole") pass(QUOTE);
      }
      for (const chunk of takeWaiting(copy)) pass(copy.framing === "whole" ? chunk : quoted(chunk));
      if (!copy.ended) return;
      if (copy.framing !== "whole") pass(QUOTE);
      turn += 1;
      pass(turn < copies.length ? ARRAY_NEXT : ARRAY_CLOSE);
    }
    end();
  }

  function takeWaiting(copy: Copy): readonly Buffer[] {
    const { waiting, waitingBytes } = copy;
    copy.waiting = [];
    copy.waitingBytes = 0;
    if (waitingBytes > WAITING_BYTES && !paused) calls[copy.number]?.resume();
    return waiting;
  }

  function pass(chunk: Buffer): void {
    if (!over) response.data(chunk);
  }

  function end(): void {
    if (over) return;
    over = true;
    for (const call of calls) call.abort();
    response.ended();
  }

  function cancelAllBut(kept: Copy): void {
    calls.forEach((call, number) => {
      if (number !== kept.number) call.abort();
    });
  }
}

function openCopy(number: number, reader: UsageReader): Copy {
  const meter = reader.openEvents();
  const waiting: Buffer[] = [];
  return {
    number,
    meter,
    framing: undefined,
    waiting,
    waitingBytes: 0,
    headed: false,
    ended: false,
    closed: false,
  };
}
