import { holdsResponse } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asObject, asObjects, type JsonObject, parseLoosely } from "../json.ts";
import type { ResponseSummary, UsageReader } from "../protocol.ts";
import { TranslatedMeter } from "./event-meter.ts";
import { emptyStreamState, type MeteringRules, type StreamState, summaryOf } from "./metering-rules.ts";
import { openTextSink } from "./output-text.ts";
import { ByteMeter } from "./stream-meter.ts";

// It decodes whole texts only and so keeps no state between calls; creating one costs as much as decoding.
const UTF8 = new TextDecoder();

/** The reader of a protocol's responses, from what the protocol says about them. */
export function usageReader(rules: MeteringRules): UsageReader {
  function readPlain(body: unknown): ResponseSummary {
    const state = emptyStreamState(1);
    // An unparsable body may hold anything, so it isn't known to be empty.
    const response = asObject(Array.isArray(body) ? body[0] : body);
    if (response !== undefined) rules.readResponse(response, state);
    if (rules.anyForm !== true && response !== undefined && response === body && isEmptyBody(response, state))
      state.error = decodeStatedError({ error: { message: "The upstream's response is empty." } });
    const summary = summaryOf(rules, state, () => {
      const sink = openTextSink();
      if (response !== undefined) rules.responseText(response, sink);
      return sink.text();
    });
    return isResponse(body, rules.anyForm === true) ? summary : { ...summary, unreadable: true };
  }
  return {
    readPlain,
    readBytes: (body) => readPlain(parseLoosely(UTF8.decode(body))),
    buckets: (usage) => rules.buckets(usage),
    openStream: (responses = 1) => new ByteMeter(rules, responses),
    openEvents: (responses = 1) => new TranslatedMeter(rules, responses),
  };
}

/** An object; of vendors with forms of their own also a list of them. */
function isResponse(body: unknown, anyForm: boolean): boolean {
  return asObject(body) !== undefined || (anyForm && asObjects(body).length > 0);
}

/** True if an object is no response of the protocol: no word of it, no end, no usage, and no error that it states. */
function isEmptyBody(body: JsonObject, state: StreamState): boolean {
  const { error, failed, finish, usage } = state;
  return (
    usage === undefined && finish === undefined && error === undefined && !failed && !holdsResponse(body)
  );
}
