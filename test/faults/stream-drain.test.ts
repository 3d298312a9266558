import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger } from "../support/money-books.ts";
import { childrenOf, isRunning } from "../support/proc.ts";
import { call, contentChunks, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import {
  answerWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

const CHUNKS = 30;
const PACE_MS = 100;
const PER_PROTOCOL = 5;

const SETUPS = [
  { name: "one process", args: [] },
  { name: "--processes 2", args: ["--processes", "2"] },
] as const;

describe.each(SETUPS)("SIGTERM while streams run, $name", ({ args }) => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeEach(async () => {
    vendor = await vendorUpstream(streamSlowly);
    gateway = await startGateway({
      args,
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: vendor.url }] }),
    });
  });
  afterEach(async () => {
    await gateway?.clean();
    await vendor?.close();
  });

  it("finishes what runs, takes nothing new, and ends with 0 and clean books", async () => {
    const pids = [gateway.child.pid ?? 0, ...(await childrenOf(gateway.child.pid ?? 0))];
    expect(pids).toHaveLength(args.length === 0 ? 1 : 3);
    const running = TEXT_PROTOCOLS.flatMap((protocol) =>
      Array.from({ length: PER_PROTOCOL }, async () => ({
        protocol,
        heard: await call(gateway.url, { protocol, streamed: true, prompt: "Hello" }),
      })),
    );
    await waitFor("all streams to run", () => vendor.calls.length === running.length);
    const ended = gateway.end();
    await waitFor("no new connection", () =>
      fetch(`${gateway.url}/readyz`).then(
        (reply) => reply.status === 503,
        () => true,
      ),
    );
    const late = await call(gateway.url, { protocol: "messages", prompt: "Hello" });
    expect([0, 503]).toContain(late.status);
    for (const { protocol, heard } of await Promise.all(running)) {
      expect([protocol, heard.complete, contentChunks(protocol, heard.text)]).toEqual([
        protocol,
        true,
        expect.toSatisfy((n) => n >= CHUNKS),
      ]);
    }
    expect(await ended).toBe(0);
    for (const pid of pids) await waitFor(`process ${pid} to end`, async () => !(await isRunning(pid)));
    await cleanLedger(gateway);
  });

  it("ends with 0 when nothing runs, also on Ctrl-C", async () => {
    vendor.calls.splice(0);
    expect(await gateway.end("SIGINT")).toBe(0);
    await cleanLedger(gateway);
  });
});

describe("--processes 2", () => {
  it("serves from both, and replaces one that is killed", async () => {
    const vendor = await vendorUpstream(answerWell);
    const gateway = await startGateway({
      args: ["--processes", "2"],
      // A port that the system chose would be another one if the only process that listens yet were killed.
      env: { PORT: String(await freePort()) },
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: vendor.url }] }),
    });
    try {
      const pid = gateway.child.pid ?? 0;
      const before = await childrenOf(pid);
      expect(before).toHaveLength(2);
      const [victim = 0] = before;
      process.kill(victim, "SIGKILL");
      await waitFor("a process in its place", async () => {
        const now = await childrenOf(pid);
        return now.length === 2 && !now.includes(victim);
      });
      for (let index = 0; index < 20; index += 1) {
        const heard = await waitFor("an answer", async () => {
          const one = await call(gateway.url, { protocol: "messages", prompt: "Hello" });
          return one.status === 200 && one;
        });
        expect(heard.complete).toBe(true);
      }
      expect(await gateway.end()).toBe(0);
    } finally {
      await gateway.clean();
      await vendor.close();
    }
  });
});

function streamSlowly(each: VendorCall): void {
  const { protocol, model, response } = each;
  const wire = VENDOR_WIRES[protocol];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(wire.opening(model));
  let sent = 0;
  const pace = setInterval(() => {
    response.write(wire.delta("lo "));
    sent += 1;
    if (sent < CHUNKS) return;
    clearInterval(pace);
    response.end(wire.closing(model));
  }, PACE_MS);
  response.on("close", () => clearInterval(pace));
}
