import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../observe/log.ts";
import { createLimits, redisProblem } from "./limits.ts";

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

/** What a client reads to see that the server is ready. */
const INFO = "$21\r\nredis_version:7.0.0\r\n\r\n";
