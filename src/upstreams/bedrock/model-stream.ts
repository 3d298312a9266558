import type { ResponseReaderOptions, UpstreamFailure, UpstreamResponse } from "../call.ts";
import { EventStreamReader, type StreamMessage } from "./event-stream.ts";
import { whyMalformed } from "./malformed-response.ts";
import { modelEvent } from "./model-events.ts";

/** The type of a response that comes in AWS's framing. */
const FRAMED = "application/vnd.amazon.eventstream";

/**
 * Passes a response on as server-sent events where it comes in AWS's framing, else as it is: whoever reads it knows only the
 * events of the model's own vendor.
 */
export function openModelStream(
  response: UpstreamResponse,
  options: ResponseReaderOptions,
): UpstreamResponse {
  return openFramedStream(response, options, modelEvent);
}

/** The same for any form of the messages; `eventOf` answers undefined for what says nothing, and throws MalformedResponse for what can't be read. */
export function openFramedStream(
  response: UpstreamResponse,
  { name, fail }: ResponseReaderOptions,
  eventOf: (message: StreamMessage) => Buffer | undefined,
): UpstreamResponse {
  let reader: EventStreamReader | undefined;

  function unreadable(why: string): UpstreamFailure {
    return { kind: "protocol", phase: "body", message: `${name} sent a stream that can't be read: ${why}.` };
  }

  return {
    head(status, headers) {
      const type = headers.get("content-type") ?? "";
      if (!type.toLowerCase().startsWith(FRAMED)) return response.head(status, headers);
      reader = new EventStreamReader();
      response.head(status, headers.with("content-type", "text/event-stream"));
    },
    data(chunk) {
      if (reader === undefined) return response.data(chunk);
      const events: Buffer[] = [];
      let broken: string | undefined;
      try {
        for (const message of reader.read(chunk)) {
          const event = eventOf(message);
          if (event !== undefined) events.push(event);
        }
      } catch (error) {
        broken = whyMalformed(error);
      }
      // Complete events before the fault are sent to the caller and charged.
      if (events.length > 0)
        response.data(events.length === 1 ? (events[0] as Buffer) : Buffer.concat(events));
      if (broken !== undefined) fail(unreadable(broken));
    },
    ended() {
      if (reader?.isCut === true) response.failed(unreadable("it ended within a message"));
      else response.ended();
    },
    failed: (failure) => response.failed(failure),
  };
}
