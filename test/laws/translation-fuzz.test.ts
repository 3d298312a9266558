import { describe } from "vitest";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { writeFrames } from "../../src/protocols/streams/stream-frames.ts";
import { codecOf } from "../support/codec-of.ts";
import { eventsOf, frame } from "../support/conversation-arbitraries.ts";
import { fuzzLaw, type Samples } from "../support/translation-fuzz.ts";
import { requestsOf, responsesFrom } from "../support/translation-matrix/samples.ts";

describe.each(CHAT_PROTOCOLS)("whatever comes in as %s", (protocol) => {
  fuzzLaw(protocol, ownSamples(protocol));
});

/** Everything that the matrix of translations knows to say; `test/recordings` does the same with what vendors said. */
function ownSamples(protocol: ChatProtocol): Samples {
  const codec = codecOf(protocol);
  const responses = responsesFrom(protocol);
  return {
    requests: requestsOf(protocol),
    responses: responses.map((response) => codec.encodeResponse(response, frame).body),
    streams: responses.map((response) => {
      const run = codec.encodeStream(frame, openLosses({}));
      return writeFrames([...eventsOf(response).flatMap((event) => run.step(event)), ...run.end()]);
    }),
  };
}
