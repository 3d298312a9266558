import { isDeepStrictEqual } from "node:util";
import type { StreamMeter, UsageReader } from "../../src/protocols/protocol.ts";

/** The first chunk after which a meter of bytes and one of a decoder's events say different things; undefined = none. */
export function metersApart(usage: UsageReader, chunks: readonly Uint8Array[]): object | undefined {
  const bytes = usage.openStream();
  const events = usage.openEvents();
  for (const [at, chunk] of chunks.entries()) {
    const whole = [bytes.write(chunk), events.write(chunk)];
    const said = [saidBy(bytes), saidBy(events)];
    if (whole[0] !== whole[1] || !isDeepStrictEqual(said[0], said[1])) return { at, whole, said };
  }
  bytes.end();
  events.end();
  const said = [saidBy(bytes, true), saidBy(events, true)];
  return isDeepStrictEqual(said[0], said[1]) ? undefined : { at: "the end", said };
}

/** All that decides what is passed on and what is charged; ids come late in some streams, where bytes are not looked at. */
function saidBy(meter: StreamMeter, withText = false): object {
  const { outputText, id: _, issued: __, ...facts } = meter.summary();
  const { started, hasOutput, error, failed, bytesBeforeError, bytesToEnd, errorBehindEnd } = meter;
  const { finished, finishedBeforeOutput, nothingFollows, continuedAfterFinish } = meter;
  return {
    started,
    hasOutput,
    error,
    failed,
    bytesBeforeError,
    bytesToEnd,
    errorBehindEnd,
    finished,
    finishedBeforeOutput,
    nothingFollows,
    continuedAfterFinish,
    facts,
    text: withText ? outputText() : "",
  };
}
