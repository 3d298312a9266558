import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { chargeOfVerdict, type JudgedAnswer, verdictOf } from "../support/judged-answer.ts";
import { metersApart } from "../support/metered-alike.ts";
import { type SeededRandom, seededRandom } from "../support/seed.ts";
import { isChatResponse, type Recording, successfulRecordings } from "./metering-recordings.ts";

/** Each takes half a minute where nothing else runs. */
const MAX_MS = 300_000;

/** The image was taken out when this stream was recorded: forwarded, nobody looks at it; no other protocol can be told of what is none. */
const WITHOUT_IMAGE = /xai-image-generation-tool\.1/;

const recordings = successfulRecordings().filter(
  (recording) =>
    isChatResponse(recording) &&
    recording.responses === 1 &&
    !(recording.stream && WITHOUT_IMAGE.test(recording.id)),
);
const streams = recordings.filter(({ stream }) => stream);

/** Forwards a response, and translates it to one of the other protocols: what is charged otherwise. */
async function chargedApart(
  { id, protocol }: Recording,
  random: SeededRandom,
  answer: Pick<JudgedAnswer, "streamed" | "pieces" | "leaves">,
): Promise<readonly unknown[]> {
  const others = CHAT_PROTOCOLS.filter((name) => name !== protocol);
  const client = others[random.whole(0, others.length - 1)] ?? protocol;
  const forwarded = chargeOfVerdict(await verdictOf({ ...answer, client: protocol, upstream: protocol }));
  const translated = chargeOfVerdict(await verdictOf({ ...answer, client, upstream: protocol }));
  return isDeepStrictEqual(forwarded, translated) ? [] : [{ id, client, answer, forwarded, translated }];
}

function cut(body: string, random: SeededRandom): readonly Buffer[] {
  const bytes = Buffer.from(body);
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const size = random.whole(1, 2_000);
    pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  return pieces;
}

it("charges a plain answer the same to the nano, forwarded or translated", { timeout: MAX_MS }, async () => {
  const random = seededRandom("CHARGE_SEED");
  const apart: unknown[] = [];
  for (const recording of recordings) {
    if (recording.stream) continue;
    for (const streamed of [false, true])
      apart.push(...(await chargedApart(recording, random, { streamed, pieces: [recording.body] })));
  }
  expect(apart).toEqual([]);
});

it("charges a stream the same, wherever its bytes are cut, passed on or collected", {
  timeout: MAX_MS,
}, async () => {
  const random = seededRandom("CHARGE_SEED");
  const apart: unknown[] = [];
  for (const recording of streams) {
    const pieces = cut(recording.body, random);
    for (const streamed of [true, false])
      apart.push(...(await chargedApart(recording, random, { streamed, pieces })));
  }
  expect(apart).toEqual([]);
});

it("charges a stream the same that breaks off, or whose caller leaves, behind any event", {
  timeout: MAX_MS,
}, async () => {
  const random = seededRandom("CHARGE_SEED");
  const apart: unknown[] = [];
  for (const recording of streams) {
    const events = recording.body.split(/(?<=\r?\n\r?\n)/);
    for (const leaves of [false, true]) {
      // Whoever leaves behind an error has left, or was told of it, as the error passes or is told anew.
      const error = leaves ? events.findIndex((event) => event.includes('"error":{')) : -1;
      const pieces = events.slice(0, random.whole(1, error > 0 ? error : events.length));
      apart.push(...(await chargedApart(recording, random, { streamed: true, pieces, leaves })));
    }
  }
  expect(apart).toEqual([]);
});

it("learns from the events of a decoder what it learns from bytes, after every chunk", {
  timeout: MAX_MS,
}, () => {
  const random = seededRandom("CHARGE_SEED");
  const apart = streams.flatMap(({ id, protocol, body }) => {
    const found = metersApart(PROTOCOLS[protocol].usage, cut(body, random));
    return found === undefined ? [] : [{ id, ...found }];
  });
  expect(apart).toEqual([]);
});
