import { describe, expect, it } from "vitest";
import { joined } from "./worker-pool.ts";

const MB = 1024 * 1024;

describe("joining chunks for another thread", () => {
  it("copies every byte in order into memory of its own", async () => {
    const chunks = [1, 3 * MB, 0, 70_000, 2 * MB + 1].map((length, at) =>
      new Uint8Array(length).fill(at + 1),
    );
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const whole = await joined(chunks, length);
    expect(Buffer.compare(whole, Buffer.concat(chunks))).toBe(0);
    expect(whole.buffer.byteLength).toBe(length);
  });

  it.each([
    ["one chunk", [32 * MB]],
    ["many", Array<number>(512).fill(MB / 16)],
  ])("gives everybody else a turn for every two megabytes of %s", async (_, lengths) => {
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const chunks = lengths.map((length) => new Uint8Array(length));
    await joined(chunks, 32 * MB);
    over = true;
    expect(turns).toBeGreaterThanOrEqual(15);
  });
});
