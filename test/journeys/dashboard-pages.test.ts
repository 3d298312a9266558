import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import type { PathValues } from "../support/dashboard-pages.ts";
import { expectMenuNames, findComplaints } from "../support/dashboard-walks.ts";
import { findTooWide, openPage, redrawn, signedInTo, WIDTHS } from "../support/dashboard-widths.ts";
import {
  type DashboardWorld,
  fillDashboard,
  openDashboardWorld,
  signInAt,
} from "../support/dashboard-world.ts";

/** Writes down where the amounts beside a chart begin: they are in no element. */
const NOTE_AMOUNTS = `
  window.amounts = {};
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
    if (text.startsWith("$")) window.amounts[text] = x - this.measureText(text).width;
    return draw.call(this, text, x, ...rest);
  };`;

const COLOURS = ["light", "dark"] as const;
/** Each page, full of data, as a person meets it: complete, quiet, readable in light and dark, narrow and wide. */
describe.skipIf(lacksBrowser)("the dashboard's pages", () => {
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

  const signedIn = (options: object = {}): Promise<Visitor> => signedInTo({ world, browser }, options);

  // In dark: dashboard-pages.long.test.ts.
  it("render without complaint and with no serious finding of axe, in light", async () => {
    expect(await findComplaints({ world, browser, values }, "light")).toEqual([]);
  });

  it("have dialogs and a menu that axe finds nothing serious in, in light and in dark", async () => {
    const { page } = await signedIn({ viewport: { width: 360, height: 800 } });
    const findings: string[] = [];
    const look = async (): Promise<void> => {
      for (const colorScheme of COLOURS) {
        await page.emulateMedia({ colorScheme });
        await redrawn(page);
        findings.push(...(await seriousFindings(page)).map((finding) => `${colorScheme} ${finding}`));
      }
    };
    await page.goto(`/accounts/${values["account"]}/keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").waitFor();
    await look();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open menu" }).click();
    const menu = page.getByRole("dialog", { name: "Navigation" });
    await menu.getByRole("link", { name: "Models" }).waitFor();
    await look();
    expect(findings).toEqual([]);
    await menu.getByRole("link", { name: "Models" }).click();
    await page.getByRole("heading", { name: "Models" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  // In Chinese: dashboard-pages.long.test.ts.
  it(`fit windows of ${WIDTHS.join(", ")} pixels without scrolling sideways`, async () => {
    expect(await findTooWide({ world, browser, values }, "en-GB")).toEqual([]);
  });

  it("leave room for the other columns of a table where a name is long", async () => {
    const { page } = await signedIn({ viewport: { width: 1280, height: 800 }, locale: "zh-CN" });
    await page.goto(`/accounts/${values["account"]}/keys`);
    const may = page.getByRole("row", { name: "xxxxxxxx" }).getByText("全部模型");
    expect((await may.boundingBox())?.height).toBeLessThan(24);

    const made = await world.operator.post("/operator/upstreams", {
      name: "u".repeat(64),
      kind: "sandbox",
      base_url: "http://127.0.0.1:1",
      api_keys: ["a-key-of-nobody"],
      models: { "text-large": "text-large" },
      priority: 1_000,
    });
    await page.goto("/operator/catalog");
    await page.getByText("u".repeat(64)).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await world.operator.del(`/operator/upstreams/${made.body.id}`);
  });

  it.each([
    ["20", "$0.00000002"],
    ["2000000000000000", "$2,000,000"],
  ])("show the amounts beside a chart whole, for a charge of %s nanos", async (charge, highest) => {
    const { page } = await signedIn({ viewport: { width: 360, height: 800 } });
    await page.addInitScript(NOTE_AMOUNTS);
    await page.route("**/spending?*", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.series = [{ ...body.series[0], charge_nanos: charge }];
      await route.fulfill({ response: response, json: body });
    });
    await page.goto(`/accounts/${values["account"]}/spending`);
    await page.getByRole("img", { name: "Spending by day and model" }).waitFor();
    const amounts = () => page.evaluate<Record<string, number>>("window.amounts");
    await expect.poll(amounts).toHaveProperty([highest]);
    for (const [amount, begin] of Object.entries(await amounts()))
      expect(begin, amount).toBeGreaterThanOrEqual(0);
  });

  it("say so where there is none, and lead back", async () => {
    const visitor = await signedIn({ viewport: { width: 360, height: 800 } });
    await openPage(visitor.page, `/accounts/${values["account"]}/nowhere`);
    const heading = visitor.page.getByRole("heading", { name: "Page not found" });
    await heading.waitFor();
    // As far from the window's edge as every other page, be there a menu or not.
    expect((await heading.boundingBox())?.x).toBe(16);
    await openPage(visitor.page, "/operator/nowhere");
    expect((await heading.boundingBox())?.x).toBe(16);
    await visitor.page.getByRole("link", { name: "Back to home" }).click();
    await visitor.page.getByRole("heading", { name: "Home" }).waitFor();
  });

  // In Chinese: dashboard-pages.long.test.ts.
  it("are called in the menu what they call themselves", async () => {
    await expectMenuNames({ world, browser, values }, "en-GB");
  });

  it("can be walked by keyboard alone: skip link, letters, search, help", async () => {
    const { page } = await signedIn();
    await page.goto(`/accounts/${values["account"]}`);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.getByRole("heading", { name: "Models" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("rerank");
    await page.getByRole("link", { name: "text-large" }).waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("?q=rerank");
    await page.keyboard.press("Escape");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ state: "hidden" });
  });

  it("change language and theme at once, and remember them", async () => {
    const { page } = await signedIn({ colorScheme: "light" });
    await page.goto(`/accounts/${values["account"]}/models`);
    await page.getByRole("combobox", { name: "Language" }).selectOption("zh");
    await page.getByRole("heading", { name: "模型" }).waitFor();
    await page.getByRole("combobox", { name: "主题" }).selectOption("dark");
    await page.reload();
    await page.getByRole("heading", { name: "模型" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("zh-CN");
    expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");
  });

  it.each(["System", "Dark"])(
    "print dark letters on white paper, without the menu: theme %s",
    async (theme) => {
      const { page } = await signedIn({ colorScheme: "dark" });
      await page.goto(`/accounts/${values["account"]}/requests/${values["request"]}`);
      await page.getByRole("combobox", { name: "Theme" }).selectOption({ label: theme });
      await page.getByRole("heading", { name: "Receipt", exact: true }).waitFor();
      const ink = () => page.evaluate<string>("getComputedStyle(document.querySelector('h1')).color");
      expect(await ink()).toBe("rgb(232, 234, 237)");
      await page.emulateMedia({ media: "print" });
      expect(await ink()).toBe("rgb(22, 25, 29)");
      expect(await page.getByRole("navigation", { name: "Navigation" }).isVisible()).toBe(false);
    },
  );

  it("tell operators where a request was sent and why, and how many conversations are seen once", async () => {
    const { page } = await signedIn();
    await page.goto(`/accounts/${values["account"]}/requests/${values["request"]}`);
    await page.getByText("Routing reason").waitFor();
    await page.getByText("the conversation's upstream").waitFor();
    await page.goto(`/operator/upstreams/${values["upstream"]}?tab=route&model=text-large`);
    await page.getByText(/^Conversations seen only once .*: \d+% of \d+\./).waitFor();
  });

  it("lead to signing in and back to where one was going", async () => {
    const visitor = await browser.visit(world.gateway.url);
    await visitor.page.goto(`/accounts/${values["account"]}/models?q=text`);
    await visitor.page.waitForURL(/\/sign-in\?/);
    await signInAt(visitor);
    await visitor.page.waitForURL(/\/models\?q=text$/);
  });
});
