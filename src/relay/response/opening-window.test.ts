import { describe, expect, it } from "vitest";
import type { StreamMeter } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { OpeningWindow } from "./opening-window.ts";
import type { Attempt } from "./receiver.ts";

const KB = 1024;
const TIMEOUT_MS = 5_000;

/** A meter of chat completions that has read so much. */
function read(...deltas: readonly object[]): StreamMeter {
  const meter = PROTOCOLS["chat-completions"].usage.openStream(1);
  for (const choice of deltas)
    meter.write(Buffer.from(`data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }] })}\n\n`));
  return meter;
}

const ROLE = { delta: { role: "assistant", content: "" }, finish_reason: null };

describe("events that only announce an answer", () => {
  const open = () => {
    let nowMs = 70;
    const exchange = { clock: { monotonicMs: () => nowMs } };
    const candidate = { upstream: { timeouts: { firstByteStreamMs: TIMEOUT_MS } } };
    const opening = new OpeningWindow({ exchange, candidate } as unknown as Attempt);
    return { opening, wait: (ms: number) => (nowMs += ms) };
  };

  it("are held back for a second from the first of them on, and up to 64 KB", () => {
    const { opening, wait } = open();
    wait(3_000);
    expect(opening.isElapsed).toBe(false);
    expect(opening.isOpen(read(ROLE), 64 * KB)).toBe(true);
    expect(opening.isOpen(read(ROLE), 64 * KB + 1)).toBe(false);
    wait(999);
    expect([opening.isOpen(read(ROLE), 100), opening.isElapsed]).toEqual([true, false]);
    wait(1);
    expect([opening.isOpen(read(ROLE), 100), opening.isElapsed]).toEqual([false, true]);
  });

  it("are no more once there is output, however little", () => {
    const { opening } = open();
    for (const delta of [
      { content: "H" },
      { reasoning_content: "H" },
      { tool_calls: [{ index: 0, id: "a", function: { name: "f" } }] },
    ])
      expect(opening.isOpen(read(ROLE, { delta, finish_reason: null }), 100)).toBe(false);
  });

  it("are held to the end of an answer that ends without a word, which is judged as a whole", () => {
    const { opening, wait } = open();
    const finished = read(ROLE, { delta: {}, finish_reason: "stop" });
    finished.write(Buffer.from("data: [DONE]\n\n"));
    wait(10_000);
    expect(opening.isOpen(finished, 256 * KB)).toBe(true);
    expect(opening.isOpen(finished, 256 * KB + 1)).toBe(false);
  });

  it("come too late where comments alone have filled the time for a first byte", () => {
    const { opening, wait } = open();
    wait(TIMEOUT_MS - 1);
    expect(opening.isLate).toBe(false);
    wait(1);
    expect(opening.isLate).toBe(true);
  });
});
