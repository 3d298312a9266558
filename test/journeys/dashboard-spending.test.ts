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

  it("tells a key from the one that was made in its place under the same name", async () => {
    const { operator, gateway, values } = world;
    const keys = `/accounts/${values["account"]}/keys`;
    const ids: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const { body } = await operator.post(keys, { name: "ci" });
      ids.push(body.key.id);
      await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${body.secret}` },
        body: JSON.stringify({ model: "text-large", messages: [{ role: "user", content: "Hello" }] }),
      });
      await operator.del(`${keys}/${body.key.id}`);
    }
    await waitFor(
      "both keys' sums",
      async () => (await operator.get(`${spending}?by=key`)).body.groups.length === 2,
    );
    const { page, complaints } = await open(`${spending}?tab=key`);
    const names = ids.map((id) => `ci (#${id})`).sort();
    const cells = page.getByRole("table", { name: "Keys" }).locator("tbody td:first-child");
    await expect.poll(async () => (await cells.allTextContents()).sort()).toEqual(names);
    const drawn = page.getByRole("figure").getByRole("listitem");
    await expect.poll(async () => (await drawn.allTextContents()).join()).toContain(names[1]);
    const colours = await drawn
      .locator("[style]")
      .evaluateAll((dots) => dots.map((dot) => dot.getAttribute("style")));
    expect(new Set(colours).size).toBe(2);
    expect(complaints()).toEqual([]);
  });
});
