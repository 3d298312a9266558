import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import { balanceOf, cleanLedger, type LedgerVerdict } from "../support/money-books.ts";
import { report } from "../support/report.ts";
import { seededRandom } from "../support/seed.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask, type Reply } from "../support/world.ts";

// One input token costs 1,000 nanos, one output token 2,000.
const INPUT = 1_000n;
const OUTPUT = 2_000n;
const DOLLAR = 1_000_000_000n;
const CONTEXT = 200_000;
const MAX_OUTPUT = 1_000;
const PARALLEL = 60;

const random = seededRandom("FAREGATE_BOUNDS_SEED");

function randomOf(alphabet: readonly string[], length: number): string {
  return Array.from({ length }, () => alphabet[random.whole(0, alphabet.length - 1)]).join("");
}

/** 100 KB each; the tokens per byte that a tokenizer makes of them lie between a fifth and one. */
const TEXTS = {
  english: "The quick brown fox jumps over the lazy dog. ".repeat(2_200),
  base64: randomOf([..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"], 100_000),
  rare: randomOf(
    Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x13000 + at)),
    25_000,
  ),
} as const;
const KINDS = Object.keys(TEXTS) as (keyof typeof TEXTS)[];

const LIMITS = `context_tokens: ${CONTEXT}, max_output_tokens: ${MAX_OUTPUT}, price: { input: 1, output: 2 }`;

const catalog = (url: string): string => `version: 1
models:
  - { id: text, ${LIMITS} }
  - { id: endless, ${LIMITS} }
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${url}", api_key: good-key, models: [text] }
  - { name: cut, kind: sandbox, base_url: "${url}", api_key: good-key, models: [endless], timeouts: { total_ms: 1500 } }
accounts:
  - name: acme
    balance: 500
    keys:
      - { name: free, key: free-key-0123456789abcdef }
      - { name: limited, key: limited-key-0123456789abcdef, spending_limit: { amount: 1, period: total } }
  - name: rich
    balance: 100
    keys:
${KINDS.map((kind) => `      - { name: ${kind}, key: limit-${kind}-0123456789abcdef, spending_limit: { amount: 1, period: month } }`).join("\n")}
${KINDS.map((kind) => `  - { name: ${kind}, balance: 1, keys: [{ name: ${kind}, key: balance-${kind}-0123456789abcdef }] }`).join("\n")}
`;

/** As a vendor counts them, which takes long for odd ones. */
const tokensOf = new Map<string, number>();
for (const text of Object.values(TEXTS)) tokensOf.set(text, countTokens(text));

/** Counts a prompt as a vendor does, or reports the usage that the prompt dictates, or never ends its stream. */
function serve({ model, body, response }: VendorCall): void {
  if (model === "endless") {
    serveEndless(response);
    return;
  }
  const { messages } = JSON.parse(body.toString()) as { messages: { content: string }[] };
  const prompt = messages[0]?.content ?? "";
  let usage: unknown;
  if (prompt.startsWith("{")) {
    usage = JSON.parse(prompt);
  } else {
    usage = { prompt_tokens: (tokensOf.get(prompt) ?? 1) + 7, completion_tokens: 1 };
  }
  const choices = [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ id: "chatcmpl-1", object: "chat.completion", model: "text", choices, usage }),
  );
}

function serveEndless(response: VendorCall["response"]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const delta = { content: "and so it goes on and on ".repeat(100) };
  const event = `data: ${JSON.stringify({ id: "chatcmpl-1", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
  const timer = setInterval(() => response.write(event), 10);
  response.on("close", () => clearInterval(timer));
}

// biome-ignore lint/suspicious/noExplicitAny: a receipt as its reader sees it
type Receipt = any;

describe("what callers and vendors can cost, three processes on one database", {
  timeout: PATIENCE_MS,
}, () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(serve);
    gateway = await startGateway({ catalog: catalog(vendor.url), args: ["--processes", "3"] });
  });
  afterAll(async () => {
    await gateway.clean();
    await vendor.close();
  });

  const chat = (key: string, prompt: string, fields: object = {}): Promise<Reply> =>
    ask(
      gateway.url,
      "/v1/chat/completions",
      { model: "text", max_tokens: 50, messages: [{ role: "user", content: prompt }], ...fields },
      { key: `${key}-0123456789abcdef` },
    );
  const receiptOf = (key: string, { headers }: Reply): Promise<Receipt> =>
    waitFor("a receipt", async () => {
      const path = `/v1/receipts/${headers.get("x-request-id")}`;
      const { json } = await ask(gateway.url, path, undefined, { key: `${key}-0123456789abcdef` });
      return json?.state === "posted" ? json : undefined;
    });

  describe("H3, a charge is at most what was possible", () => {
    it("replaces a reported count that the model cannot have read by an estimate, and says so", async () => {
      const reply = await chat("free-key", '{"prompt_tokens":1000000000,"completion_tokens":2}');
      const receipt = await receiptOf("free-key", reply);
      expect(reply.status).toBe(200);
      expect(receipt).toMatchObject({
        estimated: true,
        implausible: [{ field: "input", reported: 1_000_000_000, most: CONTEXT }],
      });
      report(`H3: a reported input of 10^9 tokens is charged ${receipt.charge_nanos} nanos`);
      expect(BigInt(receipt.charge_nanos)).toBeLessThan(100n * INPUT);
      expect(gateway.output()).toContain("implausible usage reported by an upstream");
    });

    it("believes what the model can have done, within the money of account and key", async () => {
      const free = await receiptOf(
        "free-key",
        await chat("free-key", '{"prompt_tokens":190000,"completion_tokens":900}'),
      );
      expect(BigInt(free.charge_nanos)).toBe(190_000n * INPUT + 900n * OUTPUT);
      // The words are more than the caller asked for, which a reader of the receipt should know.
      expect(free).toMatchObject({
        estimated: false,
        implausible: [{ field: "output", reported: 900, most: 50, charged: true }],
        written_off_usd: "0",
      });
      expect(gateway.output()).toContain(
        "output far above the caller's limit reported by an upstream; it was charged",
      );

      const replies = await Promise.all(
        Array.from({ length: 20 }, () =>
          chat("limited-key", '{"prompt_tokens":190000,"completion_tokens":900}'),
        ),
      );
      const receipts: Receipt[] = await Promise.all(
        replies.filter(({ status }) => status === 200).map((reply) => receiptOf("limited-key", reply)),
      );
      report(
        `H3: ${receipts.length} requests at a limit of ${DOLLAR} nanos are charged ${sum(receipts, "charge_nanos")}`,
      );
      expect(sum(receipts, "charge_nanos")).toBeLessThanOrEqual(DOLLAR);
      for (const receipt of receipts)
        expect(nanos(receipt.charge_usd) + nanos(receipt.written_off_usd), JSON.stringify(receipt)).toBe(
          190_000n * INPUT + 900n * OUTPUT,
        );
      // What lay in the leases of other processes at that moment may be missed, no more.
      expect(sum(receipts, "charge_nanos")).toBeGreaterThan(DOLLAR / 2n);
      expect(gateway.output()).toContain("written off");
    });

    it("charges a stream that ignores the caller's limit and never ends for that limit", async () => {
      const reply = await chat("free-key", "Go on.", { model: "endless", stream: true });
      const receipt = await receiptOf("free-key", reply);
      expect(receipt).toMatchObject({ reason: "upstream_timeout_after_output", estimated: true });
      report(`H3: a stream without end is charged ${receipt.charge_nanos} nanos`);
      expect(BigInt(receipt.charge_nanos)).toBeLessThanOrEqual(50n * OUTPUT + 100n * INPUT);
      expect(BigInt(receipt.charge_nanos)).toBeGreaterThanOrEqual(50n * OUTPUT);
    });

    it("holds every answer that is asked for, or refuses", async () => {
      const refused = await chat("free-key", "hello", { n: 1_000_000_000 });
      expect([refused.status, refused.json.error.code]).toEqual([403, "insufficient_user_quota"]);
      const receipt = await receiptOf("free-key", await chat("free-key", "hello", { n: 1_000 }));
      expect(nanos(receipt.hold_usd)).toBeGreaterThanOrEqual(1_000n * 50n * OUTPUT);
    });
  });

  describe("H4, the last dollar", () => {
    it.each(KINDS)(
      "is not passed by 60 requests at once, for a balance and for a limit: %s",
      async (kind) => {
        const text = TEXTS[kind];
        for (const way of ["balance", "limit"] as const) {
          const key = `${way}-${kind}`;
          const replies = await Promise.all(
            Array.from({ length: PARALLEL }, () => chat(key, text, { max_tokens: 1 })),
          );
          const receipts: Receipt[] = await Promise.all(
            replies.filter(({ status }) => status === 200).map((reply) => receiptOf(key, reply)),
          );
          const tokens = BigInt((tokensOf.get(text) ?? 0) + 7);
          const worth = BigInt(receipts.length) * (tokens * INPUT + OUTPUT);
          const figures = `${way} ${kind}: ${receipts.length} served, worth ${worth}, charged ${sum(receipts, "charge_nanos")}`;
          report(`H4: ${figures}`);
          expect(receipts.length, figures).toBeGreaterThan(0);
          expect(sum(receipts, "charge_nanos"), figures).toBe(worth);
          expect(worth, figures).toBeLessThanOrEqual(DOLLAR);
          for (const { hold_usd, charge_nanos } of receipts)
            expect(BigInt(charge_nanos)).toBeLessThanOrEqual(nanos(hold_usd));
        }
      },
    );
  });

  it("leaves clean books: nothing lost, no limit passed", async () => {
    expect(await gateway.end()).toBe(0);
    const verdict: LedgerVerdict = await cleanLedger(gateway);
    expect(BigInt(verdict.loss_nanos)).toBe(0n);
    expect(balanceOf(verdict, "rich")).toBeGreaterThanOrEqual(97n * DOLLAR);
  });
});

function nanos(usd: string): bigint {
  const [whole = "0", part = ""] = usd.split(".");
  return BigInt(whole) * DOLLAR + BigInt(part.padEnd(9, "0"));
}

function sum(receipts: readonly Receipt[], field: string): bigint {
  return receipts.reduce((total: bigint, receipt: Receipt) => total + BigInt(receipt[field]), 0n);
}
