import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KIND_NAMES } from "../../src/upstreams/kinds.ts";
import { PRESET_NAMES } from "../../src/upstreams/vendor-presets.ts";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { dashboardPages, type PathValues } from "../support/dashboard-pages.ts";
import { openPage, signedInTo } from "../support/dashboard-widths.ts";
import { type DashboardWorld, fillDashboard, openDashboardWorld } from "../support/dashboard-world.ts";

/**
 * Texts that a reader sees or hears, without Chinese and with English words: those of text nodes, labels, titles and
 * placeholders. Code, and what is marked as English, is left out.
 */
const ENGLISH = `(() => {
  const isEnglish = (text) => /[a-z]{3}/i.test(text) && !/[\\u4e00-\\u9fff]/.test(text);
  const found = new Set();
  const skipped = "code, pre, script, style, noscript, del, ins, [lang=en], .font-mono, textarea";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.closest(skipped) === null) found.add(node.textContent.trim());
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]"))
    if (element.closest(skipped) === null)
      for (const name of ["aria-label", "title", "placeholder"]) found.add(element.getAttribute(name) ?? "");
  return [...found].filter(isEnglish);
})()`;

describe.skipIf(lacksBrowser)("the dashboard in Chinese", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;
  let values: PathValues;
  beforeAll(async () => {
    world = await openDashboardWorld();
    values = await fillDashboard(world);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it("shows no English but names, on any page or tab", async () => {
    const pages = dashboardPages(values);
    const { page } = await signedInTo({ world, browser }, { locale: "zh-CN" });
    const guest = await browser.visit(world.gateway.url, { locale: "zh-CN" });
    const found: string[] = [];
    for (const path of pages.signedIn) found.push(...(await englishAt(page, path)));
    for (const path of pages.open) found.push(...(await englishAt(guest.page, path)));
    expect(found).toEqual([]);
  });

  /** Of the page and of its tabs. */
  async function englishAt(page: Page, path: string): Promise<string[]> {
    await openPage(page, path);
    const tabs = await page
      .locator("nav.overflow-x-auto a")
      .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href));
    const found: string[] = [];
    for (const address of tabs.length === 0 ? [path] : tabs) {
      if (address !== path) await openPage(page, address);
      const texts = (await page.evaluate(ENGLISH)) as string[];
      found.push(...texts.filter((text) => !isName(text)).map((text) => `${address}: ${text}`));
    }
    return found;
  }
});

/** True for names, and for what people of the world wrote themselves. */
function isName(text: string): boolean {
  const parts = NAMES.has(text) ? [] : text.split(/, | · /);
  return parts.every((part) => NAMES.has(part) || PATTERNS.some((pattern) => pattern.test(part)));
}

const NAMES: ReadonlySet<string> = new Set<string>([
  "USD",
  // Products and APIs.
  ...["Faregate", "English", "curl", "Base URL", "Top P", "AI SDK · TypeScript"],
  ...["Slack", "Teams", "Webhook", "OpenAI", "Anthropic", "Google GenAI", "AI SDK", "Python", "TypeScript"],
  ...["Chat Completions", "Responses", "Messages", "generateContent", "Embeddings", "Rerank"],
  // What the world holds.
  ...["demo", "default", "default (× 1)", "sandbox", "bootstrap", "First operator", "admin@localhost"],
  ...["nightly reports", "old laptop", "Harbour Office", "For the workshop", "mira@example.com"],
  ...["Thanks for the bug report", "Waves at a lighthouse", "A lighthouse at dusk", "A ferry in the fog"],
  ...["25 USD opening balance", "dashboard-world-1", "dashboard-world-2", "adaptive"],
  // Kinds and presets as the catalog file calls them.
  ...KIND_NAMES,
  ...PRESET_NAMES,
]);

/** Models, long names, tasks, addresses, processes and subjects of the audit log. */
const PATTERNS = [
  /^(text|embed|rerank|imagegen|video[abc])-[\w.-]+$/,
  /^x{200}$/,
  /^task-\w+$/,
  /^https?:\/\/\S+$/,
  /^\S+ pid \d+$/,
  /^start \(\S+ on \S+\)$/,
  /^(batch|group) \w+$/,
  // A statement's account with its id, and its days in their zone.
  /^demo \(\d+\)$/,
  /^[\d-]{10} – [\d-]{10} \(UTC\)$/,
];
