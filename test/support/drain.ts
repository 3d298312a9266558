import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "./gateway.ts";
import { modelsFile } from "./models-file.ts";
import { cleanLedger } from "./money-books.ts";
import { childrenOf, isRunning } from "./proc.ts";
import { call, contentChunks, TEXT_PROTOCOLS } from "./text-caller.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "./vendor-upstream.ts";
import { VENDOR_WIRES } from "./vendor-wire.ts";
import { waitFor } from "./wait.ts";

const CHUNKS = 30;
const PACE_MS = 100;
const PER_PROTOCOL = 5;

/** A gateway of one process, or of several with what such options say. */
export function drainLaws(args: readonly string[]): void {
  describe(`SIGTERM while streams run, ${args.join(" ") || "one process"}`, () => {
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
}

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
