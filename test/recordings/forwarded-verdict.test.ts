import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import { changedAt, INSTEAD, placesIn } from "../support/changed-answers.ts";
import { chargeOfVerdict, verdictOf } from "../support/judged-answer.ts";
import { seededRandom } from "../support/seed.ts";
import { isChatResponse, successfulRecordings } from "./metering-recordings.ts";

/** Takes half a minute where nothing else runs. */
const MAX_MS = 300_000;

const ROUNDS = 4;

it("judges a plain answer with something else at a place of it as its decoder reads it", {
  timeout: MAX_MS,
}, async () => {
  const random = seededRandom("VERDICT_SEED");
  const pick = <T>(values: readonly T[]): T => values[random.whole(0, values.length - 1)] as T;
  const apart: unknown[] = [];
  for (const recording of successfulRecordings()) {
    const { id, protocol, stream, responses, body } = recording;
    if (stream || responses > 1 || !isChatResponse(recording)) continue;
    const answer: unknown = JSON.parse(body);
    const places = placesIn(answer);
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = pick(places);
      const [name, instead] = pick(Object.entries(INSTEAD));
      const pieces = [JSON.stringify(changedAt(answer, place, instead))];
      const client = pick(CHAT_PROTOCOLS);
      const own = { client: protocol, upstream: protocol, streamed: false, pieces };
      const forwarded = chargeOfVerdict(await verdictOf(own));
      const decoded = chargeOfVerdict(await verdictOf({ ...own, client, streamed: client === protocol }));
      if (!isDeepStrictEqual(forwarded, decoded)) apart.push({ id, place, name, client, forwarded, decoded });
    }
  }
  expect(apart).toEqual([]);
});
