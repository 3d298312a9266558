import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import { openPage, redrawn } from "../support/dashboard-widths.ts";
import { lendSession } from "../support/dashboard-world.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type ScriptedUpstream, scriptedUpstream } from "../support/scripted-upstream.ts";
import { waitFor } from "../support/wait.ts";

const VENDOR_WORDS = "The moon is in the wrong house.";

/** Somebody who keeps the hands on the keyboard. */
describe.skipIf(lacksBrowser)("the command palette", () => {
  let upstream: ScriptedUpstream;
  let gateway: TestGateway;
  let operator: SignedIn;
  let browser: TestBrowser;
  let account: string;
  /** The body of a request that failed, and its id. */
  let failed: { readonly body: string; readonly id: string };

  beforeAll(async () => {
    upstream = await scriptedUpstream(({ socket }) => {
      const text = JSON.stringify({ error: { type: "server_error", message: VENDOR_WORDS } });
      const head = "HTTP/1.1 500 Error\r\ncontent-type: application/json\r\nx-request-id: vendor_17\r\n";
      socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    });
    gateway = await startGateway({
      catalog: catalogFile({
        upstreams: [{ url: upstream.url, protocols: ["chat-completions"] }],
        more: "  - { name: harbour, balance: 10 }\n",
      }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    operator = await signIn(gateway);
    account = operator.session.accounts[0]?.id ?? "";
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "text", messages: [{ role: "user", content: "Hello" }] }),
    });
    failed = { body: await response.text(), id: response.headers.get("x-request-id") ?? "" };
    expect(failed.body).toContain(failed.id);
    await waitFor("the failed request in the log", async () => {
      const { body } = await operator.get(`/operator/requests?id=${failed.id}`);
      return body.data[0]?.message ?? undefined;
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.clean();
    await upstream?.close();
  });

  async function signedIn(person?: SignedIn, options: object = { locale: "en-GB" }): Promise<Visitor> {
    const visitor = await browser.visit(gateway.url, options);
    await lendSession(visitor, { gateway, operator }, person);
    return visitor;
  }

  /** Opens it by the keyboard, writes, and waits until nothing is being looked for. */
  async function look(page: Page, text: string): Promise<void> {
    await page.keyboard.press("Control+k");
    const box = page.getByRole("dialog").getByRole("combobox");
    await box.waitFor();
    await page.keyboard.insertText(text);
    await expect.poll(() => box.inputValue()).toBe(text);
    await page
      .getByRole("dialog")
      .getByText(/Searching…|正在搜索…/)
      .waitFor({ state: "detached" });
  }

  it("ends on the vendor's words by Ctrl K, the failed request's pasted error body, and Enter", async () => {
    const { page, complaints } = await signedIn();
    await openPage(page, `/accounts/${account}`);
    for (const pasted of [failed.body, failed.id, "vendor_17"]) {
      await openPage(page, `/accounts/${account}`);
      await look(page, pasted);
      await page.keyboard.press("Enter");
      await page.getByText(VENDOR_WORDS).waitFor();
    }
    expect(complaints()).toEqual([]);
  });

  it("leads an operator to pages, accounts, keys, models and users by a part of their names", async () => {
    const { page, complaints } = await signedIn();
    for (const [text, heading, option, url] of [
      ["reconc", "Operator pages", "Reconciliation", "/operator/reconcile"],
      ["harb", "Switch account", "harbour", "/accounts/2"],
      ["harb", "Accounts", "harbour", "/operator/accounts/2"],
      ["test", "API keys", "test", `/accounts/${account}/keys?q=test`],
      ["text", "Models", "text", `/accounts/${account}/models?model=text`],
      ["admin@", "Users", "admin@localhost", "/operator/users?q=admin"],
    ] as const) {
      await openPage(page, `/accounts/${account}`);
      await look(page, text);
      const group = page.getByRole("group", { name: heading });
      await group.getByRole("option", { name: option }).first().waitFor();
      await walkTo(page, heading);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.url().slice(gateway.url.length), { timeout: 120_000 }).toContain(url);
    }
    expect(complaints()).toEqual([]);
  });

  it("offers a viewer the pages that a viewer may see, and the request's page of the account", async () => {
    const guest = { email: "vi@example.com", account: { id: account, role: "viewer" } } as const;
    const viewer = await inviteGuest(gateway, operator, guest);
    const { page, complaints } = await signedIn(viewer);
    await openPage(page, `/accounts/${account}`);
    await look(page, "");
    const options = await page.getByRole("option").allInnerTexts();
    expect(options.some((option) => option.startsWith("Statement"))).toBe(true);
    expect(options.filter((option) => /Playground|Audit|Traffic|Upstreams/.test(option))).toEqual([]);
    await page.keyboard.press("Escape");
    await look(page, failed.id);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/accounts/${account}/requests/${failed.id}`);
    await page.getByRole("heading", { name: "Request" }).first().waitFor();
    expect(await page.getByText(VENDOR_WORDS).count()).toBe(0);
    expect(complaints()).toEqual([]);
  });

  it("has nothing serious for axe, empty, full and without results, in both themes, in Chinese and on a phone", async () => {
    const { page, complaints } = await signedIn(undefined, {
      locale: "zh-CN",
      viewport: { width: 360, height: 740 },
    });
    await openPage(page, `/accounts/${account}`);
    await page.getByRole("button", { name: "打开菜单" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "前往" }).click();
    await page.getByRole("dialog", { name: "前往" }).getByRole("combobox").waitFor();
    const findings: string[] = [];
    for (const text of ["", "t", "没有这样的东西"]) {
      await page.getByRole("dialog").getByRole("combobox").fill(text);
      await page.getByText("正在搜索…").waitFor({ state: "detached" });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await redrawn(page);
        findings.push(...(await seriousFindings(page)).map((finding) => `${text} ${colorScheme} ${finding}`));
      }
    }
    expect(findings).toEqual([]);
    await page.getByText("没有结果").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(complaints()).toEqual([]);
  });
});

/** Presses Down until an option of this group is the chosen one. */
async function walkTo(page: Page, heading: string): Promise<void> {
  const chosen = page.getByRole("group", { name: heading }).locator("[role=option][aria-selected=true]");
  for (let step = 0; step < 40 && (await chosen.count()) === 0; step += 1) {
    await page.keyboard.press("ArrowDown");
    await redrawn(page);
  }
  expect(await chosen.count()).toBe(1);
}
