import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createMetrics } from "../../observe/metrics.ts";
import { serveMetrics } from "./metrics-server.ts";

describe("the address of the metrics", () => {
  it("costs the gateway nothing but a line of its log where its port is none", async () => {
    const error = vi.fn();
    const server = serveMetrics({
      address: () => "127.0.0.1:99999",
      metrics: createMetrics(),
      notReady: async () => undefined,
      log: { error } as never,
      errorType: "gateway_error",
    });
    await pause(0);
    await server.close();
    expect(error.mock.calls).toMatchObject([
      [{ address: "127.0.0.1:99999" }, expect.stringContaining("metrics_address")],
    ]);
  });
});
