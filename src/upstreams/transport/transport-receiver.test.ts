import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import {
  callOf,
  deaf,
  OK,
  pause,
  transportRig,
  until,
  upstreamOf,
} from "../../../test/support/transport-rig.ts";

const rig = transportRig();
afterEach(() => rig.reset());

describe("the receiver", () => {
  it("is called back only after send has returned", async () => {
    let returned = false;
    const seen: boolean[] = [];
    const call = rig.transport.send(callOf(upstreamOf("ftp://nowhere")), {
      ...deaf,
      failed: () => seen.push(returned),
    });
    returned = true;
    await until(() => seen.length === 1);
    expect(seen).toEqual([true]);
    call.abort();
  });

  it("whose abort is seen by the upstream at once, 1,000 times without a leaked connection", async () => {
    const upstream = await rig.serve(
      ({ socket }) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1\r\na\r\n`),
      { maxConcurrency: 50 },
    );
    for (let batch = 0; batch < 20; batch += 1) {
      const runs = Array.from({ length: 50 }, () => rig.open(callOf(upstream, { streamed: true })));
      await until(() => runs.every((run) => run.text === "a"));
      for (const run of runs) run.flight.abort();
      expect(rig.transport.inFlight(upstream.id)).toBe(0);
      await until(() => rig.server.open.size === 0);
      expect(runs.filter((run) => run.failures > 0 || run.ended)).toEqual([]);
    }
    expect(rig.server.requests.length).toBe(1_000);
    expect(rig.transport.stats()[0]).toMatchObject({ inFlight: 0, connections: 0 });
  });

  it("may abort while connecting, before any byte is sent", async () => {
    const upstream = await rig.serve(() => undefined);
    const run = rig.open(callOf(upstream));
    run.flight.abort();
    await until(() => rig.server.accepted() === 1 && rig.server.open.size === 0);
    expect(rig.server.requests).toEqual([]);
    expect(run).toMatchObject({ failures: 0, ended: false });
  });

  it("may abort while a large body is still on its way to an upstream that reads none of it", async () => {
    const sockets = new Set<Socket>();
    const unread = createServer({ pauseOnConnect: true }, (socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    });
    unread.listen(0, "127.0.0.1");
    await until(() => unread.listening);
    const { port } = unread.address() as AddressInfo;
    const pieces = Array.from({ length: 32 }, () => Buffer.alloc(1024 * 1024));
    const upstream = upstreamOf(`http://127.0.0.1:${port}`);
    const run = rig.open(callOf(upstream, { body: pieces }));
    await until(() => sockets.size === 1);
    await pause(100);
    run.flight.abort();
    // Bytes that the kernel had taken before are read first; then comes the end.
    for (const socket of sockets) socket.resume();
    await until(() => sockets.size === 0);
    expect(run).toMatchObject({ failures: 0, ended: false });
    expect(rig.transport.inFlight(upstream.id)).toBe(0);
    unread.close();
  });

  it("that pauses stops a flood within the sockets' buffers and loses no byte", async () => {
    const total = 64 * 1024 * 1024;
    let written = 0;
    const upstream = await rig.serve(({ socket }) => {
      const piece = Buffer.alloc(64 * 1024, "x");
      const more = (): void => {
        let room = true;
        while (room && written < total) {
          written += piece.length;
          room = socket.write(piece);
        }
      };
      socket.on("drain", more);
      socket.write(`${OK}content-length: ${total}\r\n\r\n`);
      more();
    });
    let received = 0;
    const run = rig.open(callOf(upstream, { streamed: true }), {
      data(chunk) {
        received += chunk.length;
        if (received === chunk.length) run.flight.pause();
      },
    });
    await until(() => received > 0);
    for (let before = -1; before !== written; await pause(400)) before = written;
    expect(received).toBeLessThan(256 * 1024);
    expect(written).toBeLessThan(16 * 1024 * 1024);
    run.flight.resume();
    await until(() => run.ended);
    expect(received).toBe(total);
  });

  it("that pauses at each of many small pieces keeps a flood in the sockets' buffers too", async () => {
    const total = 64 * 1024 * 1024;
    const piece = Buffer.from(`3f9\r\n${"x".repeat(0x3f9)}\r\n`.repeat(64));
    let written = 0;
    const upstream = await rig.serve(({ socket }) => {
      const more = (): void => {
        let room = true;
        while (room && written < total) {
          written += piece.length;
          room = socket.write(piece);
        }
      };
      socket.on("drain", more);
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      more();
    });
    let received = 0;
    const run = rig.open(callOf(upstream, { streamed: true }), {
      data(chunk) {
        received += chunk.length;
        run.flight.pause();
        setImmediate(() => run.flight.resume());
      },
    });
    await until(() => received > 2 * 1024 * 1024);
    expect(written).toBeLessThan(16 * 1024 * 1024);
    run.flight.abort();
  });

  it("that pauses loses nothing of an answer whose upstream has closed meanwhile", async () => {
    const body = "x".repeat(300_000);
    const upstream = await rig.serve(({ socket }) =>
      socket.end(`${OK}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    let received = 0;
    const run = rig.open(callOf(upstream, { streamed: true }), {
      data(chunk) {
        if (received === 0) run.flight.pause();
        received += chunk.length;
      },
    });
    await until(() => received > 0);
    await pause(300);
    expect(run).toMatchObject({ ended: false, failures: 0 });
    run.flight.resume();
    await until(() => run.ended);
    expect(received).toBe(body.length);
  });

  it("may let another go on while it is told of its own answer", async () => {
    const body = "x".repeat(300_000);
    const upstream = await rig.serve(({ socket }) =>
      socket.write(`${OK}content-length: ${body.length}\r\n\r\n${body}`),
    );
    const first = rig.open(callOf(upstream, { streamed: true }), {
      data(chunk) {
        if (received === 0) first.flight.pause();
        received += chunk.length;
      },
    });
    let received = 0;
    await until(() => received > 0);
    const second = rig.open(callOf(upstream, { streamed: true }), {
      data: () => first.flight.resume(),
    });
    await until(() => first.ended && second.ended);
    expect([received, first.failures, second.failures]).toEqual([body.length, 0, 0]);
  });

  it("that throws ends its own request only", async () => {
    const upstream = await rig.serve(({ socket }) => socket.write(`${OK}content-length: 4\r\n\r\nboth`));
    const response = await rig.responseOf(callOf(upstream), {
      data() {
        throw new Error("a bug");
      },
    });
    expect(response.failure).toMatchObject({ kind: "aborted", phase: "body" });
    expect(await rig.responseOf(callOf(upstream))).toMatchObject({ text: "both", ended: true });
  });
});

describe("connections", () => {
  it("of an upstream that left the catalog are closed when its last request ends", async () => {
    let finish = (): void => undefined;
    const upstream = await rig.serve(({ socket }) => {
      socket.write(`${OK}content-length: 2\r\n\r\no`);
      finish = () => socket.write("k");
    });
    const run = rig.open(callOf(upstream));
    await until(() => run.text === "o");
    rig.transport.retain([]);
    await pause(50);
    expect(rig.server.open.size).toBe(1);
    finish();
    await until(() => run.ended && rig.server.open.size === 0);
    expect(rig.transport.stats()).toEqual([]);
  });

  it("stay where the catalog changed elsewhere, also for a request that still holds the old record", async () => {
    const upstream = await rig.serve(({ socket }) => socket.write(`${OK}content-length: 2\r\n\r\nok`));
    await rig.responseOf(callOf(upstream));
    rig.transport.retain([{ ...upstream, weight: 7 }]);
    await rig.responseOf(callOf({ ...upstream, weight: 7 }));
    await rig.responseOf(callOf(upstream));
    expect(rig.server.accepted()).toBe(1);
    rig.transport.retain([]);
    await until(() => rig.server.open.size === 0);
    expect(await rig.responseOf(callOf(upstream))).toMatchObject({ ended: true });
  });

  it("are all closed by close, and what runs fails as aborted", async () => {
    const upstream = await rig.serve(({ socket }) => socket.write(`${OK}content-length: 2\r\n\r\no`));
    const run = rig.open(callOf(upstream));
    await until(() => run.text === "o");
    await rig.transport.close();
    expect(run.failure).toMatchObject({ kind: "aborted", phase: "body" });
    await until(() => rig.server.open.size === 0);
  });
});

describe("a receiver that rests", () => {
  const TOTAL = 4 * 1024 * 1024;
  const numbered = Buffer.from(
    Array.from({ length: TOTAL / 8 }, (_, at) => String(at).padStart(8, "0")).join(""),
  );

  /** The turns of the event loop so far, counted until stopped. */
  const turnCounter = () => {
    let turns = 0;
    let stopped = false;
    const next = (): void => {
      turns += 1;
      if (!stopped) setImmediate(next);
    };
    setImmediate(next);
    const stop = (): void => {
      stopped = true;
    };
    return { now: () => turns, stop };
  };

  for (const coding of ["plain", "gzip"] as const) {
    const sent = coding === "gzip" ? gzipSync(numbered) : numbered;
    const head = `${OK}content-length: ${sent.length}\r\n${coding === "gzip" ? "content-encoding: gzip\r\n" : ""}\r\n`;

    it(`is called back once a turn with what came in one piece (${coding}), in order and whole, and others are in between`, async () => {
      const upstream = await rig.serve(
        ({ socket }) => void socket.write(Buffer.concat([Buffer.from(head), sent])),
      );
      const other = await rig.serve(({ socket }) => void socket.write(`${OK}content-length: 2\r\n\r\nok`));
      const turns = turnCounter();
      const received: Buffer[] = [];
      const at: number[] = [];
      const run = rig.open(callOf(upstream, { streamed: true }), {
        data(chunk) {
          received.push(chunk);
          at.push(turns.now());
          run.flight.rest();
          run.flight.rest();
        },
      });
      while (!run.ended) expect((await rig.responseOf(callOf(other))).text).toBe("ok");
      turns.stop();
      expect(Buffer.concat(received).equals(numbered)).toBe(true);
      // Between two turns whoever else has something is served; how many are is the machine's to say.
      expect(at.length).toBeGreaterThan(1);
      expect(new Set(at).size).toBe(at.length);
    });

    it(`may pause and abort while it rests (${coding})`, async () => {
      const upstream = await rig.serve(
        ({ socket }) => void socket.write(Buffer.concat([Buffer.from(head), sent])),
      );
      let received = 0;
      const run = rig.open(callOf(upstream, { streamed: true }), {
        data(chunk) {
          received += chunk.length;
          run.flight.rest();
          run.flight.pause();
        },
      });
      await until(() => received > 0);
      const first = received;
      await pause(50);
      expect(received).toBe(first);
      run.flight.resume();
      await until(() => received > first);
      const second = received;
      run.flight.abort();
      await pause(50);
      expect([received, run.ended, run.failures]).toEqual([second, false, 0]);
    });
  }
});
