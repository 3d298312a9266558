import { describe, expect, it } from "vitest";
import { drainLaws } from "../support/drain.ts";
import { freePort } from "../support/free-port.ts";
import { startGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { childrenOf } from "../support/proc.ts";
import { call } from "../support/text-caller.ts";
import { serveWell, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

drainLaws([]);

describe("--processes 2", () => {
  it("serves from both, and replaces one that is killed", async () => {
    const vendor = await vendorUpstream(serveWell);
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
