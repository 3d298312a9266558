import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hasRedis, type RedisServer, startRedis } from "../../test/support/redis-server.ts";
import { report } from "../../test/support/report.ts";
import type { Caller } from "../accounts/caller.ts";
import { systemClock } from "../base/clock.ts";
import { GatewayError } from "../errors.ts";
import { silentLog } from "../observe/log.ts";
import { createLimits, type Limits, redisProblem } from "./limits.ts";

describe("a Redis that is lost and comes back", () => {
  it("is told of once each time, however often the connection is tried meanwhile", async () => {
    /** Connections that are still to be closed at once. */
    let toClose = 0;
    const sockets: Socket[] = [];
    const redis = createServer((socket) => {
      socket.on("error", () => undefined);
      if (toClose > 0) {
        toClose -= 1;
        socket.destroy();
        return;
      }
      socket.on("data", (chunk) => {
        for (const [, command = ""] of chunk.toString("latin1").matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
          socket.write(command.toLowerCase() === "info" ? INFO : "+OK\r\n");
      });
      sockets.push(socket);
    }).listen(0, "127.0.0.1");
    await once(redis, "listening");
    const told: string[] = [];
    const log = {
      ...silentLog,
      info: (_: unknown, message: string) => void told.push(message),
      warn: (_: unknown, message: string) => void told.push(message),
    };
    const redisUrl = `redis://127.0.0.1:${(redis.address() as AddressInfo).port}`;
    const limits = await createLimits({ redisUrl, clock: systemClock, log });
    try {
      expect(told).toEqual([]);
      toClose = 4;
      for (const socket of sockets.splice(0)) socket.destroy();
      await vi.waitFor(() => expect(told.at(-1)).toContain("reachable again"), 20_000);
      expect([toClose, told]).toEqual([
        0,
        [expect.stringContaining("Redis is unreachable"), expect.stringContaining("reachable again")],
      ]);
    } finally {
      await limits.close();
      redis.close();
    }
  });

  it("is what a check of it says", async () => {
    expect(await redisProblem("redis://127.0.0.1:1")).toContain("ECONNREFUSED");
  });
});

if (!hasRedis) report("what a lost Redis does to limits is not tested: redis-server is not installed");

describe.skipIf(!hasRedis)("limits of two processes whose Redis is lost", () => {
  let redis: RedisServer;
  let both: readonly [Limits, Limits];
  /** How often either of them has said that Redis is back. */
  let back = 0;
  beforeAll(async () => {
    redis = await startRedis();
    const info = () => {
      back += 1;
    };
    const log = { ...silentLog, info };
    const options = { redisUrl: redis.url, clock: systemClock, log };
    both = [await createLimits(options), await createLimits(options)];
  });
  afterAll(async () => {
    for (const limits of both ?? []) await limits.close();
    await redis?.end();
  });

  /** True if this process lets a request in, which then uses the tokens of two minutes. */
  const isLetIn = async (process: 0 | 1, keyId: bigint, rateLimits: object): Promise<boolean> => {
    try {
      const admission = await both[process].admit({ keyId, rateLimits } as unknown as Caller);
      await admission?.reserveTokens(() => ABOUT);
      admission?.finish({ input: 2 * TOKENS, output: 0 });
      // What it used is counted behind its end.
      await sleep(50);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      return false;
    }
  };

  it("go on from what they saw last, and know of each other when it is back, though it comes back empty", async () => {
    const requests = (process: 0 | 1) => isLetIn(process, 1n, { requestsPerMinute: LIMIT });
    const tokens = (process: 0 | 1, key: bigint) => isLetIn(process, key, { tokensPerMinute: TOKENS });
    const letIn = async (process: 0 | 1) => {
      let count = 0;
      while (await requests(process)) count += 1;
      return count;
    };
    for (const process of [0, 1, 0, 1, 1, 0] as const) expect(await requests(process)).toBe(true);
    expect([await tokens(0, 2n), await tokens(1, 2n)]).toEqual([true, false]);
    await redis.end();
    // The first process saw the sixth request, the second one the fifth.
    expect([await letIn(0), await letIn(1)]).toEqual([LIMIT - 6, LIMIT - 5]);
    expect([await tokens(0, 2n), await tokens(1, 2n)]).toEqual([false, false]);
    expect(await tokens(0, 3n)).toBe(true);
    redis = await startRedis(redis.port);
    await vi.waitFor(() => expect(back).toBe(2), 20_000);
    // The first one adds what it counted alone, so that the second one knows of it.
    expect([await requests(0), await requests(1)]).toEqual([false, false]);
    expect([await tokens(0, 3n), await tokens(1, 3n)]).toEqual([false, false]);
  });
});

const LIMIT = 10;
const TOKENS = 10_000;
const ABOUT = {
  model: "text",
  bytes: { plain: 40, dense: 0 },
  imageTokens: 0,
  inputLimit: undefined,
  outputLimit: 0,
  responses: 1,
};

/** What a client reads to see that the server is ready. */
const INFO = "$21\r\nredis_version:7.0.0\r\n\r\n";
