import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "./browser.ts";
import { dashboardPages, type PathValues } from "./dashboard-pages.ts";
import { type DashboardWorld, fillDashboard, lendSession, openDashboardWorld } from "./dashboard-world.ts";

/** Pictures come later than the page; those far below the window come never. */
const IMAGES_SHOWN = `Promise.race([
  Promise.all([...document.images].map((image) => image.decode().catch(() => undefined))),
  new Promise((resolve) => setTimeout(resolve, 2000)),
])`;
const WIDTHS = [360, 768, 1440];

/**
 * `npm run screenshots [folder]`: every page in light and dark at three widths, first empty, then with demo
 * data, to be looked at. Other languages: `npm run screenshots -- folder zh-CN`.
 */
const [folder = "screenshots", locale = "en-GB"] = process.argv.slice(2);
const world = await openDashboardWorld({ embedded: true });
const browser = await openBrowser();
try {
  await shoot(world, "empty", world.values);
  await shoot(world, "full", await fillDashboard(world));
} finally {
  await browser.close();
  await world.close();
}

async function shoot(world: DashboardWorld, state: string, values: PathValues): Promise<void> {
  const { open, signedIn } = dashboardPages(values);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of WIDTHS) {
      const into = join(folder, state, `${width}-${colorScheme}`);
      mkdirSync(into, { recursive: true });
      const options = { colorScheme, locale, viewport: { width, height: 900 } };
      const guest = await browser.visit(world.gateway.url, options);
      const visitor = await browser.visit(world.gateway.url, options);
      await lendSession(visitor, world);
      for (const [{ page }, paths] of [
        [guest, open],
        [visitor, signedIn],
      ] as const) {
        for (const path of paths) {
          await page.goto(path);
          await page.locator("h1").first().waitFor();
          await page.locator(".animate-pulse").first().waitFor({ state: "detached" });
          await page.evaluate(IMAGES_SHOWN);
          await page.screenshot({ path: join(into, `${fileName(path)}.png`), fullPage: true });
        }
      }
      await guest.context.close();
      await visitor.context.close();
    }
  }
}

function fileName(path: string): string {
  return path
    .replace(/^\/accounts\/\d+/, "account")
    .replace(/^\//, "")
    .replace(/\//g, "-");
}
