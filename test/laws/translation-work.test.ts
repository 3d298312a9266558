import { describe, expect, it } from "vitest";
import { openLosses } from "../../src/conversation/loss.ts";
import { blankPlan } from "../../src/conversation/lower/plan.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";
import { frame } from "../support/conversation-arbitraries.ts";
import { LONG_STREAMS } from "../support/long-streams.ts";

const PAIRS = CHAT_PROTOCOLS.flatMap((upstream) =>
  CHAT_PROTOCOLS.flatMap((caller) =>
    Object.keys(LONG_STREAMS[upstream]).map((what) => ({ upstream, caller, what })),
  ),
);

const FEW = 1_500;
const TIMES = 4;
/** Work that grows with the stream is 4 times as much, work that grows with its square 16 times. */
const MAX_GROWTH = 10;
/** Less is noise, and no harm. */
const FLOOR_MS = 250;
/** Whatever else the machine does only ever adds: what is slow each time is slow. */
const TRIES = 5;

describe("the work of a translated stream", () => {
  it.each(PAIRS)("grows with the stream: $what, from $upstream to $caller", ({ upstream, caller, what }) => {
    const make = LONG_STREAMS[upstream][what];
    if (make === undefined) throw new Error(`no stream of ${what}`);
    const [few, many] = [make(FEW), make(FEW * TIMES)];
    const growths: number[] = [];
    do {
      const once = Math.max(
        msOf(() => translated(upstream, caller, few)),
        FLOOR_MS / MAX_GROWTH,
      );
      growths.push(msOf(() => translated(upstream, caller, many)) / once);
    } while (growths.length < TRIES && Math.min(...growths) >= MAX_GROWTH);
    expect(Math.min(...growths)).toBeLessThan(MAX_GROWTH);
  });
});

function translated(upstream: ChatProtocol, caller: ChatProtocol, frames: readonly WireFrame[]): number {
  const decoder = PROTOCOLS[upstream].translation?.decodeStream(blankPlan({ protocol: upstream }, "req_1"));
  const encoder = PROTOCOLS[caller].translation?.encodeStream(frame, openLosses({}), () => undefined);
  if (decoder === undefined || encoder === undefined) throw new Error("no codec");
  let letters = 0;
  const count = (out: readonly WireFrame[]): void => {
    for (const { data } of out) letters += data.length;
  };
  for (const each of frames) for (const event of decoder.step(each)) count(encoder.step(event));
  for (const event of decoder.end()) count(encoder.step(event));
  count(encoder.end());
  return letters;
}

/** Of processor time: what other programs take of it does not count. */
function msOf(work: () => unknown): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}
