import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { signedInTo } from "../support/dashboard-widths.ts";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world.ts";

describe.skipIf(lacksBrowser)("the settings in the dashboard", () => {
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

  const overrides = async () => (await world.operator.get("/operator/settings")).body.overrides;
  /** The control below that label, and what is said of it. */
  const faultAt = (page: Page, label: string) =>
    page.getByLabel(label).and(page.locator('[aria-invalid="true"]'));

  it("have a control with words for each, and errors beside the field at fault", async () => {
    const { page, complaints } = await signedInTo({ world, browser });
    await page.goto("/operator/settings");
    await page.getByRole("group", { name: "Copies of task results" }).waitFor();
    expect(await page.locator("form").innerText()).not.toMatch(/JSON|[{}]/);
    await page.getByLabel("Vendor tools without a price").selectOption("Remove the tool from the request");
    await page.getByLabel("Token counting").selectOption("Off");
    await page.getByLabel("Videos, minutes").fill("1.5");
    await page.getByRole("button", { name: "Save" }).click();
    await faultAt(page, "Videos, minutes").waitFor();
    await page.getByLabel("Videos, minutes").fill("90");

    await page.getByLabel("Storage").selectOption("S3 or a compatible service");
    await page.getByLabel("Endpoint").fill("https://s3.example.com");
    await page.getByRole("button", { name: "Save" }).click();
    await faultAt(page, "Bucket").waitFor();
    await page.getByLabel("Bucket").fill("results");

    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Company");
    await page.getByLabel("ID", { exact: true }).fill("company");
    await page.getByLabel("Client ID").fill("gateway");
    await page.getByLabel("Issuer URL").fill("https://user:secret@login.example.com");
    await page.getByRole("button", { name: "Save" }).click();
    await faultAt(page, "Issuer URL").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    await page.getByLabel("Issuer URL").fill("https://login.example.com");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Settings saved.").waitFor();
    expect(await overrides()).toEqual({
      unpriced: "drop",
      count_tokens: false,
      task_deadline_minutes: { video: 90 },
      mirror: { kind: "s3", endpoint: "https://s3.example.com", bucket: "results" },
      sign_in: {
        oidc: [{ id: "company", name: "Company", issuer: "https://login.example.com", client_id: "gateway" }],
      },
    });
    expect(complaints()).toEqual([]);
  });

  it("are unset field by field, on Chinese pages too", async () => {
    const { page, complaints } = await signedInTo({ world, browser }, { locale: "zh-CN" });
    const saved = await world.operator.put("/operator/settings", {
      overrides: {
        affinity: "anchor",
        trusted_proxies: ["10.0.0.1"],
        mirror: { kind: "disk" },
        keepalive: { first_ms: 5_000 },
        sign_in: {
          self_registration: true,
          oidc: [{ id: "a", name: "A", issuer: "https://a.example", client_id: "a" }],
        },
      },
    });
    expect(saved.status).toBe(200);
    await page.goto("/operator/settings");
    await page.getByLabel("会话亲和").selectOption("默认：按客户端的会话 ID，否则按会话开头");
    await page.getByLabel("可信代理").fill("10.0.0.1\n\n 10.0.0.2 \n");
    await page.getByLabel("存储").selectOption("默认：不保存副本");
    await page.getByLabel("首个事件之前（毫秒）").fill("");
    await page.getByRole("button", { name: "移除第 1 项" }).click();
    await page.getByRole("button", { name: "保存", exact: true }).click();
    await page.getByText("设置已保存。").waitFor();
    expect(await overrides()).toEqual({
      trusted_proxies: ["10.0.0.1", "10.0.0.2"],
      sign_in: { self_registration: true },
    });
    expect(complaints()).toEqual([]);
  });
});
