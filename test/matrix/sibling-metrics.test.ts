import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { childrenOf } from "../support/proc.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const REQUESTS = 12;

describe("/metrics of --processes 2", () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await startGateway({
      catalog: catalogFile({ upstreams: [{ url: sandbox.url }] }),
      args: ["--processes", "2"],
    });
  });
  afterAll(async () => {
    await gateway.clean();
    await sandbox.stop();
  });

  /** On a connection of its own, which any of the processes takes. */
  const call = async (path: string, body?: object): Promise<string> => {
    const agent = new Agent({ keepAlive: false });
    const headers = { authorization: `Bearer ${TEST_KEY}` };
    const method = body === undefined ? "GET" : "POST";
    const sent = request(`${gateway.url}${path}`, { agent, headers, method }).end(
      body && JSON.stringify(body),
    );
    const [response] = await once(sent, "response");
    expect(response.statusCode).toBe(200);
    return (await response.toArray()).join("");
  };
  const samples = (text: string, metric: string): readonly (readonly [process: string, value: number])[] =>
    Array.from(
      text.matchAll(new RegExp(`^${metric}{process="(\\d)".*} (\\S+)$`, "gm")),
      ([, process = "", value]) => [process, Number(value)] as const,
    );
  const processes = (text: string): readonly string[] =>
    samples(text, "faregate_requests_running").map(([process]) => process);

  it("is the same whoever answers, with the numbers of both", async () => {
    await waitFor("both processes", async () => processes(await call("/metrics")).length === 2);
    const messages = [{ role: "user", content: "Hello" }];
    for (let count = 0; count < REQUESTS; count += 1)
      await call("/v1/chat/completions", { model: "text", messages });
    for (let scrapes = 0; scrapes < 6; scrapes += 1) {
      const text = await call("/metrics");
      expect(processes(text)).toEqual(["1", "2"]);
      const counted = samples(text, "faregate_requests_total");
      expect(counted.reduce((sum, [, value]) => sum + value, 0)).toBe(REQUESTS);
    }
  });

  it("leaves out a process that says nothing, and has the one that takes the place of a dead one", async () => {
    const [paused = 0] = await childrenOf(gateway.child.pid ?? 0);
    process.kill(paused, "SIGSTOP");
    // Whoever asks the paused one waits; a connection to it must not hold up the others.
    const alone = await waitFor("the other process to answer", async () =>
      Promise.race([call("/metrics"), sleep(5_000, undefined)]),
    );
    expect(processes(alone)).toHaveLength(1);
    process.kill(paused, "SIGKILL");
    const both = await waitFor("one in its place", async () => {
      const text = await call("/metrics").catch(() => "");
      return processes(text).length === 2 && text;
    });
    expect(processes(both)).toEqual(["1", "2"]);
  });
});
