import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_KEY } from "../support/gateway.ts";
import { cleanLedger, expectNothingOpen } from "../support/money-books.ts";
import { type MoneyRig, startMoneyRig } from "../support/money-rig.ts";
import { openRaw, rawExchange, statusesIn } from "../support/raw-exchange.ts";
import { wireForm } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";

/** Half of what a stop waits for requests that do not end. */
const SOON_MS = 15_000;

const KEY = `authorization: Bearer ${TEST_KEY}`;
const MODELS = `GET /v1/models HTTP/1.1\r\nhost: a\r\n${KEY}\r\n\r\n`;

function chat(directive: string, streamed = false): string {
  const prompt = `Count. [[sandbox: ${directive}]]`;
  const body = JSON.stringify(wireForm({ protocol: "chat-completions", prompt, streamed }).body);
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n${KEY}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

describe("requests sent on one connection before the answers to those ahead of them", () => {
  let rig: MoneyRig;
  beforeAll(async () => {
    rig = await startMoneyRig();
  });
  afterAll(() => rig.stop());

  it("are answered in order, each charged once", async () => {
    const heard = await rawExchange(
      rig.url,
      chat("tag=slow chunks=4 pace=100", true) + MODELS + chat("tag=fast"),
    );
    expect(statusesIn(heard)).toEqual([200, 200, 200]);
    const [streamed, models, plain] = ["[DONE]", '"object":"list"', '"chat.completion"'].map((mark) =>
      heard.indexOf(mark),
    );
    expect(streamed).toBeGreaterThan(0);
    expect(models).toBeGreaterThan(streamed ?? 0);
    expect(plain).toBeGreaterThan(models ?? 0);
    for (const tag of ["slow", "fast"])
      expect((await rig.accountOf(tag)).row).toMatchObject({ reason: "completed", status: 200 });
  });

  it("are not begun where their connection ends first, and hold up no stop", async () => {
    const caller = openRaw(rig.url);
    caller.write(chat("tag=left chunks=20 pace=100", true) + chat("tag=behind chunks=20", true) + MODELS);
    await waitFor("the first answer's beginning", () => caller.heard().includes("data: "));
    caller.leave();
    expect((await rig.accountOf("left")).row).toMatchObject({ reason: "client_aborted" });
    const beganMs = performance.now();
    expect(await rig.gateway.end()).toBe(0);
    expect(performance.now() - beganMs).toBeLessThan(SOON_MS);
    expect((await rig.sandbox.journal()).map((line) => line["tag"])).not.toContain("behind");
    await expectNothingOpen(rig.databaseUrl);
    await cleanLedger(rig.gateway);
  });
});
