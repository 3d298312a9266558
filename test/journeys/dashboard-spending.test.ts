import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { type DashboardWorld, lendSession, openDashboardWorld } from "../support/dashboard-world.ts";
import { waitFor } from "../support/wait.ts";

/** Where the money goes, told apart: one name may be two keys, and one day and month two days. */
describe.skipIf(lacksBrowser)("the spending in the dashboard", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;
  let spending: string;

  beforeAll(async () => {
    world = await openDashboardWorld();
    spending = `/accounts/${world.values["account"]}/spending`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function open(path: string): Promise<Visitor> {
    const visitor = await browser.visit(world.gateway.url, { locale: "en-GB" });
    await lendSession(visitor, world);
    await visitor.page.goto(path);
    return visitor;
  }

  async function spend(key: string): Promise<void> {
    const response = await fetch(`${world.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "text-large", messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(response.status).toBe(200);
  }

  it("tells a key from the one that was made in its place under the same name", async () => {
    const { operator, values } = world;
    const keys = `/accounts/${values["account"]}/keys`;
    const ids: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const { body } = await operator.post(keys, { name: "ci" });
      ids.push(body.key.id);
      await spend(body.secret);
      await operator.del(`${keys}/${body.key.id}`);
    }
    await waitFor("both keys' sums", async () => {
      const { groups } = (await operator.get(`${spending}?by=key`)).body;
      return ids.every((id) => groups.some((group: { readonly id: string }) => group.id === id));
    });
    const { page, complaints } = await open(`${spending}?tab=key`);
    const names = ids.map((id) => `ci (#${id})`).sort();
    const cells = page
      .getByRole("table", { name: "API keys" })
      .locator("tbody td:first-child", { hasText: "ci" });
    await expect.poll(async () => (await cells.allTextContents()).sort()).toEqual(names);
    const drawn = page.getByRole("figure").getByRole("listitem").filter({ hasText: "ci" });
    await expect.poll(async () => (await drawn.allTextContents()).join()).toContain(names[1]);
    const colours = await drawn
      .locator("[style]")
      .evaluateAll((dots) => dots.map((dot) => dot.getAttribute("style")));
    expect(new Set(colours).size).toBe(2);
    expect(complaints()).toEqual([]);
  });

  it("names the years of days where a range has one day of a year twice, and not where it has none", async () => {
    await spend(world.key);
    await waitFor("its sum", async () => (await world.operator.get(spending)).body.groups.length > 0);
    const { page } = await open(`${spending}?from=${dayFromToday(-365)}&to=${dayFromToday(0)}`);
    const about = page.getByRole("figure").getByRole("listitem").first();
    await expect.poll(() => about.textContent()).toMatch(/^\d+ \w+ \d{4}$/);
    await page.getByRole("button", { name: "Show as table" }).click();
    await page
      .getByRole("cell", { name: /^\d+ \w+ \d{4}$/ })
      .nth(365)
      .waitFor();
    await page.goto(`${spending}?from=${dayFromToday(-364)}&to=${dayFromToday(0)}`);
    await expect.poll(() => about.textContent()).toMatch(/^\d+ \w+$/);
  });
});

function dayFromToday(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
