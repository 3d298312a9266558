import { once } from "node:events";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Caller } from "../../accounts/caller.ts";
import { systemTimers } from "../../base/async/timers.ts";
import { systemClock } from "../../base/clock.ts";
import { createMetrics } from "../../observe/metrics.ts";
import { decoderOf } from "./body-codings.ts";
import { BodyMemory } from "./body-memory.ts";

const MB = 1024 * 1024;
const LIMIT = 100 * MB;
/** What the small bodies leave. */
const LARGE_SHARE = 0.9;
const WINDOW = 16 * MB;

const callerOf = (account: number): Caller =>
  ({ accountId: BigInt(account), keyId: BigInt(account) }) as unknown as Caller;

async function decodeSomething(): Promise<void> {
  const open = decoderOf("br");
  if (open === undefined || open === "unknown") throw new Error("no decoder of br");
  const decoder = open({ limitBytes: MB, owner: "acme", reserve: () => undefined });
  decoder.resume().end(brotliCompressSync("words"));
  await once(decoder, "end");
}

describe("the memory of bodies", () => {
  it("has the window of the decoder less once a compressed body has come", async () => {
    const bodies = new BodyMemory({ limitBytes: () => LIMIT, clock: systemClock, timers: systemTimers });
    const metrics = createMetrics();
    bodies.describe(metrics);
    await decodeSomething();
    const left = LARGE_SHARE * (LIMIT - WINDOW);
    const first = bodies.grantOf(callerOf(1));
    expect(first.growTo(left - MB)).toBeUndefined();
    expect(bodies.grantOf(callerOf(2)).growTo(MB + 1)).toBe("total");
    expect(bodies.grantOf(callerOf(3)).growTo(MB)).toBeUndefined();
    expect(await metrics.text()).toContain(`faregate_body_memory_bytes{pool="decoder"} ${WINDOW}`);
  });
});
