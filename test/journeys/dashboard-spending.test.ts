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

  it("tells operators what all accounts spent this month, down to a file that adds up to the ledger's revenue", async () => {
    await spend(world.key);
    const { operator, values } = world;
    const revenue = async (): Promise<bigint> =>
      BigInt((await operator.post("/operator/ledger/verify", {})).body.revenue_nanos);
    await waitFor("its sum", async () => {
      const { totals } = (await operator.get("/operator/spending")).body;
      return totals.requests > 0 && BigInt(totals.charge_nanos) === (await revenue());
    });
    const { page, complaints } = await open("/operator/spending");
    await page.getByRole("link", { name: "Last month" }).click();
    await page.getByText("No spending in this period").waitFor();
    await page.getByRole("link", { name: "This month" }).click();
    await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().waitFor();
    const href = await page.getByRole("link", { name: "Export CSV" }).getAttribute("href");
    const file = await page.evaluate(async (url) => (await fetch(url)).text(), href ?? "");
    const [titles = "", ...lines] = file.trimEnd().split("\r\n");
    const at = titles.split(",").indexOf("charge_usd");
    const sum = lines.reduce((total, line) => total + Math.round(Number(line.split(",")[at]) * 1e9), 0);
    expect(BigInt(sum)).toBe(await revenue());
    for (const tab of ["Groups", "Users", "API keys", "Models", "Upstreams", "Months", "Days"]) {
      await page.getByRole("navigation", { name: "Group by" }).getByRole("link", { name: tab }).click();
      await page.getByRole("table", { name: tab }).waitFor();
    }
    await page.getByRole("navigation", { name: "Group by" }).getByRole("link", { name: "Tags" }).click();
    await page.getByText("Choose a tag key").waitFor();
    await page.getByRole("searchbox", { name: "Tag key" }).fill("team");
    await page.getByRole("cell", { name: "without the tag" }).waitFor();
    // Every account's own page has the tags as well.
    await page.goto(`/accounts/${values["account"]}/spending?tab=tag&tag_key=team`);
    await page.getByRole("table", { name: "Tags" }).waitFor();
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
