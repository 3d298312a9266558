import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BodySender, promptOf } from "../support/body-floods.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { residentBytes } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { call } from "../support/text-caller.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

const MB = 1024 * 1024;
const BUDGET_MB = 64;
const CALLERS = 100;
const ACCOUNTS = 20;

const HONEST_KEY = "honest-key-0123456789abcdef";
const keyOf = (account: number): string => `hostile-key-${account}-0123456789abcdef`;

const HOSTILE = Array.from(
  { length: ACCOUNTS },
  (_, at) => `  - { name: hostile-${at}, balance: 1000, keys: [{ name: key, key: ${keyOf(at)} }] }`,
);

const CATALOG = (url: string): string => `version: 1
models:
  - { id: text, context_tokens: 20000000, max_output_tokens: 32000, price: { input: 0.001, output: 0.001 } }
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${url}", api_key: our-key, models: [text], protocols: [chat-completions], max_concurrency: 1000 }
settings: { body_memory_mb: ${BUDGET_MB} }
accounts:
  - { name: honest, balance: 1000, keys: [{ name: key, key: ${HONEST_KEY} }] }
${HOSTILE.join("\n")}
`;

/** Brotli with the largest window that its format has. */
function brotli(body: Buffer): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(body, { params });
}

/** A frame of blocks of one byte repeated (RFC 8878). */
function zstd(body: Buffer): Buffer {
  const block = 128 * 1024;
  const blocks = Array.from({ length: Math.ceil(body.length / block) }, (_, at) => {
    const header = Buffer.alloc(4, " ");
    header.writeUIntLE((block << 3) | 2 | Number((at + 1) * block >= body.length), 0, 3);
    return header;
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x68]), ...blocks]);
}

const CODINGS: readonly (readonly [coding: string, encode: (body: Buffer) => Buffer])[] = [
  ["br", brotli],
  ["gzip", (body) => gzipSync(body)],
  ["deflate", (body) => deflateSync(body)],
  ["zstd", zstd],
];

describe("H2, bodies of a few bytes that hold a thousand times as many", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(serveWell);
    gateway = await startGateway({ catalog: CATALOG(vendor.url) });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const memory = (): Promise<number> => residentBytes(gateway.child.pid ?? 0);

  it.each(CODINGS)(
    "are refused within the budget while all others are answered: %s",
    async (coding, encode) => {
      const bomb = encode(promptOf(48 * MB).stalled);
      const before = await memory();
      const head = [`content-encoding: ${coding}`, `content-length: ${bomb.length}`];
      const hostile = Array.from({ length: CALLERS }, (_, at) =>
        new BodySender(gateway.url).head("/v1/chat/completions", keyOf(at % ACCOUNTS), head),
      );
      await Promise.all(hostile.map((each) => each.send(bomb)));
      let most = before;
      let honest = 0;
      await waitFor("all to be answered", async () => {
        const heard = await call(
          gateway.url,
          { protocol: "chat-completions", prompt: "Hi" },
          { key: HONEST_KEY },
        );
        expect(heard.status, heard.text).toBe(200);
        honest += 1;
        most = Math.max(most, await memory());
        return hostile.every(({ status, closed }) => status > 0 || closed);
      });
      report(
        `H2: ${CALLERS} ${coding} bodies of ${bomb.length} bytes that hold 48 MB made the gateway ${((most - before) / MB).toFixed(0)} MB larger; ${honest} others were answered meanwhile`,
      );
      const statuses = new Set(hostile.map(({ status }) => status));
      for (const status of statuses) expect([400, 413, 503]).toContain(status);
      expect(most - before).toBeLessThan((BUDGET_MB + 150) * MB);
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      expect(metrics).toMatch(/^faregate_body_memory_bytes\{pool="large"\} 0$/m);
      for (const each of hostile) each.leave();
    },
  );

  it("are as good as any other where they hold what may be held", async () => {
    for (const [coding, encode] of CODINGS.filter(([name]) => name !== "zstd")) {
      const body = encode(promptOf(3 * MB).whole);
      const head = [`content-encoding: ${coding}`, `content-length: ${body.length}`];
      const sender = new BodySender(gateway.url).head("/v1/chat/completions", HONEST_KEY, head);
      await sender.send(body);
      expect([coding, await sender.answered()]).toEqual([coding, 200]);
      sender.leave();
    }
    expect(await gateway.end()).toBe(0);
    await cleanLedger(gateway);
  });
});
