import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import { redrawn } from "../support/dashboard-widths.ts";
import { lendSession } from "../support/dashboard-world.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

/** Will we run out? Budgets are set, seen to fill, and heard of. */
describe.skipIf(lacksBrowser)("budgets in the dashboard", () => {
  let sandbox: TestSandbox;
  let receiver: Server;
  let gateway: TestGateway;
  let operator: SignedIn;
  let browser: TestBrowser;
  let account: string;
  const heard: string[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    receiver = createServer((request, response) => {
      heard.push(request.url ?? "");
      request.resume().on("end", () => response.end());
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    gateway = await startGateway({
      catalog: catalogFile({
        upstreams: [{ url: sandbox.url, models: ["text"] }],
        settings: `{ egress_allow: ["127.0.0.1:${port()}"] }`,
      }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    operator = await signIn(gateway);
    account = operator.session.accounts[0]?.id ?? "";
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
    await gateway?.clean();
    await sandbox?.stop();
    receiver?.close();
  });

  const port = () => (receiver.address() as AddressInfo).port;
  const hook = (path: string) => `http://127.0.0.1:${port()}${path}`;

  async function open(path: string, options: object = {}, person = operator): Promise<Visitor> {
    const visitor = await browser.visit(gateway.url, { locale: "en-GB", ...options });
    await lendSession(visitor, { gateway, operator }, person);
    await visitor.page.goto(path);
    return visitor;
  }

  async function spend(): Promise<void> {
    const body = { model: "text", max_tokens: 20, messages: [{ role: "user", content: "hello" }] };
    expect((await ask(gateway.url, "/v1/chat/completions", body, { key: TEST_KEY })).status).toBe(200);
  }

  /** Axe's serious findings in both themes. */
  async function findings(page: Page): Promise<readonly string[]> {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await redrawn(page);
      found.push(...(await seriousFindings(page)).map((finding) => `${colorScheme} ${finding}`));
    }
    return found;
  }

  const filled = async (bar: Locator): Promise<number> => Number(await bar.getAttribute("value"));

  it("are set with a Slack alert in four clicks, fill up with the next request, and are heard of", async () => {
    const { page, complaints } = await open(`/accounts/${account}/budgets`);
    let clicks = 0;
    const click = async (target: Locator): Promise<void> => {
      clicks += 1;
      await target.click();
    };
    await page.getByText("No budgets yet").waitFor();
    expect(await findings(page)).toEqual([]);
    await click(page.getByRole("button", { name: "Create budget" }).first());
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").waitFor();
    await page.keyboard.type("team");
    await click(dialog.getByLabel("Amount (USD)"));
    await page.keyboard.type("0.000001");
    await click(dialog.getByLabel("Slack webhook URL"));
    await page.keyboard.type(hook("/slack"));
    expect(await findings(page)).toEqual([]);
    await click(dialog.getByRole("button", { name: "Create budget" }));
    expect(clicks).toBeLessThanOrEqual(4);

    const row = page.getByRole("row", { name: "team" });
    await row.getByText("$0.00 of $0.000001 per month").waitFor();
    await row.getByText("alerts only").waitFor();
    await row.getByText("at 50, 80, 100%").waitFor();
    const bar = row.getByRole("meter", { name: "Spent of team" });
    expect(await filled(bar)).toBe(0);
    await spend();
    await expect.poll(() => filled(bar), { timeout: 60_000 }).toBeGreaterThan(100);
    expect(await findings(page)).toEqual([]);
    await waitFor("the alert", () => heard.includes("/slack"));

    await page.goto(`/accounts/${account}`);
    await page.getByRole("meter", { name: "Spent of team" }).waitFor();
    await page.goto(`/accounts/${account}/statement`);
    await page.getByText("budget reached").waitFor();
    expect(complaints()).toEqual([]);
  });

  it("count one key or model, show on the key's row, and are changed and deleted", async () => {
    const { body: key } = await operator.post(`/accounts/${account}/keys`, { name: "nightly" });
    const { page, complaints } = await open(`/accounts/${account}/budgets`);
    await page.getByRole("button", { name: "Create budget" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("of the key");
    await dialog.getByLabel("Amount (USD)").fill("1,50");
    await dialog.getByText("with a decimal point").waitFor();
    expect(await dialog.getByRole("button", { name: "Create budget" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Amount (USD)").fill("1.50");
    await dialog.getByLabel("Period").selectOption("day");
    await dialog.getByLabel("Refuse requests over the budget").check();
    await dialog.getByLabel("API key").fill("night");
    await dialog.getByRole("option", { name: "nightly" }).click();
    await dialog.getByLabel("Model").selectOption("text");
    await dialog.getByRole("button", { name: "Add channel" }).click();
    await dialog.getByRole("combobox", { name: "Channel" }).last().selectOption("teams");
    await dialog.getByLabel("Teams workflow URL").fill(hook("/teams"));
    await dialog.getByRole("button", { name: "Create budget" }).click();
    const row = page.getByRole("row", { name: "of the key" });
    await row.getByText("API key nightly · model text").waitFor();
    await row.getByText("hard limit").waitFor();
    const [stored] = (await operator.get(`/accounts/${account}/budgets`)).body.data.slice(-1);
    expect(stored).toMatchObject({
      key: { id: key.key.id },
      model: "text",
      amount_usd: "1.5",
      period: "day",
      hard: true,
      alerts: { targets: [{ kind: "teams", url: hook("/teams") }] },
    });

    await page.goto(`/accounts/${account}/keys`);
    const ofKey = page.getByRole("row", { name: "nightly" });
    await ofKey.getByRole("meter", { name: "Spent of of the key" }).waitFor();

    await page.goto(`/accounts/${account}/budgets`);
    await row.getByRole("button", { name: "Actions for of the key" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await dialog.getByText("Counts: API key nightly · model text").waitFor();
    await dialog.getByLabel("Amount (USD)").fill("2");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("of $2.00 per day").waitFor();
    await row.getByRole("button", { name: "Actions for of the key" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.getByText("Requests that it would refuse will be served.").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(complaints()).toEqual([]);
  });

  it("are seen by viewers, without the path of a channel and without a way to change them", async () => {
    const viewer = await inviteGuest(gateway, operator, {
      email: "viewer@example.test",
      account: { id: account, role: "viewer" },
    });
    const { page } = await open(`/accounts/${account}/budgets`, {}, viewer);
    await page.getByRole("row", { name: "team" }).getByText(`127.0.0.1:${port()}`).waitFor();
    expect(await page.getByRole("button", { name: /Create budget|Actions for/ }).count()).toBe(0);
  });

  it("say beside its field what the gateway refuses", async () => {
    const { page } = await open(`/accounts/${account}/budgets`);
    await page.getByRole("button", { name: "Create budget" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("team");
    await dialog.getByLabel("Amount (USD)").fill("5");
    await dialog.getByRole("button", { name: "Create budget" }).click();
    await dialog.getByText("The account already has a budget with this name.").waitFor();
    expect(await dialog.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
  });

  it("of all accounts are seen by operators, in Chinese too, and lead to the account's page", async () => {
    const { page, complaints } = await open("/operator/accounts?tab=budgets", { locale: "zh-CN" });
    const row = page.getByRole("row", { name: "team" });
    await row.getByText("仅提醒").waitFor();
    expect(await findings(page)).toEqual([]);
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "预算" }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(complaints()).toEqual([]);
  });
});
