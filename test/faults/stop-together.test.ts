import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import { childrenOf, groupOf, isRunning } from "../support/proc.ts";
import { call, type Heard } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";

/** A stream of two seconds that has begun. */
async function streaming(url: string): Promise<{ whole: Promise<Heard> }> {
  const prompt = "Count. [[sandbox: chunks=20 pace=100]]";
  let heard = "";
  const whole = call(
    url,
    { protocol: "messages", model: "text-large", streamed: true, prompt },
    {
      resetWhen(text) {
        heard = text;
        return false;
      },
    },
  );
  const refused = whole.then(({ status, text }) => Promise.reject(new Error(`no stream: ${status} ${text}`)));
  await Promise.race([waitFor("the stream", () => heard.includes("content_block_delta")), refused]);
  return { whole };
}

describe("a demo gateway with its embedded sandbox", { timeout: PATIENCE_MS }, () => {
  let gateway: TestGateway | undefined;
  afterEach(() => gateway?.clean());

  const start = async (
    args: readonly string[] = [],
  ): Promise<{ gateway: TestGateway; pid: number; sandbox: number }> => {
    gateway = await startGateway({ args, env: { FAREGATE_BOOTSTRAP_KEY: TEST_KEY } });
    const pid = gateway.child.pid ?? 0;
    const [sandbox = 0] = await childrenOf(pid);
    return { gateway, pid, sandbox };
  };

  it("finishes what runs when its whole process group is told to stop, as by Ctrl-C", async () => {
    const { gateway, pid, sandbox } = await start();
    const response = await streaming(gateway.url);
    for (const member of [sandbox, pid]) {
      if ((await groupOf(member)) === (await groupOf(pid))) process.kill(member, "SIGTERM");
    }
    expect(await response.whole).toMatchObject({ complete: true });
    expect(await gateway.ended).toBe(0);
    expect(gateway.output()).not.toMatch(/sandbox (process died|failed to start)/);
    await waitFor("the sandbox's end", async () => !(await isRunning(sandbox)));
  });

  it("finishes what runs when it is told twice, as by npm, which passes on what its group was told", async () => {
    const { gateway, pid } = await start();
    const response = await streaming(gateway.url);
    process.kill(pid, "SIGTERM");
    await waitFor("the first to be heard", () => gateway.output().includes("shutdown started"));
    process.kill(pid, "SIGTERM");
    expect(await response.whole).toMatchObject({ complete: true });
    expect(await gateway.ended).toBe(0);
  });

  it("answers a request that was still being sent when it was told to stop", async () => {
    const { gateway, pid } = await start();
    const body = JSON.stringify({ model: "text-large", messages: [{ role: "user", content: "Hello" }] });
    const sent = request(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}`, "content-length": Buffer.byteLength(body) },
    });
    const answer = once(sent, "response") as Promise<[IncomingMessage]>;
    await new Promise((resolve) => sent.write(body.slice(0, 10), resolve));
    // Answered on a later connection, so the first has been accepted.
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    process.kill(pid, "SIGTERM");
    await waitFor("the signal to be heard", () => gateway.output().includes("shutdown started"));
    // Longer than a stop takes that has nothing to wait for.
    await sleep(1_000);
    sent.end(body.slice(10));
    const [response] = await answer;
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(await gateway.ended).toBe(0);
  });

  it("finishes what runs in several processes when all of them are told, as by systemd", async () => {
    const { gateway, pid } = await start(["--processes", "2"]);
    const response = await streaming(gateway.url);
    for (const member of [pid, ...(await childrenOf(pid))]) {
      if ((await groupOf(member)) === (await groupOf(pid))) process.kill(member, "SIGTERM");
    }
    expect(await response.whole).toMatchObject({ complete: true });
    expect(await gateway.ended).toBe(0);
  });

  it.each([
    ["died just before", async () => undefined],
    [
      "is being started anew",
      (pid: number) => waitFor("a new one", async () => (await childrenOf(pid)).length > 0),
    ],
  ])("stops in peace although the sandbox %s", async (_, meanwhile) => {
    const { gateway, pid, sandbox } = await start();
    process.kill(sandbox, "SIGKILL");
    await waitFor("its end", async () => !(await isRunning(sandbox)));
    await meanwhile(pid);
    expect(await gateway.end()).toBe(0);
    expect(gateway.output()).not.toMatch(/sandbox failed to start|after calling end/);
  });
});
