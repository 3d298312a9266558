import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BodySender, promptOf } from "../support/body-floods.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger } from "../support/money-books.ts";
import { openSockets } from "../support/proc.ts";
import { openRaw, rawExchange, statusesIn } from "../support/raw-exchange.ts";
import { report } from "../support/report.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

const OPEN_FILES = 300;
const CALLERS = 250;

describe("S4, more connections than descriptors", () => {
  const held: VendorCall[] = [];
  let isHeld = true;
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream((each) => {
      if (isHeld) held.push(each);
      else serveWell(each);
    });
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text"],
        upstreams: [{ name: "vendor", url: vendor.url, maxConcurrency: 1_000 }],
      }),
      openFiles: OPEN_FILES,
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it("are told 503 where they are accepted, and all that are served are answered", async () => {
    const { whole } = promptOf(200);
    const ask = async (): Promise<BodySender> => {
      const caller = new BodySender(gateway.url);
      caller.head("/v1/chat/completions", TEST_KEY, [`content-length: ${whole.length}`]);
      return caller.send(whole);
    };
    const callers: BodySender[] = [];
    // A few at a time, as a crowd comes.
    while (callers.length < CALLERS) {
      callers.push(...(await Promise.all([1, 2, 3, 4, 5].map(ask))));
      await waitFor("these to be upstream or refused", () => {
        const refused = callers.filter(({ status, closed }) => status > 0 || closed).length;
        return refused + held.length >= callers.length;
      });
    }
    const refused = callers.filter(({ status, closed }) => status > 0 || closed);
    report(
      `S4: of ${CALLERS} callers at ${OPEN_FILES} descriptors ${held.length} are served and ${refused.length} told 503`,
    );
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(refused[0]?.heard).toMatch(/\r\nretry-after: \d/i);
    expect(refused[0]?.heard).toContain('"code":"service_unavailable"');
    expect(held.length).toBeGreaterThan(50);
    const probe = "GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    expect(statusesIn(await rawExchange(gateway.url, probe))).toEqual([200]);

    isHeld = false;
    for (const each of held) serveWell(each);
    await waitFor("all answers", () => callers.every(({ status }) => status > 0));
    expect(callers.filter(({ status }) => status === 200)).toHaveLength(held.length);
    for (const each of callers) each.leave();
  });

  it("that say nothing do not keep the others from an answer", async () => {
    const silent = Array.from({ length: OPEN_FILES }, () => openRaw(gateway.url));
    await waitFor("those beyond the limit to be told", () =>
      silent.some((each) => statusesIn(each.heard())[0] === 503),
    );
    expect(await openSockets(gateway.child.pid ?? 0)).toBeLessThan(OPEN_FILES);
    // Once those whose word was waited for are refused too.
    const probe = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
    await waitFor("a probe to be answered", async () => {
      const heard = await rawExchange(gateway.url, probe);
      if (statusesIn(heard)[0] !== 200) return false;
      expect(heard.toLowerCase()).toContain("\r\nconnection: close");
      return true;
    });
    for (const each of silent) each.leave();
    await waitFor("room again", async () => {
      const heard = await rawExchange(
        gateway.url,
        "GET /v1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
      );
      return statusesIn(heard)[0] === 404;
    });
    expect(await gateway.end()).toBe(0);
    await cleanLedger(gateway);
  });
});
