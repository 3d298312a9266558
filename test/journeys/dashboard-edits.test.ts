import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type ConsoleResponse, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

/** Two at the same form: one at the page, the other faster. Nobody's change is lost without a word. */
describe.skipIf(lacksBrowser)("a form in the dashboard that somebody else saves meanwhile", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  let browser: TestBrowser;
  let other: SignedIn;
  let account: string;

  beforeAll(async () => {
    vendor = await vendorUpstream();
    gateway = await startGateway({
      catalog: catalogFile({ upstreams: [{ url: vendor.url, name: "first" }] }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    other = await signIn(gateway);
    account = `/accounts/${other.session.accounts[0]?.id}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.clean();
    await vendor?.close();
  });

  async function visit(locale: string): Promise<Visitor> {
    const visitor = await browser.visit(gateway.url, { locale });
    const [name = "", value = ""] = other.cookie.split("=");
    await visitor.context.addCookies([{ name, value, url: gateway.url }]);
    return visitor;
  }

  async function made(asked: Promise<ConsoleResponse>): Promise<ConsoleResponse["body"]> {
    const { status, body } = await asked;
    expect([200, 201], JSON.stringify(body)).toContain(status);
    return body;
  }

  async function changeModel(changes: object): Promise<void> {
    const { endpoints, price, max_output_tokens, context_tokens, owned_by } = await made(
      other.get("/operator/models/text"),
    );
    const terms = { endpoints, price, max_output_tokens, context_tokens, owned_by, ...changes };
    await made(other.put("/operator/models/text", terms));
  }

  it("says so, keeps what was typed, shows what is new, and saves both", async () => {
    const { page, complaints } = await visit("en-GB");
    await page.goto("/operator/catalog");
    await page.getByRole("button", { name: "More: text" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Owner").fill("typed-here");
    await dialog.getByLabel("Max output tokens", { exact: true }).fill("1111");
    await dialog.getByLabel("Input", { exact: true }).fill("7");

    const { price } = await made(other.get("/operator/models/text"));
    await changeModel({
      context_tokens: 222_222,
      max_output_tokens: 3333,
      price: { ...price, input: "8", output: "16" },
    });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog
      .getByRole("alert")
      .getByText("Nothing was saved. Your edits are still in the form.")
      .waitFor();
    expect(await dialog.getByLabel("Owner").inputValue()).toBe("typed-here");
    expect((await made(other.get("/operator/models/text"))).owned_by).not.toBe("typed-here");
    expect(await seriousFindings(page)).toEqual([]);

    await dialog.getByRole("button", { name: "Load the latest version" }).click();
    await dialog.getByText("Loaded the latest version").waitFor();
    expect(await dialog.getByLabel("Context window (tokens)").inputValue()).toBe("222222");
    expect(await dialog.getByLabel("Output", { exact: true }).inputValue()).toBe("16");
    expect(await dialog.getByLabel("Owner").inputValue()).toBe("typed-here");
    expect(await dialog.getByLabel("Max output tokens", { exact: true }).inputValue()).toBe("1111");
    expect(await dialog.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("Max output tokens: 3333"),
      expect.stringContaining("Input: 8"),
    ]);
    await dialog.getByRole("listitem").filter({ hasText: "3333" }).getByRole("button").click();
    expect(await dialog.getByLabel("Max output tokens", { exact: true }).inputValue()).toBe("3333");
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(await made(other.get("/operator/models/text"))).toMatchObject({
      owned_by: "typed-here",
      context_tokens: 222_222,
      max_output_tokens: 3333,
      price: { input: "7", output: "16" },
    });
    expect(complaints()).toEqual([]);
  });

  interface Form {
    /** Opens the form, in Chinese. */
    readonly open: (page: Page) => Promise<unknown>;
    /** What is typed at the page: the field's label and the value. */
    readonly typed: readonly [label: string, value: string];
    /** The other's change. */
    readonly change: () => Promise<unknown>;
    /** Both changes, once the page has saved after all. */
    readonly after: () => Promise<unknown>;
    readonly both: object;
  }

  const FORMS: Readonly<Record<string, () => Promise<Form>>> = {
    async "the settings of an upstream"() {
      const { data } = await made(other.get("/operator/upstreams"));
      const { id, kind, base_url, models } = data[0];
      const path = `/operator/upstreams/${id}`;
      return {
        open: (page) => page.goto(`${path}?tab=terms`),
        typed: ["优先级", "7"],
        change: () => made(other.put(path, { kind, base_url, models, weight: 5 })),
        after: () => made(other.get(path)),
        both: { priority: 7, weight: 5 },
      };
    },
    async "the gateway's settings"() {
      const path = "/operator/settings";
      return {
        open: (page) => page.goto(path),
        typed: ["usage_retention_days", "77"],
        change: () => made(other.put(path, { overrides: { egress_allow: ["10.1.2.3"] } })),
        after: () => made(other.get(path)),
        both: { overrides: { usage_retention_days: 77, egress_allow: ["10.1.2.3"] } },
      };
    },
    async "the alert of a low balance"() {
      const path = `${account}/balance-alert`;
      await made(other.put(path, { amount_usd: "1", url: "https://one.example/" }));
      return {
        async open(page) {
          await page.goto(`${account}/statement`);
          await page.getByRole("button", { name: "编辑" }).click();
        },
        typed: ["可用余额阈值", "7"],
        change: () => made(other.put(path, { amount_usd: "1", url: "https://two.example/" })),
        after: () => made(other.get(path)),
        both: { alert: { threshold_nanos: "7000000000", url: "https://two.example/" } },
      };
    },
    async "a key"() {
      const { key } = await made(other.post(`${account}/keys`, { name: "shared" }));
      const path = `${account}/keys/${key.id}`;
      return {
        async open(page) {
          await page.goto(`${account}/keys`);
          await page.getByRole("button", { name: "shared 的操作" }).click();
          await page.getByRole("menuitem", { name: "编辑" }).click();
        },
        typed: ["并发请求数", "7"],
        change: () => made(other.patch(path, { models: ["text"] })),
        after: () => made(other.get(path)),
        both: { models: ["text"], rate_limits: { concurrency: 7 } },
      };
    },
    async "a group, whose only value both changed"() {
      await made(other.post("/operator/groups", { name: "partners", factor: "1" }));
      return {
        async open(page) {
          await page.goto("/operator/accounts?tab=groups");
          await page.getByRole("button", { name: "操作: partners" }).click();
          await page.getByRole("menuitem", { name: "编辑" }).click();
        },
        typed: ["价格倍率", "0.7"],
        change: () => made(other.patch("/operator/groups/partners", { factor: "0.5" })),
        async after() {
          const { data } = await made(other.get("/operator/groups"));
          return data.find(({ name }: { name: string }) => name === "partners");
        },
        both: { factor: "0.7" },
      };
    },
  };

  it.each(Object.keys(FORMS))("says so on Chinese pages too, and saves both: %s", async (name) => {
    const form = (await FORMS[name]?.()) as Form;
    const { page, complaints } = await visit("zh-CN");
    await form.open(page);
    const [label, value] = form.typed;
    const field = page.getByLabel(label).and(page.locator("input"));
    await field.fill(value);
    await form.change();
    await page.getByRole("button", { name: "保存", exact: true }).click();
    await page.getByRole("alert").getByText("尚未保存。您的修改仍在表单中。").waitFor();
    await page.getByRole("button", { name: "加载最新版本" }).click();
    await page.getByText("已加载最新版本，并保留了您的修改。").waitFor();
    expect(await field.inputValue()).toBe(value);
    await page.getByRole("button", { name: "保存", exact: true }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(await form.after()).toMatchObject(form.both);
    expect(complaints()).toEqual([]);
  });
});
