import { packChunk } from "../../base/pack-chunk.ts";
import type { EventMeter, UsageReader } from "../../protocols/protocol.ts";
import type { Transport, UpstreamCall, UpstreamRequest, UpstreamResponse } from "../../upstreams/call.ts";
import type { Framing } from "../mode/framing.ts";
import { framingOf, LOOKED_AT } from "../mode/other-framing.ts";
import { SplitResponse } from "../mode/split-response.ts";
import { ARRAY_CLOSE, ARRAY_NEXT, ARRAY_OPEN, QUOTE, quoted, tag } from "./joined-form.ts";
import { joinedUsage } from "./joined-usage.ts";

/** What a response may send ahead while it must wait for others; more stays with its upstream. */
const WAITING_BYTES = 256 * 1024;

/** Several requests in flight that look like one. */
export interface FanOut {
  readonly call: UpstreamCall;
  /** Reads usage off the joined answer. */
  readonly usage: UsageReader;
}

/** The response to one of the requests. */
interface Lane {
  readonly number: number;
  readonly meter: EventMeter;
  /** As its first bytes tell; undefined = these have not come. */
  framing: Framing | undefined;
  /** What has come and could not be passed on yet. */
  waiting: Buffer[];
  waitingBytes: number;
  /** It has begun, with success. */
  headed: boolean;
  ended: boolean;
  /** Its end is passed on. */
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
  const lanes = bodies.map((_, number) => openLane(number, reader));
  const meters = lanes.map(({ meter }) => meter);
  const calls = lanes.map((lane) =>
    transport.send({ ...call, body: bodies[lane.number] ?? [] }, new SplitResponse(listen(lane))),
  );
  /** The lane whose response, an error, stands for all. */
  let told: Lane | undefined;
  let begun = false;
  let over = false;
  let paused = false;
  /** Side by side as events, or one after the other as a whole; undefined = nothing has come of a stream. */
  let form: "streams" | "whole" | undefined;
  /** Of whole responses, the one that is passed on now. */
  let turn = 0;

  return {
    usage: joinedUsage(reader, () => calls.filter((call) => call.isSent()).length, meters),
    call: {
      isSent: () => calls.some((call) => call.isSent()),
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

  function listen(lane: Lane): UpstreamResponse {
    return {
      head(status, headers) {
        lane.headed = status >= 200 && status <= 299;
        if (!lane.headed) {
          told = lane;
          cancelAllBut(lane);
          response.head(status, headers);
        } else if (lanes.every(({ headed }) => headed)) {
          begun = true;
          response.head(status, headers);
          advance();
        }
      },
      data(chunk) {
        if (told !== undefined) return response.data(chunk);
        lane.waitingBytes += chunk.length;
        packChunk(lane.waiting, chunk, lane.waitingBytes);
        advance();
        if (lane.waitingBytes > WAITING_BYTES) calls[lane.number]?.pause();
      },
      ended() {
        if (told !== undefined) return response.ended();
        lane.ended = true;
        advance();
      },
      failed(failure) {
        // A stream that breaks after its terminal event has said all.
        if (lane.meter.finished) {
          lane.ended = true;
          return advance();
        }
        cancelAllBut(lane);
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
    for (const lane of lanes) {
      const framing = framingIn(lane);
      if (framing !== undefined) return framing === "events" ? "streams" : "whole";
    }
    return undefined;
  }

  function framingIn({ waiting, waitingBytes, ended }: Lane): Framing | undefined {
    const told = waitingBytes === 0 ? undefined : framingOf(Buffer.concat(waiting), call.candidate.protocol);
    if (told !== undefined) return told;
    // What nobody can read is told by whoever reads it as it was asked for.
    return ended || waitingBytes >= LOOKED_AT ? (call.streamed ? "events" : "whole") : undefined;
  }

  /** Streams flow side by side. The first that ends too early ends them all. */
  function advanceStreams(): void {
    for (const lane of lanes) {
      for (const chunk of takeWaiting(lane)) pass(tag(lane.number, chunk));
      if (!lane.ended || lane.closed) continue;
      lane.closed = true;
      lane.meter.end();
    }
    const brokenOff = lanes.some(({ closed, meter }) => closed && !meter.finished);
    if (brokenOff || lanes.every(({ closed }) => closed)) end();
  }

  /** Whole answers follow each other, in order. */
  function advanceWhole(): void {
    for (let lane = lanes[turn]; lane !== undefined; lane = lanes[turn]) {
      if (lane.framing === undefined) {
        lane.framing = framingIn(lane);
        if (lane.framing === undefined) return;
        if (lane.framing !== "whole") pass(QUOTE);
      }
      for (const chunk of takeWaiting(lane)) pass(lane.framing === "whole" ? chunk : quoted(chunk));
      if (!lane.ended) return;
      if (lane.framing !== "whole") pass(QUOTE);
      turn += 1;
      pass(turn < lanes.length ? ARRAY_NEXT : ARRAY_CLOSE);
    }
    end();
  }

  function takeWaiting(lane: Lane): readonly Buffer[] {
    const { waiting, waitingBytes } = lane;
    lane.waiting = [];
    lane.waitingBytes = 0;
    if (waitingBytes > WAITING_BYTES && !paused) calls[lane.number]?.resume();
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

  function cancelAllBut(kept: Lane): void {
    calls.forEach((call, number) => {
      if (number !== kept.number) call.abort();
    });
  }
}

function openLane(number: number, reader: UsageReader): Lane {
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
