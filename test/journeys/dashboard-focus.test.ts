import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import {
  type DashboardWorld,
  fillDashboard,
  lendSession,
  openDashboardWorld,
} from "../support/dashboard-world.ts";

/** Whoever works by keyboard goes on where they were, rather than from the top of the page. */
describe.skipIf(lacksBrowser)("the focus in the dashboard", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;

  beforeAll(async () => {
    world = await openDashboardWorld();
    await fillDashboard(world);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it.each([
    ["Edit", () => `/accounts/${world.values["account"]}/keys`, "Actions for nightly reports"],
    ["Revoke", () => `/accounts/${world.values["account"]}/keys`, "Actions for nightly reports"],
    ["Edit", () => "/operator/catalog", "More: text-large"],
  ])(
    "returns to the menu's button from the dialog of %s, however that is left",
    async (item, path, button) => {
      const visitor = await browser.visit(world.gateway.url);
      await lendSession(visitor, world);
      const { page } = visitor;
      await page.goto(path());
      const more = page.getByRole("button", { name: button });
      for (const leave of ["Escape", "Close"]) {
        await more.press("Enter");
        await page.getByRole("menuitem", { name: item, exact: true }).press("Enter");
        const dialog = page.getByRole("dialog");
        await dialog.waitFor();
        if (leave === "Escape") await page.keyboard.press(leave);
        else await dialog.getByRole("button", { name: leave, exact: true }).press("Enter");
        await dialog.waitFor({ state: "hidden" });
        await expect
          .poll(() => more.evaluate((element) => element.matches(":focus")), { message: leave })
          .toBe(true);
      }
    },
  );

  it("returns to the button of a dialog that is gone once it is left", async () => {
    const visitor = await browser.visit(world.gateway.url);
    await lendSession(visitor, world);
    const { page } = visitor;
    await page.goto("/operator/upstreams");
    const add = page.getByRole("button", { name: "Add upstream" });
    await add.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await add.evaluate((element) => element.matches(":focus"))).toBe(true);
  });

  it("stays where it was when a link leads to another page, whose name is said", async () => {
    const visitor = await browser.visit(world.gateway.url);
    await lendSession(visitor, world);
    const { page } = visitor;
    await page.goto(`/accounts/${world.values["account"]}/keys`);
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
    const said = page.locator("[data-announced]");
    // A page that the browser loads it names itself.
    expect(await said.textContent()).toBe("");
    const link = page.getByRole("link", { name: "Members", exact: true }).first();
    await link.press("Enter");
    await expect.poll(() => said.textContent()).toBe("Members");
    expect(await link.evaluate((element) => element.matches(":focus"))).toBe(true);
    await page.goBack();
    await expect.poll(() => said.textContent()).toBe("API keys");
  });

  it("begins at the first field of a form in a dialog", async () => {
    const visitor = await browser.visit(world.gateway.url);
    await lendSession(visitor, world);
    const { page } = visitor;
    await page.goto("/operator/codes");
    await page.getByRole("button", { name: "Create codes" }).first().press("Enter");
    const amount = page.getByRole("dialog").getByLabel("Amount per code");
    await amount.waitFor();
    expect(await amount.evaluate((element) => element.matches(":focus"))).toBe(true);
  });
});
