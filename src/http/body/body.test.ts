import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Transform } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryBudget } from "../../base/async/memory-budget.ts";
import { systemTimers } from "../../base/async/timers.ts";
import { systemClock } from "../../base/clock.ts";
import { readBody } from "./body.ts";
import { BodyPace } from "./body-pace.ts";

/** Takes what it is given and never says so. */
class Stuck extends Transform {
  override _transform(): void {}
}

describe("a compressed body whose decoder is stuck", () => {
  let server: Server;
  let arrived: Promise<IncomingMessage[]>;
  beforeEach(async () => {
    server = createServer();
    arrived = once(server, "request") as Promise<IncomingMessage[]>;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(["whole", "half"])("is given up with its connection (%s of it has come)", async (part) => {
    const body = gzipSync(JSON.stringify({ model: "m", input: "x".repeat(1_000) }));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `POST / HTTP/1.1\r\nhost: a\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.write(part === "whole" ? body : body.subarray(0, 20));
    const [request] = await arrived;
    if (request === undefined) throw new Error("no request");
    const budget = new MemoryBudget(() => 1024 * 1024, systemTimers);
    const grant = budget.grant({ account: { small: 0, large: 0 }, key: { small: 0, large: 0 } });
    const decoder = new Stuck();
    const terms = {
      limitBytes: 1024 * 1024,
      grant,
      pace: new BodyPace(systemClock, systemTimers),
      weight: 1,
    };
    const read = readBody(request, terms, { write: () => undefined }, () => decoder);
    const failed = read.then(
      () => "read",
      (error: Error) => error.message,
    );
    await once(request, "data");
    socket.destroy();
    expect(await failed).toBe("The client closed the connection while sending the body.");
    expect(decoder.destroyed).toBe(true);
  });
});
