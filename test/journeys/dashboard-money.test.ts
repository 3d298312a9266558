import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { BOOTSTRAP_PASSWORD } from "../support/console.ts";
import { signInAt } from "../support/dashboard-world.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

/** Ten tokens of a response cost 60 cents: a dollar pays for one of them, not for two. */
const CATALOG = (sandboxUrl: string) => `version: 1
models:
  - { id: text, context_tokens: 8000, max_output_tokens: 10, price: { input: 1, output: 60000 } }
upstreams:
  - { name: sandbox, kind: sandbox, base_url: "${sandboxUrl}", models: [text] }
accounts:
  - { name: acme, balance: 1, keys: [{ name: test, key: ${TEST_KEY} }] }
`;

describe.skipIf(lacksBrowser)("an account that runs out of money", () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await startGateway({
      catalog: CATALOG(sandbox.url),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
    await gateway?.clean();
    await sandbox?.stop();
  });

  it("is told so, redeems a code, goes on, and finds each charge's receipt", async () => {
    const { page, complaints } = await browser.visit(gateway.url);
    await signInAt({ page });

    await page.getByRole("link", { name: "Playground" }).click();
    await ask(page, "First question");
    await page.getByText("Receipt").waitFor();
    expect(await page.getByText("$0.60", { exact: false }).first().isVisible()).toBe(true);

    await ask(page, "Second question");
    await page
      .getByText(/balance|quota/i)
      .last()
      .waitFor();

    const code = await makeCode(page, "5");
    await page.getByRole("link", { name: "Statement" }).click();
    await page.getByRole("button", { name: "Redeem code" }).click();
    await page.getByRole("dialog").getByLabel("Code").fill(code);
    await page.getByRole("dialog").getByRole("button", { name: "Redeem code" }).click();
    await page.getByRole("dialog").getByText("+$5.00").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await page.getByRole("cell", { name: "+$5.00" }).waitFor();

    await page.getByRole("link", { name: "Playground" }).click();
    await ask(page, "Third question");
    await page.getByText("Receipt").last().click();
    await page.getByRole("heading", { name: "Receipt" }).waitFor();
    const receipt = await page.getByRole("main").innerText();
    expect(receipt).toMatch(/Output\s+10\s+\$60,?000(\.00)? per million\s+\$0\.60/);
    expect(receipt).toMatch(/Charged\s+\$0\.600\d+/);
    // What was reserved is what was charged and what was released.
    const [, reserved, released] =
      /\$([\d.]+) was reserved while it ran; \$([\d.]+) was released/.exec(receipt) ?? [];
    const charged = /Charged\s+\$([\d.]+)/.exec(receipt)?.[1];
    expect(Number(reserved)).toBeCloseTo(Number(charged) + Number(released), 9);

    // What a person spent leads to the requests with their keys, and to no others.
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Spending" }).first().click();
    await page.getByRole("main").getByRole("link", { name: "Users" }).click();
    await page.getByRole("cell", { name: "First operator" }).getByRole("link").click();
    await page.getByRole("heading", { name: "Requests" }).waitFor();
    const maker = page.getByRole("combobox", { name: "Key created by" });
    await maker.locator("option:checked", { hasText: "First operator" }).waitFor({ state: "attached" });
    await page.getByRole("row").nth(2).waitFor();
    expect(await page.getByRole("row").count()).toBe(1 + 2);
    await maker.selectOption({ label: "Anyone's keys" });
    await page.waitForURL((url) => !url.searchParams.has("user"));
    expect(complaints()).toEqual([]);
    await cleanLedger(gateway);
  });

  it("takes no comma in an amount: whether it means thousands or cents is nobody's to guess", async () => {
    const { page } = await browser.visit(gateway.url);
    await signInAt({ page });
    await page.getByRole("link", { name: "API keys", exact: true }).click();
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("comma");
    for (const amount of ["1,50", "1,000", "1.000,50"]) {
      await dialog.getByLabel("Spending limit (USD)").fill(amount);
      await dialog.getByText("with a decimal point", { exact: false }).waitFor();
      expect(await dialog.getByRole("button", { name: "Create key" }).isDisabled()).toBe(true);
    }
    await dialog.getByLabel("Spending limit (USD)").fill("1.50");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row", { name: /comma/ }).getByText("$1.50").waitFor();
  });

  it("says on every page of a suspended account that it is, and no more once it is resumed", async () => {
    const { page, complaints } = await browser.visit(gateway.url);
    await signInAt({ page });
    await page.goto("/operator");
    await page.waitForURL("**/operator/traffic");
    await page.goto("/operator/accounts/1");
    await page.getByRole("button", { name: "Suspend" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
    await page.getByText("Account suspended.").waitFor();
    for (const path of ["", "/keys", "/requests"]) {
      await page.goto(`/accounts/1${path}`);
      const banner = page.getByRole("alert").filter({ hasText: "Account acme is suspended" });
      await banner.getByText("Its API keys are refused with 401").waitFor();
    }
    await page.goto("/operator/accounts/1");
    await page.getByRole("button", { name: "Reactivate" }).click();
    await page.getByRole("button", { name: "Suspend" }).waitFor();
    await page.goto("/accounts/1/keys");
    await page.getByRole("row", { name: /test/ }).waitFor();
    expect(await page.getByText("is suspended").count()).toBe(0);
    expect(complaints()).toEqual([]);
  });

  it("shows operators what was written off, with the request and the reason", async () => {
    await gateway.database?.database.execute(
      `insert into usage (request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream,
         status, reason, attempts, total_ms, estimated, hostile, price_id, rates, factor_ppm, hold_nanos,
         charge_nanos, ledgers, losses, journal, record_number, written_off_nanos)
       values ('req_dear', now(), now(), 1, 1, 'text', 'messages', false, 'sandbox', 200, 'completed', 1, 1, false,
               '{}', 1, '{}', 1000000, 0, 0, '{}', '{}', 'none', 1, 2500000000)`,
    );
    const { page, complaints } = await browser.visit(gateway.url);
    await signInAt({ page });
    await page.goto("/operator/ledger");
    const table = page.getByRole("table", { name: "Write-offs (never charged)" });
    await table.getByRole("link", { name: "req_dear" }).waitFor();
    expect(await table.getByRole("row").nth(1).innerText()).toMatch(
      /acme[\s\S]*req_dear[\s\S]*text[\s\S]*sandbox[\s\S]*cost exceeded the available funds[\s\S]*\$2\.50/,
    );
    expect(complaints()).toEqual([]);
  });
});

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel("Max tokens").fill("10");
  await page.getByLabel("Message").fill(question);
  await page.getByRole("button", { name: "Send" }).click();
}

/** As an operator makes it; gives its text, which is shown only once. */
async function makeCode(page: Page, usd: string): Promise<string> {
  await page.getByRole("link", { name: "Redemption codes" }).click();
  await page.getByRole("button", { name: "Create codes" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount per code").fill(usd);
  await dialog.getByRole("button", { name: "Create codes" }).click();
  const code = await dialog.getByText(/^FG-/).innerText();
  await dialog.getByRole("button", { name: "Done" }).click();
  return code;
}
