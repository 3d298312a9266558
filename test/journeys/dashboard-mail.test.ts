import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { inviteGuest } from "../support/console-people.ts";
import { signedInTo } from "../support/dashboard-widths.ts";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world.ts";
import { type FakeSmtp, startFakeSmtp } from "../support/fake-smtp.ts";
import { waitFor } from "../support/wait.ts";

describe.skipIf(lacksBrowser)("e-mail in the dashboard", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;
  let smtp: FakeSmtp;
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    world = await openDashboardWorld();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await smtp?.close();
  });

  it("is set up with a form, and tested with a result that stays", async () => {
    const { page, complaints } = await signedInTo({ world, browser });
    await page.goto("/operator/settings");
    const server = page.getByRole("group", { name: "Mail server (SMTP)" });
    await server.getByLabel("Host").fill("127.0.0.1");
    await server.getByLabel("Port").fill(String(smtp.port));
    await server.getByLabel("Encryption").selectOption("None");
    await server.getByLabel("Sender address").fill("gate@faregate.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Settings saved.").waitFor();
    await page.goto("/operator/settings?tab=system");
    await page.getByLabel("Send a test to").fill("ops@mail.example");
    await page.getByRole("button", { name: "Send test email" }).click();
    const row = page.getByRole("row").filter({ hasText: "ops@mail.example" });
    await row.getByText("accepted").waitFor();
    expect(smtp.received[0]?.to).toEqual(["ops@mail.example"]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    expect(complaints()).toEqual([]);
  });

  it.each([
    [
      "en-US",
      "Forgot your password?",
      "Email",
      "Send link",
      "New password",
      "Confirm password",
      "Save password",
    ],
    ["zh-CN", "忘记密码？", "邮箱", "发送链接", "新密码", "确认密码", "保存密码"],
  ])(
    "brings who forgot the password back in (%s)",
    async (locale, forgot, email, send, chosen, again, save) => {
      const address = `${locale.toLowerCase()}@mail.example`;
      await inviteGuest(world.gateway, world.operator, {
        email: address,
        account: { id: world.values["account"] ?? "", role: "viewer" },
      });
      const { page, complaints } = await browser.visit(world.gateway.url, { locale });
      await page.goto("/sign-in");
      await page.getByRole("link", { name: forgot }).click();
      await page.getByLabel(email).fill(address);
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole("button", { name: send }).click();
      await page.locator("p[role=status]").waitFor();
      const text = await waitFor(
        "the link",
        () =>
          smtp.received.find(({ to, text }) => to.includes(address) && text.includes("/reset-password#"))
            ?.text,
      );
      await page.goto(/https?:\/\/\S+/.exec(text)?.[0] ?? "");
      await page.getByText(address).waitFor();
      await page.getByLabel(chosen, { exact: true }).fill("a password that is remembered");
      await page.getByLabel(again).fill("a password that is remembered");
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole("button", { name: save }).click();
      await page.locator("p[role=status]").waitFor();
      expect(complaints()).toEqual([]);
    },
  );
});
