import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { callerOf } from "../support/console.ts";
import { type DashboardWorld, lendSession, openDashboardWorld } from "../support/dashboard-world.ts";
import { waitFor } from "../support/wait.ts";

/** What the gateway refuses is said in the language of the page. */
describe.skipIf(lacksBrowser)("a refusal in the dashboard", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;

  beforeAll(async () => {
    world = await openDashboardWorld();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function signedIn(locale: string): Promise<Visitor> {
    const visitor = await browser.visit(world.gateway.url, { locale });
    await lendSession(visitor, world);
    return visitor;
  }

  it("stands in Chinese beside the field at fault, with the gateway's sentence beneath", async () => {
    const { page } = await signedIn("zh-CN");
    await page.goto("/operator/accounts?tab=groups");
    await page.getByRole("button", { name: "新建分组" }).click();
    const name = page.getByRole("dialog").getByLabel("名称").and(page.locator("input"));
    await name.fill("default");
    await page.getByRole("dialog").getByRole("button", { name: "保存" }).click();
    await page.getByText("与现有内容冲突。").waitFor();
    const note = await page.locator(`[id="${await name.getAttribute("aria-describedby")}"]`).innerText();
    expect(note.split("\n")).toEqual(["与现有内容冲突。", "A group with this name already exists."]);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("names the field in Chinese where it stands beside the whole form", async () => {
    const { page } = await signedIn("zh-CN");
    await page.goto(`/operator/upstreams/${world.values["upstream"]}?tab=terms`);
    await page.getByLabel("权重").fill("0");
    await page.getByRole("button", { name: "保存", exact: true }).click();
    await page.getByText("此值无效。").waitFor();
    await page.getByRole("alert").getByText("字段“weight”的值无效。").waitFor();
  });

  it("is said in Chinese where something is not there, and where somebody tried too often", async () => {
    const { page } = await signedIn("zh-CN");
    await page.goto("/operator/upstreams/999999");
    await page.getByRole("alert").getByText("内容不存在，或不属于您。").waitFor();
    await page.getByText("Upstream not found.").waitFor();

    const guest = await browser.visit(world.gateway.url, { locale: "zh-CN" });
    const wrong = { email: "nobody@example.test", password: "not the password" };
    for (let n = 0; n < 10; n += 1) await callerOf(world.gateway).post("/session", wrong);
    await guest.page.goto("/sign-in");
    await guest.page.getByLabel("邮箱").fill(wrong.email);
    await guest.page.getByLabel("密码").fill(wrong.password);
    await guest.page.keyboard.press("Enter");
    await guest.page.getByText(/尝试次数过多，请在 \d+ (分钟|秒)后重试。/).waitFor();
    expect(await guest.page.getByText("Too many").count()).toBe(0);
  });

  it.each([
    ["en-GB", "", "Request ID", "Interrupted"],
    ["zh-CN", "上游出错。\n", "请求 ID", "已中断"],
  ])(
    "is said in the page's language where an answer breaks off midway, with its id: %s",
    async (locale, words, id, cut) => {
      const { page } = await signedIn(locale);
      await page.goto(`/accounts/${world.values["account"]}/playground`);
      const box = page.getByLabel(/^(Message|消息)$/);
      await box.fill("[[sandbox: cut=3 chunks=10]]");
      await box.press("Enter");
      const said = await page.getByRole("alert").innerText();
      const sentence = "The upstream could not be reached, or closed the connection mid-response. Try again.";
      expect(said.replace(/\n+/g, "\n").replace(/req_\w{32}$/, "(id)")).toBe(
        `${words}${sentence}\n${id} (id)`,
      );
      // Nobody stopped it.
      await page.getByText(cut, { exact: true }).waitFor();
    },
  );

  it("is told in words among an upstream's last failures", async () => {
    const { page } = await signedIn("zh-CN");
    const messages = [{ role: "user", content: "[[sandbox: cut=3 chunks=10]]" }];
    const response = await fetch(`${world.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "text-large", messages, stream: true }),
    });
    await response.text();
    const upstream = `/operator/upstreams/${world.values["upstream"]}`;
    const report = () => world.operator.get(`${upstream}/report?days=1`);
    const id = response.headers.get("x-request-id") ?? "";
    await waitFor("the failure's row", async () => JSON.stringify((await report()).body).includes(id));
    await page.goto(upstream);
    await page.getByRole("row", { name: id }).getByText("上游在响应中途出错 · upstream_error").waitFor();
  });

  it("is the gateway's own sentence on English pages", async () => {
    const { page } = await signedIn("en-GB");
    await page.goto("/operator/upstreams/999999");
    await page.getByRole("alert").getByText("Upstream not found.", { exact: true }).waitFor();
    expect(await page.getByRole("alert").innerText()).not.toMatch(/\p{Script=Han}/u);
  });

  it("is none that waits for a network: a gateway nearby needs no other, and one that is away is said to be", async () => {
    const { page, context } = await signedIn("en-GB");
    await page.goto(`/accounts/${world.values["account"]}/keys`);
    const create = async (name: string): Promise<void> => {
      await page.getByRole("button", { name: "Create key" }).first().click();
      await page.getByRole("dialog").getByLabel("Name").fill(name);
      await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    };
    await page.getByRole("button", { name: "Create key" }).first().waitFor();
    // What a browser tells its pages when a laptop leaves the network. The gateway on that laptop still answers.
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await create("without a network");
    await page
      .getByText(/sk-\w{40}/)
      .first()
      .waitFor();

    await page.reload();
    await page.getByRole("button", { name: "Create key" }).first().waitFor();
    await context.setOffline(true);
    await create("without a gateway");
    await page.getByText("Can't reach the gateway.").waitFor();
  });
});
