import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import { cleanLedger } from "../support/money-books.ts";
import { call, TEXT_PROTOCOLS, type Wish } from "../support/text-caller.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES, wholeStream } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

// One input token costs 1,000 nanos, one output token 2,000.
const INPUT = 1_000n;
const OUTPUT = 2_000n;
const CONTEXT = 200_000;
const MAX_OUTPUT = 1_000;
const STATED = 50;

/** What the vendor counts, by the model's name; `endless` never comes to it. */
const REPORTS = {
  plausible: { input: 190_000, output: 40 },
  "much-input": { input: 1_000_000_000, output: 2 },
  "much-output": { input: 9, output: 1_000_000_000 },
  beyond: { input: 9, output: 900 },
  negative: { input: -5, output: -1 },
} as const;
type Report = keyof typeof REPORTS;
const MODELS = [...Object.keys(REPORTS), "endless", "silent"];

const CATALOG = (url: string): string => `version: 1
models:
${MODELS.map((id) => `  - { id: ${id}, context_tokens: ${CONTEXT}, max_output_tokens: ${MAX_OUTPUT}, price: { input: 1, output: 2 } }`).join("\n")}
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${url}", api_key: k, models: [${MODELS.join(", ")}], timeouts: { total_ms: 1500 } }
accounts:
  - { name: acme, balance: 500, keys: [{ name: free, key: free-key-0123456789abcdef }] }
`;

/** The counts of a well-formed answer replaced: 7 of input and 3 of output in each protocol. */
function counting(text: string, { input, output }: { input: number; output: number }): string {
  return text
    .replace(/"(prompt_tokens|input_tokens|promptTokenCount)":7\b/g, `"$1":${input}`)
    .replace(/"(completion_tokens|output_tokens|candidatesTokenCount)":3\b/g, `"$1":${output}`)
    .replace(/"(total_tokens|totalTokenCount)":10\b/g, `"$1":${input + output}`);
}

function serve({ protocol, streamed, model, response }: VendorCall): void {
  const wire = VENDOR_WIRES[protocol];
  response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
  if (model === "endless") {
    response.write(wire.opening(model));
    const timer = setInterval(() => response.write(wire.delta("and so it goes on ".repeat(100))), 10);
    response.on("close", () => clearInterval(timer));
    return;
  }
  const whole = streamed ? wholeStream(protocol, model) : wire.plain(model);
  const silent = whole.replace(/,"usage(Metadata)?":\{[^}]*\}/g, "").replace(/"usage":\{[^}]*\},?/g, "");
  response.end(model === "silent" ? silent : counting(whole, REPORTS[model as Report]));
}

const WAYS = TEXT_PROTOCOLS.flatMap((protocol) => [false, true].map((streamed) => ({ protocol, streamed })));

describe("H3, a charge is at most what was possible", { timeout: PATIENCE_MS }, () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(serve);
    gateway = await startGateway({ catalog: CATALOG(vendor.url) });
  });
  afterAll(async () => {
    await gateway?.clean();
    await vendor?.close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: a receipt as its reader sees it
  async function receiptOf(wish: Pick<Wish, "protocol" | "streamed" | "model">): Promise<any> {
    const key = "free-key-0123456789abcdef";
    const prompt = `Go on, ${wish.protocol} ${wish.streamed}.`;
    const { status, requestId } = await call(gateway.url, { ...wish, prompt, maxTokens: STATED }, { key });
    expect(status).toBe(200);
    return waitFor("a receipt", async () => {
      const { json } = await ask(gateway.url, `/v1/receipts/${requestId}`, undefined, { key });
      return json?.state === "posted" ? json : undefined;
    });
  }

  describe.each(WAYS)("$protocol, streamed $streamed", (way) => {
    it("charges what the model can have done as it is reported, and marks what the caller did not ask for", async () => {
      const plausible = await receiptOf({ ...way, model: "plausible" });
      expect(plausible).toMatchObject({ estimated: false, implausible: [] });
      expect(BigInt(plausible.charge_nanos)).toBe(190_000n * INPUT + 40n * OUTPUT);
      const beyond = await receiptOf({ ...way, model: "beyond" });
      expect(beyond).toMatchObject({
        estimated: false,
        implausible: [{ field: "output", reported: 900, most: STATED, charged: true }],
      });
      expect(BigInt(beyond.charge_nanos)).toBe(9n * INPUT + 900n * OUTPUT);
    });

    it.each([
      ["much-input", [{ field: "input", reported: 1_000_000_000, most: CONTEXT }]],
      ["much-output", [{ field: "output", reported: 1_000_000_000, most: MAX_OUTPUT }]],
      ["negative", []],
      ["silent", []],
    ])("estimates what is %s, within the hold", async (model, implausible) => {
      const receipt = await receiptOf({ ...way, model });
      expect(receipt).toMatchObject({ estimated: true, implausible });
      expect(BigInt(receipt.charge_nanos)).toBeGreaterThan(0n);
      expect(BigInt(receipt.charge_nanos)).toBeLessThanOrEqual(200n * INPUT + BigInt(STATED) * OUTPUT);
      expect(Number(receipt.charge_usd)).toBeLessThanOrEqual(Number(receipt.hold_usd));
    });
  });

  it.each(TEXT_PROTOCOLS)(
    "charges a stream that never ends for the caller's own limit: %s",
    async (protocol) => {
      const receipt = await receiptOf({ protocol, streamed: true, model: "endless" });
      expect(receipt).toMatchObject({ reason: "upstream_timeout_after_output", estimated: true });
      expect(BigInt(receipt.charge_nanos)).toBeLessThanOrEqual(BigInt(STATED) * OUTPUT + 200n * INPUT);
      expect(BigInt(receipt.charge_nanos)).toBeGreaterThanOrEqual(BigInt(STATED) * OUTPUT);
    },
  );

  it("leaves clean books", async () => {
    expect(await gateway.end()).toBe(0);
    expect(BigInt((await cleanLedger(gateway)).loss_nanos)).toBe(0n);
  });
});
