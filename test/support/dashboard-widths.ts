import type { Page } from "playwright-core";
import type { TestBrowser, Visitor } from "./browser.ts";
import { dashboardPages, type PathValues } from "./dashboard-pages.ts";
import { type DashboardWorld, lendSession } from "./dashboard-world.ts";

export const WIDTHS = [360, 768, 1440];

/** The longest time in which a page fits another width; one that does not fit stays so. */
const MAX_FRAMES = 60;

/** The means of looking at the pages of a dashboard that is full of data. */
export interface FullDashboard {
  readonly world: DashboardWorld;
  readonly browser: TestBrowser;
  readonly values: PathValues;
}

/** A browser window with an operator's session. */
export async function signedInTo(
  { world, browser }: Omit<FullDashboard, "values">,
  options: object = {},
): Promise<Visitor> {
  const visitor = await browser.visit(world.gateway.url, options);
  await lendSession(visitor, world);
  return visitor;
}

/** Goes to a page and waits until it has its data. */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator("h1").first().waitFor();
  await page.locator("[role=status].flex:has(.animate-pulse)").first().waitFor({ state: "detached" });
}

/** A page that has been told of another size or colour has answered when two frames are drawn. */
export async function redrawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** Pixels beyond the window; charts take their new size a little after everything else. */
async function overflowOf(page: Page): Promise<number> {
  let overflow = 0;
  for (let frames = 0; frames < MAX_FRAMES; frames += 1) {
    await redrawn(page);
    overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (overflow <= 0) break;
  }
  return overflow;
}

/** Every page that scrolls sideways at one of the widths, as a sentence. */
export async function findTooWide(dashboard: FullDashboard, locale: string): Promise<string[]> {
  const { world, browser, values } = dashboard;
  const wide: string[] = [];
  const pages = dashboardPages(values);
  // A video's page says more than a picture's, and the start names the account.
  const more = [
    `/accounts/${values["account"]}/tasks/${values["videoTask"]}`,
    `/accounts/${values["longAccount"]}`,
  ];
  for (const [{ page }, paths] of [
    [await signedInTo(dashboard, { locale }), [...pages.signedIn, ...more]],
    [await browser.visit(world.gateway.url, { locale }), pages.open],
  ] as const) {
    for (const path of paths) {
      await openPage(page, path);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = await overflowOf(page);
        if (overflow > 0) wide.push(`${path} at ${width}: ${overflow} pixels too wide`);
      }
    }
  }
  return wide;
}
