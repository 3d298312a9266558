import { describe } from "vitest";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { parseLoosely } from "../../src/protocols/json.ts";
import { readRecordings } from "../support/recordings.ts";
import { fuzzLaw, type Samples } from "../support/translation-fuzz.ts";

/** Longer recordings say nothing more and take most of the time. */
const MAX_LETTERS = 6_000;

const recordings = readRecordings();

describe.each(CHAT_PROTOCOLS)("whatever comes in as %s, changed from a recording", (protocol) => {
  fuzzLaw(protocol, recordedSamples(protocol));
});

function recordedSamples(protocol: ChatProtocol): Samples {
  const short = recordings.filter((each) => each.protocol === protocol && each.body.length < MAX_LETTERS);
  const responses = short.filter(({ stream }) => !stream).map(({ body }) => parseLoosely(body));
  return {
    requests: short
      .flatMap(({ request }) => request ?? [])
      .filter((request) => JSON.stringify(request).length < MAX_LETTERS),
    responses: responses.filter((response) => response !== undefined),
    streams: short.filter(({ stream }) => stream).map(({ body }) => body),
  };
}
