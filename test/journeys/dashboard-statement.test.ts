import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { openPage, redrawn } from "../support/dashboard-widths.ts";
import { lendSession } from "../support/dashboard-world.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

const DETAILS = { legal_name: "Acme <b>Ltd.</b>", address: "1 Quay\nRotterdam", tax_id: "NL123456789B01" };

/** An account holder wants to know what the month cost, day by day, and to hand it to the accountant. */
describe.skipIf(lacksBrowser)("the statement, in the dashboard", () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  let operator: SignedIn;
  let browser: TestBrowser;
  let account: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await startGateway({
      catalog: catalogFile({ upstreams: [{ url: sandbox.url }] }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    operator = await signIn(gateway);
    account = operator.session.accounts[0]?.id ?? "";
    const messages = [{ role: "user", content: "Hello" }];
    for (let count = 0; count < 3; count += 1)
      await ask(
        gateway.url,
        "/v1/chat/completions",
        { model: "text", max_tokens: 20, messages },
        { key: TEST_KEY },
      );
    const gift = { amount_usd: "12.5", reason: "Invoice 1042", idempotency_key: "invoice-1042" };
    expect((await operator.post(`/operator/accounts/${account}/adjustments`, gift)).status).toBe(200);
    expect((await operator.put(`/accounts/${account}/billing-details`, DETAILS)).status).toBe(200);
    await olderMonth();
    await waitFor("the charges on the statement", async () => {
      const { body } = await operator.get(`/accounts/${account}/statements/${month()}/rows`);
      return body.data.some(({ usage }: { usage: { requests: number } | null }) => usage?.requests === 3);
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
    await gateway?.clean();
    await sandbox?.stop();
  });

  const month = () => new Date().toISOString().slice(0, 7);

  /** A credit and charges of months long past, whose requests the usage log has no more: their ids come before all others. */
  async function olderMonth(): Promise<void> {
    await gateway.database?.database.execute(
      `insert into transfers (id, key, kind, ledger, from_side, to_side, amount, reference, at) overriding system value
       select id, 'old:' || id, kind, 'account:' || $1::int8, source, target, amount, reference, at::timestamptz
         from (values (0, 'credit', 'funding', 'wallet', 5000000000, 'account:1', '2020-02-03T10:00Z'),
                      (-1, 'post', 'leased', 'revenue', 1250000000, 'flush:j:1', '2020-02-04T10:00Z'),
                      (-2, 'settle', 'held', 'revenue', 750000000, 'task:t', '2020-02-04T23:59Z'),
                      (-3, 'post', 'leased', 'revenue', 3000000000, 'flush:j:2', '2020-03-01T00:00Z'))
              as old (id, kind, source, target, amount, reference, at)`,
      [account],
    );
  }

  async function signedIn(options: object = { locale: "en-GB" }): Promise<Visitor> {
    const visitor = await browser.visit(gateway.url, options);
    await lendSession(visitor, { gateway, operator });
    return visitor;
  }

  async function findings(page: Page): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await redrawn(page);
      found.push(...(await seriousFindings(page)).map((finding) => `${colorScheme} ${finding}`));
    }
    return found;
  }

  it("has a row per day and per credit, and a day leads to its requests and transactions", async () => {
    const { page, complaints } = await signedIn();
    await openPage(page, `/accounts/${account}/statement`);
    const table = page.getByRole("table", { name: "Statement by day" });
    await table.getByRole("row", { name: /Credit by the operator.*Invoice 1042.*\+\$12\.50/ }).waitFor();
    const usage = table.getByRole("row").filter({ hasText: "3 requests" });
    expect(await usage.count()).toBe(1);
    expect(await usage.innerText()).toMatch(/Text requests \$0\.0/);
    expect(await findings(page)).toEqual([]);
    await usage.getByRole("link", { name: "3 requests" }).click();
    await page.getByRole("heading", { name: "Requests" }).waitFor();
    await expect.poll(() => page.getByRole("row").count()).toBe(1 + 3);
    await page.goBack();
    await usage.getByRole("link", { name: "Transactions" }).click();
    const entries = page.getByRole("table", { name: "Statement" });
    await entries
      .getByRole("row", { name: /text request/ })
      .first()
      .waitFor();
    expect(complaints()).toEqual([]);
  });

  it("shows a month whose requests are gone, and begins the next with its closing balance, on a phone in Chinese too", async () => {
    const { page, complaints } = await signedIn({ locale: "zh-CN", viewport: { width: 360, height: 800 } });
    await openPage(page, `/accounts/${account}/statement`);
    await page.getByLabel("月份").selectOption("2020-02");
    const closing = page.getByText("期末余额").locator("..");
    await closing.getByText("$3.00").waitFor();
    await page.getByRole("row").filter({ hasText: "2月4日" }).getByText("−$2.00").waitFor();
    await page.getByRole("row").filter({ hasText: "2月3日" }).getByText("+$5.00").waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await page.getByLabel("月份").selectOption("2020-03");
    await page.getByText("期初余额").first().locator("..").getByText("$3.00").waitFor();
    await closing.getByText("$0.00").waitFor();
    expect(complaints()).toEqual([]);
  });

  it("prints a month with who pays, what it began with, each row and what it ended with, which add up", async () => {
    const { page, complaints } = await signedIn();
    await openPage(page, `/accounts/${account}/statement`);
    await page.getByRole("link", { name: "Print" }).click();
    await page.getByRole("heading", { name: /^Statement for / }).waitFor();
    await page.getByText("Acme <b>Ltd.</b>").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    const sheet = page.getByRole("main");
    const text = await sheet.innerText();
    for (const words of ["1 Quay\nRotterdam", "NL123456789B01", "Currency\nUSD", "Invoice 1042"])
      expect(text).toContain(words);
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(await sheet.getByRole("button").count()).toBe(0);

    const rows = page.getByRole("table", { name: "Statement by day" }).locator("tbody tr");
    const amounts = await rows.locator("td:nth-child(3)").allInnerTexts();
    const balances = await rows.locator("td:nth-child(4)").allInnerTexts();
    const opening = nanosOf(/Opening balance\n(.*)/.exec(text)?.[1]);
    const closing = nanosOf(/Closing balance.*\n(.*)/.exec(text)?.[1]);
    expect(amounts.length).toBeGreaterThanOrEqual(3);
    expect(amounts.reduce((sum, amount) => sum + nanosOf(amount), opening)).toBe(closing);
    expect(nanosOf(balances.at(-1))).toBe(closing);
    const { body } = await operator.get(`/accounts/${account}/statements/${month()}`);
    expect(closing).toBe(BigInt(body.closing_nanos));

    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.subarray(0, 5).toString("latin1")).toBe("%PDF-");
    expect(complaints()).toEqual([]);
  });

  it("takes the details of who pays, and says what is wrong with them beside the field", async () => {
    const { page, complaints } = await signedIn();
    await openPage(page, `/accounts/${account}/statement`);
    await page.getByRole("button", { name: "Change billing details" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill("line\n".repeat(13));
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("must have at most 12 lines").waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog.getByLabel("Address").fill("2 Quay\nRotterdam");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Billing details saved.").waitFor();
    await page.getByText("2 Quay").waitFor();
    await operator.put(`/accounts/${account}/billing-details`, DETAILS);
    expect(complaints()).toEqual([]);
  });
});

/** "−$1.25" -> nanos. */
function nanosOf(text: string | undefined): bigint {
  const [, sign = "", whole = "", places = ""] = /^([−+]?)\$([\d,]+)\.(\d+)/.exec(text?.trim() ?? "") ?? [];
  if (whole === "") throw new Error(`no amount: ${text}`);
  const nanos = BigInt(whole.replaceAll(",", "") + places.padEnd(9, "0"));
  return sign === "−" ? -nanos : nanos;
}
