import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser } from "../support/browser.ts";
import { type FullDashboard, findTooWide, WIDTHS } from "../support/dashboard-widths.ts";
import { fillDashboard, openDashboardWorld } from "../support/dashboard-world.ts";

/** As dashboard-pages.test.ts shows in English: the words differ, the pages are the same. */
describe.skipIf(lacksBrowser)("the dashboard's pages in Chinese", () => {
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
});
