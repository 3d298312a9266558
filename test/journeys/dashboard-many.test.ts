import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { type DashboardWorld, lendSession, openDashboardWorld } from "../support/dashboard-world.ts";

/** As many as a gateway that sells what an aggregator has. */
const MODELS = 1_200;

/** More than a list of choices should be. */
const KEYS = 300;

/** Lists that come whole are drawn by pages: thousands of rows at once would stop the browser for seconds. */
describe.skipIf(lacksBrowser)("a gateway of very many models in the dashboard", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;

  beforeAll(async () => {
    world = await openDashboardWorld();
    await world.gateway.database?.database.execute(
      `insert into models (id, owned_by, created, endpoints, price_id)
         select 'many-' || lpad(n::text, 4, '0'), owned_by, created, endpoints, price_id
           from models, generate_series(1, $1) as n where id = 'text-large'`,
      [MODELS],
    );
    await world.gateway.database?.database.execute(
      `update upstreams set models = models || (
         select jsonb_object_agg(id, 'text-large') from models where id like 'many-%')`,
    );
    await world.gateway.database?.database.execute(
      `with made as (
         insert into api_keys (account_id, name)
           select $1::int8, 'machine ' || lpad(n::text, 3, '0') from generate_series(1, $2::int) as n returning id
       )
       insert into api_key_secrets (key_id, hash, hint, lookalike)
         select id, sha256(('many' || id)::bytea), 'sk-' || id, false from made`,
      [world.values["account"], KEYS],
    );
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function open(path: string): Promise<Visitor> {
    const visitor = await browser.visit(world.gateway.url);
    await lendSession(visitor, world);
    await visitor.page.goto(path);
    return visitor;
  }

  it.each([
    ["catalog", () => "/operator/catalog"],
    ["model list", () => `/accounts/${world.values["account"]}/models`],
  ])("has a page of its %s at a time, each row on one of them", async (_, path) => {
    const { page } = await open(path());
    const rows = page.locator("tbody tr");
    const seen = new Set<string>();
    for (let first = ""; ; ) {
      await expect.poll(() => rows.locator("td").first().textContent()).not.toBe(first);
      const names = await rows.locator("td:first-child").allTextContents();
      expect(names.length).toBeLessThanOrEqual(100);
      for (const name of names) seen.add(/many-\d+/.exec(name)?.[0] ?? "");
      first = names[0] ?? "";
      const next = page.getByRole("link", { name: "Next page" });
      if ((await next.count()) === 0) break;
      await next.click();
    }
    seen.delete("");
    expect(seen.size).toBe(MODELS);
    // What is searched for is looked for among all, from the first page on.
    await page.getByRole("searchbox").fill("many-0007");
    await page.getByText("many-0007").waitFor();
    expect(await rows.count()).toBe(1);
  });

  it("finds any of very many keys for the log's filter, and names it again from the URL", async () => {
    const { page, complaints } = await open(`/accounts/${world.values["account"]}/requests`);
    const box = page.getByRole("combobox", { name: "API key", exact: true });
    await box.pressSequentially("chine 007");
    await page.getByRole("option", { name: "machine 007" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("key")).toMatch(/^\d+$/);
    expect(await box.inputValue()).toBe("machine 007");
    await page.reload();
    await expect.poll(() => box.inputValue()).toBe("machine 007");
    await page.getByText("No requests match").waitFor();
    // Whoever types on is rid of it at once, and of no letter.
    await box.press("End");
    await box.pressSequentially("x");
    await expect.poll(() => new URL(page.url()).search).toBe("");
    await box.fill("machine 299");
    // The list of what stood in the box before may name it too, and an arrow would point into that one.
    await expect.poll(() => page.getByRole("listbox").getByRole("option").count()).toBe(1);
    await page.getByRole("option", { name: "machine 299" }).waitFor();
    await box.press("ArrowDown");
    await box.press("Enter");
    await expect.poll(() => new URL(page.url()).searchParams.get("key")).toMatch(/^\d+$/);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => box.inputValue()).toBe("");
    expect(complaints()).toEqual([]);
  });
});
