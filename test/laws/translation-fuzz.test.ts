import { describe } from "vitest";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { writeFrames } from "../../src/protocols/stream-frames.ts";
import { codecOf } from "../support/codec-of.ts";
import { eventsOf, frame } from "../support/conversation-arbitraries.ts";
import { fuzzLaw, type Samples } from "../support/translation-fuzz.ts";
import { answersFrom, requestsOf } from "../support/translation-matrix/samples.ts";

describe.each(CHAT_PROTOCOLS)("whatever comes in as %s", (protocol) => {
  fuzzLaw(protocol, ownSamples(protocol));
});

/** Everything that the matrix of translations knows to say; `test/recordings` does the same with what vendors said. */
function ownSamples(protocol: ChatProtocol): Samples {
  const codec = codecOf(protocol);
  const answers = answersFrom(protocol);
  return {
    requests: requestsOf(protocol),
    answers: answers.map((answer) => codec.encodeResponse(answer, frame).body),
    streams: answers.map((answer) => {
      const run = codec.encodeStream(frame, openLosses({}));
      return writeFrames([...eventsOf(answer).flatMap((event) => run.step(event)), ...run.end()]);
    }),
  };
}
