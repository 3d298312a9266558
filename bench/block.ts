import { setTimeout as sleep } from "node:timers/promises";
import { FORWARDED_MODEL, PLAIN_BODY } from "./answers.ts";
import type { Contestant } from "./contestant.ts";
import { median } from "./rounds.ts";

/** How long a server's event loop stood still, in milliseconds beyond the interval at which it looks. */
export interface Blocks {
  /** While nobody asks: what the measurement itself and the machine add. */
  readonly idleMs: number;
  /** While one body of the largest size is forwarded: the longest of each, least, median and most of a few. */
  readonly largeBodyMs: readonly [least: number, median: number, most: number];
  readonly answered: number;
  readonly complaints: readonly string[];
}

/** The largest body that a text endpoint takes is 32 MB; JSON and names stand around the text. */
const TEXT_BYTES = 32 * 1024 * 1024 - 1024;
const TIMES = 7;
const IDLE_MS = 500;

/** The server's histogram sees a loop that never waits as one interval. */
const INTERVAL_MS = 10;

/** Forwards bodies of the largest size, one at a time, and asks the server how long its loop was blocked. */
export async function measureBlocks(server: Contestant): Promise<Blocks> {
  const url = `http://127.0.0.1:${server.port}`;
  const body = JSON.stringify({
    model: FORWARDED_MODEL,
    messages: [{ role: "user", content: "A gateway passes on what it was given. ".repeat(TEXT_BYTES / 39) }],
  });
  await longestBlock(url);
  await sleep(IDLE_MS);
  const idleMs = await longestBlock(url);
  const blocks: number[] = [];
  const complaints: string[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...server.headers, "content-type": "application/json" },
      body,
    });
    const text = await response.text();
    if (text !== PLAIN_BODY)
      complaints.push(`a large body was answered ${response.status} ${text.slice(0, 200)}`);
    blocks.push(await longestBlock(url));
  }
  return {
    idleMs,
    largeBodyMs: [Math.min(...blocks), median(blocks), Math.max(...blocks)],
    answered: TIMES - complaints.length,
    complaints,
  };
}

/** Since it was last asked. */
async function longestBlock(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  return Math.max(0, Number(seconds) * 1000 - INTERVAL_MS);
}
