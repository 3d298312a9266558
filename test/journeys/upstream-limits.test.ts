import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../src/console/routing/contract.ts";
import type { Upstream } from "../../src/console/upstreams/contract.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { type ScriptedUpstream, scriptedUpstream } from "../support/scripted-upstream.ts";
import { call } from "../support/text-caller.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;

/** Of each model the upstream that is asked first has limits. */
const MODELS = ["counted", "tokened", "alone"];

beforeAll(async () => {
  const text = VENDOR_WIRES["chat-completions"].plain("text");
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  [first, second] = (await Promise.all(
    [0, 1].map(() => scriptedUpstream(({ socket }) => void socket.write(head + text))),
  )) as [ScriptedUpstream, ScriptedUpstream];
  const upstream = (name: string, url: string, models: string[], ...more: string[]) => ({
    name,
    url,
    models,
    protocols: ["chat-completions"],
    more,
  });
  gateway = await startGateway({
    catalog: catalogFile({
      likeText: MODELS,
      upstreams: [
        upstream("counted", first.url, ["counted"], "limits: { requests_per_minute: 3 }"),
        upstream("tokened", first.url, ["tokened"], "limits: { tokens_per_minute: 50 }"),
        upstream("alone", first.url, ["alone"], "limits: { requests_per_minute: 1, concurrency: 7 }"),
        { ...upstream("spare", second.url, ["counted", "tokened"]), priority: 9 },
      ],
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
});

afterAll(async () => {
  await gateway?.clean();
  await Promise.all([first?.close(), second?.close()]);
});

const ask = (model: string) => call(gateway.url, { protocol: "chat-completions", model, prompt: "Hello" });
const asked = (upstream: ScriptedUpstream, model: string): number =>
  upstream.requests.filter(({ body }) => body.toString("utf8").includes(`"${model}"`)).length;

describe("an upstream's limits per minute", () => {
  it("send exactly so many requests there, even at once, and all others to the next upstream", async () => {
    const heard = await Promise.all(Array.from({ length: 12 }, () => ask("counted")));
    expect(heard.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(asked(first, "counted")).toBe(3);
    expect(asked(second, "counted")).toBe(9);
  });

  it("count tokens, those that responses have used", async () => {
    for (let round = 0; round < 6; round += 1) expect(await ask("tokened")).toMatchObject({ status: 200 });
    expect(asked(first, "tokened")).toBeGreaterThan(0);
    expect(asked(second, "tokened")).toBeGreaterThan(0);
  });

  it("where no other upstream is left are told to the caller with the time to wait, and cost no health", async () => {
    expect(await ask("alone")).toMatchObject({ status: 200 });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "alone", messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(response.status).toBe(503);
    const seconds = Number(response.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(2);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(asked(first, "alone")).toBe(1);
    const operator = await signIn(gateway);
    const { body } = await operator.get("/operator/routing?model=alone");
    const [target] = (body as Route).targets;
    expect(target?.limited_seconds).toBeGreaterThan(2);
    expect(target?.credentials).toMatchObject([{ state: "ready" }]);
    const listed = (await operator.get("/operator/upstreams")).body as { readonly data: readonly Upstream[] };
    const alone = listed.data.find(({ name }) => name === "alone");
    expect(alone?.limits).toEqual({ concurrency: 7, requests_per_minute: 1 });
    expect(alone?.health.limited_seconds).toBeGreaterThan(2);
    expect(alone?.health.attempts).toMatchObject({ failed: 0, rate_limited: 0 });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/faregate_upstream_limited_seconds\{upstream="alone"\} [1-9]/);
  });

  it("are named by doctor", async () => {
    const { stdout } = await gateway.run("doctor");
    expect(stdout).toMatch(/ok {4}upstream counted: takes at most 3 requests per minute in each process/);
    expect(stdout).toMatch(/upstream alone: takes at most 7 requests at once in each process; 1 request per/);
    expect(stdout).not.toMatch(/upstream spare: takes/);
  });

  it("leave the books clean", () => cleanLedger(gateway));
});
