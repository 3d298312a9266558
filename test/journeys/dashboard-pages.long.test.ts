import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser } from "../support/browser.ts";
import { expectMenuNames, findComplaints } from "../support/dashboard-walks.ts";
import { type FullDashboard, findTooWide, WIDTHS } from "../support/dashboard-widths.ts";
import { fillDashboard, openDashboardWorld } from "../support/dashboard-world.ts";

/** What dashboard-pages.test.ts shows in English and in light: words and colours differ, the pages are the same. */
describe.skipIf(lacksBrowser)("the dashboard's pages in Chinese and in dark", () => {
  let dashboard: FullDashboard;
  beforeAll(async () => {
    const world = await openDashboardWorld();
    dashboard = { world, values: await fillDashboard(world), browser: await openBrowser() };
  });
  afterAll(async () => {
    await dashboard?.browser.close();
    await dashboard?.world.close();
  });

  it(`fit windows of ${WIDTHS.join(", ")} pixels without scrolling sideways`, async () => {
    expect(await findTooWide(dashboard, "zh-CN")).toEqual([]);
  });

  it("are called in the menu what they call themselves", async () => {
    await expectMenuNames(dashboard, "zh-CN");
  });

  it("render without complaint and with no serious finding of axe, in dark", async () => {
    expect(await findComplaints(dashboard, "dark")).toEqual([]);
  });
});
