import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Debian's Chromium, or the one that CHROMIUM names. */
const program = process.env["CHROMIUM"] ?? PLACES.find((place) => existsSync(place));

/** Far beyond anything that is merely slow: Playwright gives up after half a minute, which a busy machine may need. */
const LIMIT_MS = 120_000;

/** Why there is no browser to test in, for `describe.skipIf`; in CI its absence is a failure instead. */
export const lacksBrowser: string | undefined =
  program === undefined && process.env["CI"] === undefined
    ? "no Chromium: `apt-get install chromium`, or name one in CHROMIUM"
    : undefined;

/** A person at a browser, who notes everything that goes wrong behind the page. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * Errors of the console, among them breaches of the content policy; exceptions; requests to others than the
   * gateway. Refusals that the page shows (4xx) are not among them.
   */
  complaints(): readonly string[];
}

export interface TestBrowser {
  /** A new browser profile at this gateway. */
  visit(url: string, options?: BrowserContextOptions): Promise<Visitor>;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<TestBrowser> {
  if (program === undefined) throw new Error("there is no Chromium; install it or name one in CHROMIUM");
  // Chromium's own sandbox refuses to run as root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: program, args, timeout: LIMIT_MS });
  return { visit: (url, options) => visit(browser, url, options), close: () => browser.close() };
}

async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: url, ...options });
  context.setDefaultTimeout(LIMIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    const isRefusal = /the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !isRefusal) complaints.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    const isOwn = origin === new URL(url).origin || protocol === "data:" || protocol === "blob:";
    if (!isOwn) complaints.push(`request: ${request.url()}`);
  });
  return { page, context, complaints: () => complaints };
}
