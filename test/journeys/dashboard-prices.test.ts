import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const LIMITS = "context_tokens: 128000, max_output_tokens: 16000";

/** Vendors that nobody asks here: their upstreams are disabled. */
const CATALOG = `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: chat, ${LIMITS}, price: { input: 2, output: 10, cache_read: 1.25 } }
  - { id: research, ${LIMITS}, price: { input: 2, output: 8 } }
  - { id: home-made, ${LIMITS}, price: { input: 1, output: 1 } }
upstreams:
  - name: openai
    kind: openai
    base_url: https://api.openai.com/v1
    api_key: key-for-nobody-1
    disabled: true
    models: { chat: gpt-4o }
  - name: perplexity
    kind: openai-compatible
    base_url: https://api.perplexity.ai
    api_key: key-for-nobody-2
    disabled: true
    models: { research: sonar-deep-research }
`;

describe.skipIf(lacksBrowser)("the price list in the dashboard", () => {
  let gateway: TestGateway;
  let operator: SignedIn;
  let browser: TestBrowser;
  beforeAll(async () => {
    gateway = await startGateway({
      catalog: CATALOG,
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    operator = await signIn(gateway);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.clean();
  });

  async function visit(locale: string, width = 1280) {
    const visitor = await browser.visit(gateway.url, { locale, viewport: { width, height: 900 } });
    const [name = "", value = ""] = operator.cookie.split("=");
    await visitor.context.addCookies([{ name, value, url: gateway.url }]);
    return visitor;
  }

  async function setPrice(price: object): Promise<void> {
    const terms = { context_tokens: 128_000, max_output_tokens: 16_000, price };
    expect((await operator.put("/operator/models/chat", terms)).status).toBe(200);
  }

  it("reads well in Chinese, on a phone", async () => {
    const { page, complaints } = await visit("zh-CN", 360);
    await page.goto("/operator/catalog?tab=prices");
    await page.getByRole("button", { name: "采用：chat，openai" }).waitFor();
    await page.getByText("未列出：home-made。").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints()).toEqual([]);
  });

  it("shows each difference, and sets one price at a time", async () => {
    const { page, complaints } = await visit("en-GB");
    await page.goto("/operator/catalog");
    await page.getByRole("link", { name: "Price list" }).click();
    const row = page.getByRole("row", { name: /chat/ });
    await row.getByRole("link", { name: "openai" }).waitFor();
    expect(await row.getByRole("listitem").allInnerTexts()).toEqual(["Input 2 → 2.5"]);
    const other = page.getByRole("row", { name: /research/ });
    await other.getByText("Can't be accepted: it is priced by output_citation_mtok").waitFor();
    expect(await other.getByRole("button").count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);

    await row.getByRole("button", { name: "Accept: chat, openai" }).click();
    await page.getByText("Price of chat set.").waitFor();
    await row.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Models", exact: true }).last().click();
    await page.getByRole("row", { name: /^chat/ }).getByText("$2.50").waitFor();
    expect(complaints()).toEqual([]);
  });

  it("sets nothing that was not shown: a price that somebody else changed meanwhile is compared again", async () => {
    const { page } = await visit("en-GB");
    await setPrice({ input: "2", output: "10" });
    await page.goto("/operator/catalog?tab=prices");
    const accept = page.getByRole("button", { name: "Accept: chat, openai" });
    await accept.waitFor();
    await setPrice({ input: "2.25", output: "10" });
    await accept.click();
    await page.getByText("The price or the list has changed. Load the differences again.").waitFor();
    const model = (await operator.get("/operator/models/chat")).body;
    expect(model.price.input).toBe("2.25");
  });

  async function openForm(locale: string, more: string, edit: string) {
    const visitor = await visit(locale);
    const { page } = visitor;
    await page.goto("/operator/catalog");
    await page.getByRole("button", { name: `${more}: research` }).click();
    await page.getByRole("menuitem", { name: edit }).click();
    return { ...visitor, dialog: page.getByRole("dialog") };
  }
  const research = async () => (await operator.get("/operator/models/research")).body;

  it("adds, changes and removes prices that hold later, and says what is wrong with their time", async () => {
    const { page, dialog, complaints } = await openForm("en-GB", "More", "Edit");
    await dialog.getByRole("button", { name: "Add upcoming price" }).click();
    const first = dialog.getByRole("group", { name: "Upcoming price 1" });
    expect(await first.getByLabel("Output", { exact: true }).inputValue()).toBe("8");
    await first.getByLabel("Effective from").fill("2100-01-01");
    await first.getByText("Not a time with its zone").waitFor();
    await first.getByLabel("Effective from").fill("2100-01-01T00:00:00Z");
    await first.getByLabel("Output", { exact: true }).fill("x");
    await dialog.getByRole("button", { name: "Save" }).click();
    await first.getByText("must be a plain decimal number").waitFor();
    await first.getByLabel("Output", { exact: true }).fill("9");
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const later = { from: "2100-01-01T00:00:00Z", input: "2", output: "9" };
    expect(await research()).toMatchObject({ price: { input: "2", output: "8" }, coming_prices: [later] });
    expect(complaints().filter((each) => !each.includes("400"))).toEqual([]);

    const chinese = await openForm("zh-CN", "更多", "编辑");
    await chinese.dialog.getByRole("button", { name: "添加即将生效的价格" }).click();
    const second = chinese.dialog.getByRole("group", { name: "即将生效的价格 2" });
    await second.getByLabel("生效时间").fill("2099-01-01T00:00:00Z");
    await second.getByText("必须晚于前一个即将生效的价格。").waitFor();
    await second.getByLabel("生效时间").fill("2101-01-01T08:00:00+08:00");
    await chinese.dialog.getByRole("button", { name: "移除即将生效的价格 1" }).click();
    await chinese.dialog.getByRole("button", { name: "保存" }).click();
    await chinese.dialog.waitFor({ state: "hidden" });
    expect((await research()).coming_prices).toEqual([{ ...later, from: "2101-01-01T00:00:00Z" }]);
  });
});
