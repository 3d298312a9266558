import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import type { SignedIn } from "../support/console.ts";
import { inviteGuest, type Role } from "../support/console-people.ts";
import { type DashboardWorld, lendSession, openDashboardWorld } from "../support/dashboard-world.ts";

/** More changes than a page of the log shows. */
const MANY = 51;

describe.skipIf(lacksBrowser)("the audit log of an account", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;
  let account: string;
  beforeAll(async () => {
    world = await openDashboardWorld();
    account = `/accounts/${world.values["account"]}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const invited = (email: string, role: Role): Promise<SignedIn> =>
    inviteGuest(world.gateway, world.operator, {
      email,
      account: { id: world.values["account"] ?? "", role },
    });

  async function visitAs(person: SignedIn): Promise<Visitor> {
    const visitor = await browser.visit(world.gateway.url);
    await lendSession(visitor, world, person);
    await visitor.page.goto(account);
    await visitor.page.getByRole("heading", { name: "Home" }).waitFor();
    return visitor;
  }

  it("tells its owners who changed what, how it stood before and after, the latest first", async () => {
    const owner = await invited("olga@example.test", "owner");
    const other = await invited("otto@example.test", "viewer");
    for (let made = 1; made <= MANY; made++) await owner.post(`${account}/keys`, { name: `key ${made}` });
    await owner.patch(`${account}/members/${other.session.user.id}`, { role: "member" });

    const { page, complaints } = await visitAs(owner);
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    const latest = page.getByRole("row").nth(1);
    await latest.getByText("member.update").waitFor();
    await latest.getByText("olga@example.test").waitFor();
    expect(await latest.locator("del:visible, ins:visible").allInnerTexts()).toEqual(["viewer", "member"]);

    const newest = await subjectsOf(page);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByText("key 1", { exact: true }).first().waitFor();
    const older = await subjectsOf(page);
    expect(newest).toHaveLength(50);
    expect([...newest, ...older].filter((subject) => subject.startsWith("key "))).toEqual(
      Array.from({ length: MANY }, (_, index) => `key ${MANY - index}`),
    );

    await page.keyboard.press("/");
    await page.keyboard.type("nobody@example.test");
    await page.getByText("No changes match").waitFor();
    expect(new URL(page.url()).search).toBe("?actor=nobody%40example.test");
    expect(complaints()).toEqual([]);
  });

  it("is not in the menu of who does not own it, and is refused at its address", async () => {
    const { page, complaints } = await visitAs(await invited("mona@example.test", "member"));
    expect(await page.getByRole("link", { name: "Members" }).count()).toBe(1);
    expect(await page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
    await page.goto(`${account}/audit`);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("row").count()).toBe(0);
    expect(complaints()).toEqual([]);
  });
});

/** What the entries that are shown are about. */
function subjectsOf(page: Page): Promise<string[]> {
  return page.locator("tbody td:nth-child(2) p").allInnerTexts();
}
