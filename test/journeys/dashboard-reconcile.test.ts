import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reconciliation } from "../../src/console/reconcile/contract.ts";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

/** A vendor's export, compared by the console: the command is held to account in test/matrix/reconcile.test.ts. */
let vendor: VendorUpstream;
let gateway: TestGateway;
let operator: SignedIn;
/** The day and the id of the request that is recorded. */
let day = "";
let requestId = "";

const USED = { input: 1_000, output: 100 };
/** At $3 and $15 a million. */
const DUE = { input: "0.003", output: "0.0015" };

beforeAll(async () => {
  vendor = await vendorUpstream(({ response }) => {
    const message = { role: "assistant", content: "Hi" };
    const usage = { prompt_tokens: USED.input, completion_tokens: USED.output };
    const body = { id: "c", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const upstreams = [{ name: "vendor", url: vendor.url, protocols: ["chat-completions"] }];
  gateway = await startGateway({
    catalog: modelsFile({ models: ["text"], upstreams }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "text", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(reply.status, await reply.text()).toBe(200);
  requestId = reply.headers.get("x-request-id") ?? "";
  day = await waitFor("the request in the usage log", async () => {
    const { status, body } = await operator.get(`/accounts/1/requests/${requestId}`);
    return status === 200 && body.receipt?.state === "posted"
      ? body.receipt.ended_at?.slice(0, 10)
      : undefined;
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await vendor?.close();
});

const csv = (rows: Readonly<Record<string, readonly [quantity: number, usd: string]>>): string =>
  [
    "day,model,bucket,quantity,amount",
    ...Object.entries(rows).map(([bucket, [quantity, usd]]) => `${day},text,${bucket},${quantity},${usd}`),
  ].join("\n");
const agreeing = (): string => csv({ input: [USED.input, DUE.input], output: [USED.output, DUE.output] });
/** A thousand tokens of input more, which is just what the request used. */
const differing = (): string => csv({ input: [2 * USED.input, "0.006"], output: [USED.output, DUE.output] });

async function send(
  text: string | Uint8Array<ArrayBuffer>,
  query = "tolerance=0",
  headers = {},
  signal?: AbortSignal,
) {
  const response = await fetch(`${gateway.url}/api/operator/reconciliations?${query}`, {
    method: "POST",
    headers: {
      cookie: operator.cookie,
      "x-faregate-csrf": operator.session.csrf_token ?? "",
      "content-type": "application/octet-stream",
      ...headers,
    },
    body: text,
    ...(signal === undefined ? {} : { signal }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  return { status: response.status, body: (await response.json()) as any };
}

describe("a comparison with a vendor's export", () => {
  it("finds no difference where there is none", async () => {
    const { status, body } = await send(agreeing(), "tolerance=0&upstreams=vendor");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      format: "CSV",
      zone: "UTC",
      from: day,
      to: day,
      rows: 2,
      ours_usd: "0.0045",
      theirs_usd: "0.0045",
      differences: [],
      differences_total: 0,
      causes: [],
    } satisfies Partial<Reconciliation>);
  });

  it("names what differs by day, model and bucket, with the requests that may explain it", async () => {
    const { body } = await send(differing());
    expect(body.differences).toEqual([
      {
        day,
        model: "text",
        bucket: "input",
        ours: { quantity: USED.input, usd: "0.003" },
        theirs: { quantity: 2 * USED.input, usd: "0.006" },
        difference_usd: "0.003",
        requests: [{ id: requestId, account: "1", why: ["same quantity"] }],
      },
    ]);
    expect(body.causes).toMatchObject([{ name: "not_recorded_here" }]);
    expect((await send(differing(), "tolerance=0.01")).body.differences).toEqual([]);
  });

  it("is refused with the place of what can't be read, and the name of an option that makes no sense", async () => {
    const faults = [
      ["nothing", ""],
      [new Uint8Array([0xff, 0xfe, 0xfd]), ""],
      [agreeing(), "upstreams=nobody"],
      [agreeing(), "project=nobody"],
      [agreeing(), "format=csv"],
    ] as const;
    for (const [text, query] of faults) expect((await send(text, query)).status).toBe(400);
    const { body } = await send("day,model,bucket,amount\n2026-01-01,text,inputs,1\n");
    expect(body.error.message).toMatch(/:2:17: bucket: unknown bucket "inputs"; did you mean "input"\?/);
    expect((await send(agreeing(), "zone=Mars/Olympus")).body.error.param).toBe("zone");
    expect((await send(agreeing(), "tolerance=0,01")).body.error.param).toBe("tolerance");
    expect((await send(agreeing(), "tolerance=0", { "content-type": "text/csv" })).status).toBe(415);
    expect((await send(agreeing(), "tolerance=0", { "x-faregate-csrf": "no" })).status).toBe(403);
    expect((await send(agreeing(), "tolerance=0", { cookie: "" })).status).toBe(401);
  });

  it("takes at most as large an export as the command", async () => {
    const response = await send(new Uint8Array(64 * 1024 * 1024 + 1)).catch(() => undefined);
    // The gateway does not read it: its sender may see the connection closed before the response.
    expect([413, undefined]).toContain(response?.status);
    const lines = await send(`day,amount\n${"2026-01-01,1\n".repeat(250_001)}`);
    expect([lines.status, lines.body.error.message]).toEqual([
      400,
      expect.stringContaining("at most 250000 are compared"),
    ]);
  });

  it("leaves the gateway free to serve others, and ends with whoever asked for it", async () => {
    const row = (index: number): string => `${day},model-m${index % 2_000},input,${index},0.001`;
    const large = [
      "day,model,bucket,quantity,amount",
      ...Array.from({ length: 100_000 }, (_, at) => row(at)),
    ];
    const sent = send(large.join("\n"));
    let over = false;
    void sent.finally(() => {
      over = true;
    });
    let served = 0;
    while (!over) {
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
      served += 1;
    }
    // Of the recorded model two buckets differ too.
    expect((await sent).body).toMatchObject({ rows: 100_000, differences_total: 2_002 });
    expect(served).toBeGreaterThan(10);

    // An option that makes no sense starts nothing; while another comparison runs, 409 comes first.
    const isRunning = async (): Promise<boolean> => (await send(agreeing(), "tolerance=x")).status === 409;
    const leaving = new AbortController();
    const left = send(large.join("\n"), "tolerance=0", {}, leaving.signal).catch(() => "left");
    await waitFor("the comparison to run", isRunning);
    leaving.abort();
    expect(await left).toBe("left");
    await waitFor("the comparison to end", async () => !(await isRunning()));
    expect((await send(agreeing())).status).toBe(200);
  });
});

describe.skipIf(lacksBrowser)("the page of reconciliation", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function visit(locale: string, width = 1280) {
    const visitor = await browser.visit(gateway.url, { locale, viewport: { width, height: 900 } });
    const [name = "", value = ""] = operator.cookie.split("=");
    await visitor.context.addCookies([{ name, value, url: gateway.url }]);
    return visitor;
  }

  it("compares a file, and leads to the request that may explain a difference", async () => {
    const { page, complaints } = await visit("en-GB");
    await page.goto("/operator/ledger");
    await page.getByRole("link", { name: "Reconciliation" }).click();
    await page.getByLabel("Choose a file").setInputFiles({
      name: "costs.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(differing()),
    });
    await page.getByLabel("Tolerance (USD)").fill("0");
    await page.getByRole("button", { name: "Compare" }).click();
    const row = page.getByRole("row", { name: /text/ });
    await row.getByText("$0.003").last().waitFor();
    await row.getByText("same quantity").waitFor();
    await page.getByRole("status").getByText("1 difference").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await row.getByRole("link", { name: requestId }).click();
    await page.getByRole("heading", { name: "Receipt", exact: true }).waitFor();
    expect(complaints()).toEqual([]);
  });

  it("says so where nothing differs, also of pasted text, in Chinese, on a phone", async () => {
    const { page, complaints } = await visit("zh-CN", 360);
    await page.goto("/operator/reconcile");
    await page.getByLabel("或粘贴其内容").fill(agreeing());
    await page.getByLabel("容差（USD）").fill("0");
    await page.getByRole("button", { name: "比较" }).click();
    await page.getByText("没有差异").waitFor();
    await page.getByText(`CSV：${day} 至 ${day}`).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints()).toEqual([]);
  });

  it("shows what is wrong with a file, and an option beside its field", async () => {
    const { page } = await visit("en-GB");
    await page.goto("/operator/reconcile");
    await page.getByLabel("Or paste its text").fill("day,model,bucket,amount\n2026-01-01,text,inputs,1\n");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText('unknown bucket "inputs"').waitFor();
    await page.getByLabel("Time zone of the days").fill("Mars/Olympus");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText('"Mars/Olympus" is no time zone').first().waitFor();
  });
});
