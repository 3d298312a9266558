import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { TEST_KEY } from "../support/gateway.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import { waitFor } from "../support/wait.ts";

describe("an address for monitors (settings.metrics_address)", () => {
  let gateways: Gateways | undefined;
  let monitor: string;
  beforeEach(async () => {
    monitor = `127.0.0.1:${await freePort()}`;
  });
  afterEach(async () => {
    await gateways?.clean();
    gateways = undefined;
  });

  const start = async (args: readonly string[] = []): Promise<Gateways> => {
    const catalog = `version: 1
settings: { metrics_address: "${monitor}" }
accounts: [{ name: acme, balance: 1, keys: [{ name: main, key: ${TEST_KEY} }] }]
`;
    const started = await startGateways(1, { catalog, args });
    await waitFor("the monitors' address", async () => {
      const found = await fetch(`http://${monitor}/healthz`).catch(() => undefined);
      return found?.status === 200;
    });
    return started;
  };
  const get = async (base: string, path: string) => {
    const response = await fetch(`${base}${path}`);
    return { status: response.status, text: await response.text() };
  };

  it("takes /metrics off the public port, and has the probes", async () => {
    gateways = await start();
    const { url } = gateways.first;
    expect(await get(`http://${monitor}`, "/metrics")).toMatchObject({
      status: 200,
      text: expect.stringContaining("faregate_requests_running 0"),
    });
    expect(await get(url, "/metrics")).toMatchObject({
      status: 404,
      text: expect.stringContaining("settings.metrics_address"),
    });
    for (const base of [url, `http://${monitor}`]) {
      expect(await get(base, "/healthz")).toEqual({ status: 200, text: '{"status":"ok"}' });
      expect(await get(base, "/readyz")).toEqual({ status: 200, text: '{"status":"ready"}' });
    }
    expect((await get(`http://${monitor}`, "/v1/models")).status).toBe(404);
  });

  it("tells of a --role worker, which has no other, and why it is not ready", async () => {
    gateways = await start(["--role", "worker"]);
    const base = `http://${monitor}`;
    expect(await get(base, "/metrics")).toMatchObject({
      status: 200,
      text: expect.stringContaining("faregate_tasks_in_hands 0"),
    });
    expect(await get(base, "/readyz")).toEqual({ status: 200, text: '{"status":"ready"}' });
    await gateways.first.database?.shut();
    const reason = "the database cannot be reached";
    await waitFor("the worker to notice", async () => (await get(base, "/readyz")).status === 503);
    expect(JSON.parse((await get(base, "/readyz")).text)).toEqual({ status: "not_ready", reason });
    expect((await get(base, "/healthz")).status).toBe(200);
  });
});
