import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AZURE_CLIENT } from "../../sandbox/src/clouds/azure.ts";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import { GOOGLE_PROJECT } from "../../sandbox/src/clouds/google.ts";
import type { Kinds } from "../../src/console/upstreams/contract.ts";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { azureCloud, googleCloud, serviceAccount } from "../support/clouds.ts";
import { signedInTo } from "../support/dashboard-widths.ts";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

interface Cloud {
  readonly kind: string;
  readonly place: Readonly<Record<string, string>>;
  /** The form by its name, and its fields by their labels. */
  readonly form: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly model: string;
}

describe.skipIf(lacksBrowser)("an upstream at a cloud in the dashboard", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;
  let sandbox: TestSandbox;
  let azure: FakeCloud;
  let google: FakeCloud;
  beforeAll(async () => {
    sandbox = await startSandbox();
    [azure, google] = await Promise.all([azureCloud(sandbox.url), googleCloud(sandbox.url)]);
    world = await openDashboardWorld();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await Promise.all([azure?.close(), google?.close()]);
    await sandbox?.stop();
  });

  const CLOUDS: Readonly<Record<string, () => Cloud>> = {
    azure: () => ({
      kind: "azure",
      place: { "Base URL": azure.url, 令牌服务器: azure.url },
      form: "Entra ID 应用（客户端密钥）",
      fields: {
        "租户 ID": AZURE_CLIENT.tenant_id,
        "客户端 ID": AZURE_CLIENT.client_id,
        客户端密钥: AZURE_CLIENT.client_secret,
      },
      model: "gpt-4o",
    }),
    vertex: () => ({
      kind: "vertex",
      place: {
        "Base URL": google.url,
        位置: "us-central1",
        项目: GOOGLE_PROJECT,
        令牌服务器: google.url,
      },
      form: "服务账号密钥",
      fields: { 密钥文件: serviceAccount() },
      model: "gemini-2.5-flash",
    }),
    bedrock: () => ({
      kind: "bedrock",
      place: {
        "Base URL": `${sandbox.url}/aws/bedrock`,
        位置: "us-east-1",
        令牌服务器: `${sandbox.url}/aws/sts`,
      },
      form: "访问密钥",
      fields: { "访问密钥 ID": "AKIA0123456789ABCDEF", 私有访问密钥: "secret-of-AKIA0123456789ABCDEF" },
      model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    }),
  };

  const open = async (page: Page, kind: string) => {
    await page.goto("/operator/upstreams");
    await page.getByRole("button", { name: "添加上游" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("类型").selectOption(kind);
    return dialog;
  };

  it.each(Object.keys(CLOUDS))(
    "is made, tested and shows the result until the next test: %s",
    async (name) => {
      const { kind, place, form, fields, model } = (CLOUDS[name] as () => Cloud)();
      const { page, complaints } = await signedInTo({ world, browser }, { locale: "zh-CN" });
      const dialog = await open(page, kind);
      await dialog.getByLabel("名称", { exact: true }).fill(`cloud-${name}`);
      for (const [label, value] of Object.entries(place))
        await dialog.getByLabel(label, { exact: true }).fill(value);
      await dialog.getByLabel("凭据", { exact: true }).selectOption(form);
      for (const [label, value] of Object.entries(fields))
        await dialog.getByLabel(label, { exact: true }).fill(value);
      const [last = ""] = Object.keys(fields).slice(-1);
      // What stands for a stored secret is none yet.
      await dialog.getByLabel(last, { exact: true }).fill("***");
      await dialog.getByLabel("模型 ID").fill("text-large");
      await dialog.getByLabel("上游模型").fill(model);
      await dialog.getByRole("button", { name: "创建" }).click();
      await dialog.getByLabel(last, { exact: true }).and(page.locator('[aria-invalid="true"]')).waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await seriousFindings(page)).toEqual([]);
      }
      await dialog.getByLabel(last, { exact: true }).fill(fields[last] ?? "");
      await dialog.getByRole("button", { name: "创建" }).click();
      await page.getByRole("heading", { name: `cloud-${name}` }).waitFor();
      await page.getByRole("link", { name: "凭据" }).click();
      const row = page.getByRole("row", { name: /测试/ }).last();
      await row.getByRole("button", { name: "测试" }).click();
      await row.getByText("正常").waitFor();
      // The page reads its upstream again every few seconds.
      await page.waitForResponse((response) => response.url().includes("/api/operator/upstreams/"));
      await row.getByText("正常").waitFor();
      expect(complaints()).toEqual([]);
    },
  );

  it.each(Object.keys(CLOUDS))("has words for each form of credentials and its fields: %s", async (name) => {
    const { page } = await signedInTo({ world, browser }, { locale: "zh-CN" });
    const { data } = (await world.operator.get("/operator/kinds")).body as Kinds;
    const forms = data.find((kind) => kind.name === name)?.credential_forms ?? [];
    const dialog = await open(page, name);
    const select = dialog.getByLabel("凭据", { exact: true });
    for (const { name: form, fields } of forms) {
      await select.selectOption(form);
      const said = await dialog.locator("form").innerText();
      for (const field of fields) expect(said.split("\n")).not.toContain(field.name);
      for (const { about } of fields) expect(said).not.toContain(about);
    }
    expect(forms.length).toBeGreaterThan(3);
  });
});
