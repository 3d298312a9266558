import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import {
  type DashboardWorld,
  fillDashboard,
  lendSession,
  openDashboardWorld,
} from "../support/dashboard-world.ts";

/** Writes down what is drawn as text: the names along a chart's axes are in no element. */
const NOTE_DRAWN_TEXT = `
  window.drawn = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    window.drawn.push(text);
    return draw.call(this, text, ...rest);
  };`;

/** The gateway sums by UTC days; wherever somebody sits, a day is the same day on every page. */
describe.skipIf(lacksBrowser)("days in the dashboard", () => {
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

  async function visitFrom(timezoneId: string): Promise<Visitor> {
    const visitor = await browser.visit(world.gateway.url, { timezoneId, locale: "en-GB" });
    await lendSession(visitor, world);
    return visitor;
  }

  it.each(["UTC", "Europe/Berlin"])(
    "are named along a chart's axis where their bars stand, after a clock change too, in %s",
    async (zone) => {
      const { page } = await visitFrom(zone);
      await page.addInitScript(NOTE_DRAWN_TEXT);
      // Thirty days up to this one begin on the day after clocks went back in Berlin.
      await page.clock.setFixedTime("2026-11-24T12:00:00Z");
      await page.goto(`/operator/upstreams/${world.values["upstream"]}`);
      await page.getByRole("img", { name: "Revenue by day" }).waitFor();
      const drawn = () => page.evaluate<string[]>("window.drawn");
      await expect.poll(drawn).toContain("23 Nov");
      const days = (await drawn()).filter((text) => text.endsWith("Oct"));
      expect([...new Set(days)]).toEqual(["26 Oct", "28 Oct", "30 Oct"]);
    },
  );

  it.each([
    ["statement?tab=transactions&", "to"],
    ["requests?", "to"],
    ["tasks?", "to"],
    ["audit?", "until"],
  ])("are those of UTC in the filters of the page of %s, and it says so", async (name, until) => {
    const { page } = await visitFrom("America/St_Johns");
    const listed = page.waitForRequest((request) => {
      const { pathname, searchParams } = new URL(request.url());
      return pathname.startsWith("/api/") && searchParams.has("from");
    });
    // Clocks went forward there on this day.
    await page.goto(`/accounts/${world.values["account"]}/${name}from=2026-03-08&${until}=2026-03-08`);
    const { searchParams } = new URL((await listed).url());
    expect(searchParams.get("from")).toBe("2026-03-08T00:00:00.000Z");
    expect(searchParams.get(until)).toBe("2026-03-09T00:00:00.000Z");
    await page.getByText("Days are in UTC.").waitFor();
  });

  it("are those of UTC where codes are given a last one", async () => {
    const { page } = await visitFrom("Pacific/Kiritimati");
    await page.goto("/operator/codes");
    await page.getByRole("button", { name: "Create codes" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Amount per code").fill("1");
    await dialog.getByLabel("Expires").fill("2030-03-08");
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await dialog.getByRole("button", { name: "Create codes" }).click();
    expect((await sent).postDataJSON()).toMatchObject({ expires_at: "2030-03-08T23:59:59Z" });
  });
});
