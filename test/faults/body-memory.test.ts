import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BodySender, promptOf, zipped } from "../support/body-floods.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { residentBytes } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { call } from "../support/text-caller.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

const MB = 1024 * 1024;

/** The least there can be, so that little traffic fills it. */
const BUDGET_MB = 64;

const CHAT = "/v1/chat/completions";
/** Whether it is streamed stands in the body, but for the native calls. */
const TEXT_PATHS = [
  ...[CHAT, "/v1/responses", "/v1/messages"],
  ...["generateContent", "streamGenerateContent?alt=sse"].map((action) => `/v1beta/models/text:${action}`),
];
const POOR_KEY = "poor-key-0123456789abcdef";
const SPENT_KEY = "spent-key-0123456789abcdef";
const BUSY_KEY = "busy-key-0123456789abcdef";
const OTHER_KEY = "other-key-0123456789abcdef";

const CATALOG = (url: string): string => `version: 1
models:
  - { id: text, context_tokens: 20000000, max_output_tokens: 32000, price: { input: 0.001, output: 0.001 } }
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${url}", api_key: our-key, models: [text], protocols: [chat-completions], max_concurrency: 1000 }
settings: { body_memory_mb: ${BUDGET_MB} }
accounts:
  - { name: acme, balance: 1000, keys: [
      { name: test, key: ${TEST_KEY} },
      { name: spent, key: ${SPENT_KEY}, spending_limit: { amount: 0, period: total } },
      { name: busy, key: ${BUSY_KEY}, rate_limits: { concurrency: 1, requests_per_minute: 1000 } } ] }
  - { name: poor, balance: 0, keys: [{ name: poor, key: ${POOR_KEY} }] }
  - { name: others, balance: 1000, keys: [{ name: other, key: ${OTHER_KEY} }] }
`;

describe("H2, request bodies together", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  let hold: VendorCall[] | undefined;
  beforeAll(async () => {
    vendor = await vendorUpstream((each) => {
      if (hold === undefined) serveWell(each);
      else hold.push(each);
    });
    gateway = await startGateway({ catalog: CATALOG(vendor.url) });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const sender = (): BodySender => new BodySender(gateway.url);
  const memory = (): Promise<number> => residentBytes(gateway.child.pid ?? 0);
  /** What the metrics say of a name, by its labels. */
  const metric = async (name: string): Promise<string> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return text
      .split("\n")
      .filter((line) => line.startsWith(`faregate_${name}`))
      .join("\n");
  };
  const answered = async (senders: readonly BodySender[]): Promise<number[]> => {
    await waitFor("all answers", () => senders.every(({ status, closed }) => status > 0 || closed));
    return senders.map(({ status }) => status);
  };
  const honest = async (): Promise<void> => {
    const heard = await call(gateway.url, { protocol: "chat-completions", prompt: "Hi" }, { key: OTHER_KEY });
    expect(heard.status, heard.text).toBe(200);
  };

  it("are not waited for where the key is wrong, has no money, or is beyond a limit", async () => {
    const cases: [key: string, status: number, code: string][] = [
      ["no-such-key-0123456789abcdef", 401, ""],
      [POOR_KEY, 403, "insufficient_user_quota"],
      [SPENT_KEY, 403, "insufficient_user_quota"],
    ];
    for (const path of [...TEXT_PATHS, "/v1/images/generations"]) {
      for (const [key, status, code] of cases) {
        for (const lines of [["content-length: 31000000"], ["transfer-encoding: chunked"]]) {
          const caller = sender().head(path, key, lines);
          expect([path, key, await answered([caller])]).toEqual([path, key, [status]]);
          // Native errors have a number for a code, and ours beside it.
          expect(caller.heard).toMatch(new RegExp(`"(code|reason)":"${code}"`));
          caller.leave();
        }
      }
    }
    const first = sender().head(CHAT, BUSY_KEY, ["content-length: 100"]);
    for (const path of TEXT_PATHS)
      await waitFor("the first to be let in", async () => {
        const second = sender().head(path, BUSY_KEY, ["content-length: 31000000"]);
        await sleep(200);
        const refused = second.status === 429;
        second.leave();
        return refused;
      });
    first.leave();
    // Whoever leaves gives their place back.
    await waitFor("the place to be free", async () => {
      const heard = await call(
        gateway.url,
        { protocol: "chat-completions", prompt: "Hi" },
        { key: BUSY_KEY },
      );
      return heard.status === 200;
    });
  });

  it("are not asked for with 100 Continue where they are not wanted", async () => {
    const expecting = ["expect: 100-continue", "content-length: 1000"];
    const wrong = [
      ["no-such-key-0123456789abcdef", 401],
      [POOR_KEY, 403],
    ] as const;
    for (const [path, key, status] of TEXT_PATHS.flatMap((path) =>
      wrong.map((each) => [path, ...each] as const),
    )) {
      const caller = sender().head(path, key, expecting);
      expect([path, await answered([caller])]).toEqual([path, [status]]);
      expect(caller.heard).not.toContain("100 Continue");
      expect(caller.heard.toLowerCase()).toContain("\r\nconnection: close");
      caller.leave();
    }
    const { whole } = promptOf(1_000);
    const caller = sender().head(CHAT, TEST_KEY, expecting);
    await waitFor("the word to go on", () => caller.heard.startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
    caller.heard = "";
    await caller.send(whole);
    expect(await answered([caller])).toEqual([200]);
    caller.leave();
  });

  it("that stall are bounded and end with 408, while small ones are served", async () => {
    const { stalled, whole } = promptOf(31 * MB);
    const before = await memory();
    const senders = Array.from({ length: 12 }, () =>
      sender().head(CHAT, TEST_KEY, [`content-length: ${whole.length}`]),
    );
    const sending = Promise.all(senders.map((each) => each.send(stalled)));
    let most = before;
    await waitFor("all to be answered", async () => {
      await honest();
      most = Math.max(most, await memory());
      return senders.every(({ status, closed }) => status > 0 || closed);
    });
    await sending;
    report(`H2: 12 stalled bodies of 31 MB made the gateway ${((most - before) / MB).toFixed(0)} MB larger`);
    const statuses = await answered(senders);
    expect(new Set(statuses)).toEqual(new Set([408, 503]));
    // The first one alone fits the key's share.
    expect(statuses.filter((status) => status === 408).length).toBeLessThanOrEqual(2);
    expect(senders.find(({ status }) => status === 503)?.heard).toMatch(/\r\nretry-after: \d/i);
    expect(most - before).toBeLessThan((BUDGET_MB + 150) * MB);
    expect(await metric("body_memory_bytes")).toMatch(/pool="large"\} 0$/m);
    expect(await metric("body_memory_refused_total")).toMatch(/reason="key"\} \d/);
    for (const each of senders) each.leave();
  });

  it("that inflate are refused at once when there is no memory for them", async () => {
    const packed = zipped(promptOf(31 * MB).whole);
    const before = await memory();
    hold = [];
    const senders = Array.from({ length: 12 }, () =>
      sender().head(CHAT, TEST_KEY, ["content-encoding: gzip", `content-length: ${packed.length}`]),
    );
    await Promise.all(senders.map((each) => each.send(packed)));
    let most = before;
    await waitFor("all but those that are upstream", async () => {
      most = Math.max(most, await memory());
      return senders.filter(({ status }) => status === 503).length + (hold?.length ?? 0) === senders.length;
    });
    report(
      `H2: 12 bodies of ${packed.length} bytes that inflate to 31 MB made it ${((most - before) / MB).toFixed(0)} MB larger`,
    );
    expect(most - before).toBeLessThan((BUDGET_MB + 150) * MB);
    for (const each of hold) serveWell(each);
    hold = undefined;
    await honest();
    const served = (await answered(senders)).filter((status) => status === 200).length;
    expect(served).toBeLessThanOrEqual(2);
    expect(await metric("body_memory_bytes")).toMatch(/pool="large"\} 0$/m);
    for (const each of senders) each.leave();
  });

  it("that come slowly end with 408, and those at more than 32 KB a second are served", async () => {
    const slow = sender().head(CHAT, TEST_KEY, ["content-length: 1000"]);
    const { whole } = promptOf(500_000);
    const steady = sender().head(CHAT, TEST_KEY, [`content-length: ${whole.length}`]);
    for (let at = 0; at < whole.length; at += 30_000) {
      await steady.send(whole.subarray(at, at + 30_000));
      await sleep(400);
    }
    expect(await answered([slow, steady])).toEqual([408, 200]);
    expect(slow.heard).toContain('"code":"request_timeout"');
    slow.leave();
    steady.leave();
  });

  it("leave clean books and hold up no stop", async () => {
    await honest();
    expect(await gateway.end()).toBe(0);
    await cleanLedger(gateway);
  });
});
