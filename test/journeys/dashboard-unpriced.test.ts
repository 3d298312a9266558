import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UnpricedUsage } from "../../src/console/catalog/contract.ts";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser } from "../support/browser.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type ScriptedUpstream, scriptedUpstream } from "../support/scripted-upstream.ts";
import { waitFor } from "../support/wait.ts";

/** What the upstream says in its next response beside the text. */
let more: object = {};
let upstream: ScriptedUpstream;
let gateway: TestGateway;
let operator: SignedIn;

beforeAll(async () => {
  upstream = await scriptedUpstream(({ socket }) => {
    const text = JSON.stringify({
      id: "c",
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 2 },
      ...more,
    });
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  });
  gateway = await startGateway({
    catalog: catalogFile({
      upstreams: [{ url: upstream.url, protocols: ["chat-completions"] }],
      price: "{ input: 3, output: 15 }",
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

it("lists what was served without a price once, however often it came, until the model has the price", async () => {
  more = { service_tier: "turbo" };
  await receiptOf(await ask());
  const last = await ask();
  expect(await receiptOf(last)).toMatchObject({ unpriced: ["tier turbo"], charge_nanos: "60000" });
  const [row, ...others] = await unpriced();
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    model: "text",
    upstream: "upstream-1",
    what: "tier turbo",
    requests: 2,
    request_id: last,
    prices: [{ price: "tiers.turbo.factor", listed: null }],
    source: null,
  });
  expect(Date.parse(row?.first_at ?? "")).toBeLessThanOrEqual(Date.parse(row?.last_at ?? ""));
  const told = await gateway.run("prices", "--unpriced");
  expect([told.code, told.stdout]).toEqual([
    1,
    expect.stringMatching(/text +upstream-1 +tier turbo .*factor +2 /),
  ]);

  const path = "/operator/models/text/missing-price";
  const given = { upstream: "upstream-1", what: "tier turbo" };
  const post = async (prices: object) => (await operator.post(path, { ...given, prices })).status;
  expect(await post({})).toBe(400);
  expect(await post({ "tiers.turbo.factor": "a lot" })).toBe(400);
  expect(await post({ "tiers.turbo.factor": "3", input: "0" })).toBe(400);
  expect(await post({ "tiers.turbo.factor": "3" })).toBe(200);
  expect(await post({ "tiers.turbo.factor": "3" })).toBe(409);
  expect(await unpriced()).toEqual([]);
  expect((await gateway.run("prices", "--unpriced")).code).toBe(0);
  const [entry] = (await operator.get("/operator/audit?action=model.update")).body.data;
  expect(entry).toMatchObject({
    subject: "text",
    after: { price_source: { unpriced: "tier turbo", upstream: "upstream-1", request_id: last } },
  });
});

describe.skipIf(lacksBrowser)("unpriced usage in the dashboard", () => {
  it("is priced by the button, and the next response is charged at that price", async () => {
    const browser = await openBrowser();
    try {
      more = {
        usage: { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { audio_tokens: 4 } },
      };
      const heard = await receiptOf(await ask());
      // 6 tokens at 3,000 nanos, 2 at 15,000, and 4 at the highest input price, which is that of the tier.
      expect(heard).toMatchObject({ unpriced: ["audio_input"], charge_nanos: "84000" });

      const { page, context, complaints } = await browser.visit(gateway.url, { locale: "en-GB" });
      const [name = "", value = ""] = operator.cookie.split("=");
      await context.addCookies([{ name, value, url: gateway.url }]);
      await page.goto("/operator/catalog");
      await page.getByRole("link", { name: "Unpriced usage" }).click();
      await page.getByRole("button", { name: "Add price: text, Audio, input" }).click();
      const dialog = page.getByRole("dialog", { name: "Add a price to text" });
      expect(await seriousFindings(page)).toEqual([]);
      await dialog.getByLabel("Audio, input").fill("40");
      await dialog.getByRole("button", { name: "Add price" }).click();
      await page.getByText("Nothing was served without a price").waitFor();
      expect(complaints()).toEqual([]);

      // 6 tokens at 3,000 nanos, 4 at 40,000, 2 at 15,000.
      const next = await receiptOf(await ask());
      expect([next["unpriced"], next["charge_nanos"]]).toEqual([undefined, "208000"]);
    } finally {
      await browser.close();
    }
  });
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});

/** The request's id. */
async function ask(): Promise<string> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "text", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(reply.status, await reply.text()).toBe(200);
  return reply.headers.get("x-request-id") ?? "";
}

/** Once it is in the usage log, as the list is of that. */
async function receiptOf(requestId: string): Promise<Record<string, unknown>> {
  let receipt: Record<string, unknown> = {};
  await waitFor("the request in the usage log", async () => {
    const headers = { authorization: `Bearer ${TEST_KEY}` };
    const reply = await fetch(`${gateway.url}/v1/receipts/${requestId}`, { headers });
    receipt = (await reply.json()) as Record<string, unknown>;
    return receipt["state"] === "posted";
  });
  return receipt;
}

async function unpriced(): Promise<UnpricedUsage["data"]> {
  return ((await operator.get("/operator/unpriced-usage")).body as UnpricedUsage).data;
}
