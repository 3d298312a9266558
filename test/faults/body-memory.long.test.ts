import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BodySender, promptOf, zipped } from "../support/body-floods.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger } from "../support/money-books.ts";
import { residentBytes } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { call, wireForm } from "../support/text-caller.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";

const MB = 1024 * 1024;

/** The default of settings.body_memory_mb, and what a process may take beside it. */
const MAX_GROWN = (256 + 150) * MB;

const CALLERS = 200;
const LONG_RESPONSES = 100;
const LONG_RESPONSE_BYTES = 60 * MB;
/** One for all responses, as the vendor is this process. */
const SPACES = Buffer.alloc(LONG_RESPONSE_BYTES, " ");

const CHAT = "/v1/chat/completions";
const OTHER_KEY = "other-key-0123456789abcdef";

/** The vendor answers at length where the prompt asks it to. */
const AT_LENGTH = "at length";

describe("H2, bodies and answers of hundreds of callers", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream((each) => {
      if (!each.body.toString("latin1", 0, 2_000).includes(AT_LENGTH)) return serveWell(each);
      each.response.writeHead(200, { "content-type": "application/json" });
      each.response.write(VENDOR_WIRES[each.protocol].plain(each.model));
      each.response.end(SPACES);
    });
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text"],
        upstreams: [{ name: "vendor", url: vendor.url, maxConcurrency: 1_000 }],
        keys: [`{ name: test, key: ${TEST_KEY} }`, `{ name: other, key: ${OTHER_KEY} }`],
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  /** By how much the process grows at most while honest callers go on asking, all of whom are answered. */
  async function growth(work: Promise<unknown>): Promise<number> {
    const pid = gateway.child.pid ?? 0;
    const before = await residentBytes(pid);
    let most = before;
    let over = false;
    const finished = work.finally(() => {
      over = true;
    });
    while (!over) {
      const wish = { protocol: "messages", prompt: "Hello" } as const;
      expect((await call(gateway.url, wish, { key: OTHER_KEY })).status).toBe(200);
      most = Math.max(most, await residentBytes(pid));
    }
    await finished;
    return most - before;
  }

  const responsesTo = (lines: readonly string[], bytes: Buffer): Promise<number[]> =>
    Promise.all(
      Array.from({ length: CALLERS }, async () => {
        const caller = new BodySender(gateway.url).head(CHAT, TEST_KEY, lines);
        await caller.send(bytes);
        const status = await caller.answered();
        caller.leave();
        return status;
      }),
    );

  it.each([
    { name: "stall", packed: false },
    { name: "inflate", packed: true },
  ])(`${CALLERS} bodies of 31 MB that $name stay within the budget`, async ({ name, packed }) => {
    const { whole, stalled } = promptOf(31 * MB);
    const bytes = packed ? zipped(whole) : stalled;
    const length = `content-length: ${packed ? bytes.length : whole.length}`;
    const statuses = responsesTo(packed ? [length, "content-encoding: gzip"] : [length], bytes);
    const grown = await growth(statuses);
    report(
      `H2: ${CALLERS} bodies of 31 MB that ${name} made the gateway ${(grown / MB).toFixed(0)} MB larger`,
    );
    expect(grown).toBeLessThan(MAX_GROWN);
    expect(await statuses).toContain(503);
    // Of more input than the model takes, or slower than is waited for.
    for (const status of await statuses) expect([200, 400, 403, 408, 503]).toContain(status);
  });

  it(`${LONG_RESPONSES} plain answers of 60 MB stay within the budget, and all are read to their end`, async () => {
    const wish = { protocol: "chat-completions", prompt: AT_LENGTH } as const;
    const { path, body } = wireForm(wish);
    const lengths = Promise.all(
      Array.from({ length: LONG_RESPONSES }, async () => {
        const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
        const response = await fetch(gateway.url + path, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
        let length = 0;
        for await (const chunk of response.body ?? []) length += chunk.length;
        return length;
      }),
    );
    // It is awaited only once the growth is known.
    lengths.catch(() => undefined);
    const grown = await growth(lengths);
    report(`H2: ${LONG_RESPONSES} answers of 60 MB made the gateway ${(grown / MB).toFixed(0)} MB larger`);
    expect(grown).toBeLessThan(MAX_GROWN);
    for (const length of await lengths) expect(length).toBeGreaterThan(LONG_RESPONSE_BYTES);
  });

  it("leave clean books and hold up no stop", async () => {
    expect(await gateway.end()).toBe(0);
    await cleanLedger(gateway);
  });
});
