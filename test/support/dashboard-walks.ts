import { expect } from "vitest";
import { seriousFindings } from "./axe.ts";
import { dashboardPages } from "./dashboard-pages.ts";
import { type FullDashboard, openPage, redrawn, signedInTo } from "./dashboard-widths.ts";

/** The complaints of every page, and axe's serious findings on it, in one colour scheme. */
export async function findComplaints(
  dashboard: FullDashboard,
  colorScheme: "light" | "dark",
): Promise<string[]> {
  const { world, browser, values } = dashboard;
  const pages = dashboardPages(values);
  const findings: string[] = [];
  for (const [{ page, complaints }, paths] of [
    [await signedInTo(dashboard, { colorScheme }), pages.signedIn],
    [await browser.visit(world.gateway.url, { colorScheme }), pages.open],
  ] as const) {
    for (const path of paths) {
      await openPage(page, path);
      await redrawn(page);
      const found = await seriousFindings(page);
      findings.push(...found.map((finding) => `${path} (${colorScheme}) ${finding}`));
    }
    findings.push(...complaints());
  }
  return findings;
}

/** Walks the menu: each page's heading begins with the words of its link. */
export async function expectMenuNames(dashboard: FullDashboard, locale: string): Promise<void> {
  const { page } = await signedInTo(dashboard, { locale });
  await page.goto(`/accounts/${dashboard.values["account"]}`);
  const links = page.locator("nav a[aria-keyshortcuts]");
  await links.first().waitFor();
  for (const link of await links.all()) {
    const name = await link.innerText();
    await link.click();
    await expect.poll(() => page.locator("h1").textContent()).toMatch(new RegExp(`^${name}`));
  }
}
