import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryBudget } from "../../base/async/memory-budget.ts";
import { systemTimers } from "../../base/async/timers.ts";
import { systemClock } from "../../base/clock.ts";
import { MEDIA_BODY_BYTES } from "./body.ts";
import { BodyPace } from "./body-pace.ts";
import { readJsonBody } from "./json-body.ts";

/** The first bytes of bodies with more values than any request has, written in different ways. */
const MANY_VALUES: Readonly<Record<string, string>> = {
  "a list of numbers": `{"model":"m","input":[${"1,".repeat(120_000)}`,
  "empty lists": `{"model":"m","input":[${"[],".repeat(120_000)}`,
  "lists in lists": `{"model":"m","input":[${"[[[1]]],".repeat(40_000)}`,
  "fields of objects": `{"model":"m","input":[${'{"a":1,"b":{}},'.repeat(50_000)}`,
  "unknown fields": `{${Array.from({ length: 120_000 }, (_, at) => `"f${at}":1`).join(",")},`,
};

describe("a JSON body with too many values", () => {
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

  it.each(Object.keys(MANY_VALUES))("is refused while the rest of it is still to come: %s", async (what) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${MEDIA_BODY_BYTES}\r\n\r\n`);
    socket.write(MANY_VALUES[what] ?? "");
    const [request] = await arrived;
    if (request === undefined) throw new Error("no request");
    const budget = new MemoryBudget(() => 8 * MEDIA_BODY_BYTES, systemTimers);
    const grant = budget.grant({ account: { small: 0, large: 0 }, key: { small: 0, large: 0 } });
    const terms = { limitBytes: MEDIA_BODY_BYTES, grant, pace: new BodyPace(systemClock, systemTimers) };
    await expect(readJsonBody(request, terms)).rejects.toMatchObject({
      reason: "invalid_request",
      message: "The body has more than 100000 values, which is the limit.",
    });
    expect(grant.bytes).toBe(0);
    socket.destroy();
  });
});
