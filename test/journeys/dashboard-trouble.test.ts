import type { Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TaskSummary } from "../../src/console/tasks/contract.ts";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { type SignedIn, signIn } from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import { openPage } from "../support/dashboard-widths.ts";
import { type DashboardWorld, lendSession, openDashboardWorld } from "../support/dashboard-world.ts";

/** Sessions that end, answers that do not come, addresses cut short, fingers that press twice. */
describe.skipIf(lacksBrowser)("the dashboard in trouble", () => {
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

  async function signedIn(person?: SignedIn): Promise<Visitor> {
    const visitor = await browser.visit(world.gateway.url, { locale: "en-GB" });
    await lendSession(visitor, world, person);
    return visitor;
  }

  it("leads who signs out in a second tab to the sign-in page too", async () => {
    const person = await signIn(world.gateway);
    const { page, complaints } = await signedIn(person);
    // Whole: what it still had to read would be refused, and that leads to the sign-in page before anybody signs out.
    await openPage(page, account);
    await person.del("/session");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in*");
    expect(complaints()).toEqual([]);
  });

  it("says why somebody is not signed out", async () => {
    const { page, complaints } = await signedIn();
    await page.goto(account);
    await page.route("**/api/session", (route) => route.abort());
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Can't reach the gateway.").waitFor();
    expect(complaints().filter((each) => each.startsWith("exception"))).toEqual([]);
  });

  it.each(["tasks?to=yesterday", "requests?to=275760-09-13", "audit?until=275760-09-13"])(
    "leaves a day out that is none: %s",
    async (place) => {
      const { page, complaints } = await signedIn();
      await page.goto(`${account}/${place}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page
        .getByLabel(/^(From|Until|To)/)
        .first()
        .waitFor();
      expect(complaints()).toEqual([]);
    },
  );

  it("asks again who is signed in when told to", async () => {
    const { page } = await signedIn();
    const refuse = (route: Route) => route.abort();
    await page.route("**/api/session", refuse);
    await page.goto(`${account}/keys`);
    await page.getByText("Can't reach the gateway.").waitFor();
    await page.unroute("**/api/session", refuse);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
  });

  it("stays where the file of a page does not come as the gateway is away, and brings it when asked again", async () => {
    const { page, context } = await signedIn();
    await page.goto(account);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await context.setOffline(true);
    await page.getByRole("link", { name: "API keys", exact: true }).click();
    await page.getByText("Can't reach the gateway.").waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
  });

  it("loads the newer version where the file of a page is gone with the older", async () => {
    const { page } = await signedIn();
    await page.goto(account);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    let isOld = true;
    await page.route("**/assets/*.js", (route) =>
      isOld ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.route("**/keys", (route) => {
      if (route.request().isNavigationRequest()) isOld = false;
      return route.continue();
    });
    await page.getByRole("link", { name: "API keys", exact: true }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    expect(isOld).toBe(false);
  });

  it("goes on hearing of tasks after an answer that was no stream", async () => {
    const { page } = await signedIn();
    let asked = 0;
    await page.route("**/tasks/events", (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill({ status: 503, body: "stopping" }) : route.continue();
    });
    await page.goto(`${account}/tasks`);
    await page.getByText("Reconnecting").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(asked).toBe(2);
  });

  it("leads to signing in once a stream of events is refused as the session is over", async () => {
    const person = await signIn(world.gateway);
    const { page, complaints } = await signedIn(person);
    // A gateway ends each stream after minutes; here at once.
    let asked = 0;
    await page.route("**/tasks/events", async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      await page.getByRole("heading", { name: "Tasks", level: 1 }).waitFor();
      await person.del("/session");
      return route.fulfill({ contentType: "text/event-stream", body: ":\n\n" });
    });
    await page.goto(`${account}/tasks`);
    await page.waitForURL("**/sign-in?next=*tasks");
    expect(complaints().filter((each) => each.startsWith("exception"))).toEqual([]);
  });

  it("learns of what ended while it did not hear", async () => {
    const { page } = await signedIn();
    const submitted = await fetch(`${world.gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.key}` },
      body: JSON.stringify({ model: "imagegen-2", prompt: "A ferry in the fog" }),
    });
    const { id } = (await submitted.json()) as { id: string };
    const read = async () => (await world.operator.get(`${account}/tasks/${id}`)).body as TaskSummary;
    await expect.poll(async () => (await read()).state).toBe("SUCCESS");
    const ended = await read();
    const running = { ...ended, state: "IN_PROGRESS", progress_percent: 40, files: [], charge_nanos: null };
    let asked = 0;
    await page.route("**/tasks/events", (route) => {
      asked += 1;
      // The gateway tells nothing of a task that has long ended.
      const body = asked === 1 ? `data: ${JSON.stringify(running)}\n\n` : ":\n\n";
      return route.fulfill({ contentType: "text/event-stream", body });
    });
    await page.goto(`${account}/tasks`);
    await page.getByLabel("40% done").waitFor();
    await page.getByLabel("40% done").waitFor({ state: "detached" });
  });

  it("makes no change in the name of somebody who has signed in in another tab", async () => {
    const member = { id: world.values["account"] ?? "", role: "owner" } as const;
    const other = await inviteGuest(world.gateway, world.operator, {
      email: "other-tab@example.com",
      account: member,
    });
    const visitor = await signedIn();
    const { page } = visitor;
    await page.goto(`${account}/keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("of whom?");
    await lendSession(visitor, world, other);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByText("Someone else signed in from another tab").waitFor();
    await page.evaluate(
      "localStorage.setItem('faregate.language', 'zh'); dispatchEvent(new Event('storage'))",
    );
    await dialog.getByText("其他人已在另一个标签页中登录，未作任何更改。", { exact: true }).waitFor();
    const { body } = await world.operator.get(`${account}/keys`);
    expect(JSON.stringify(body)).not.toContain("of whom?");
  });

  it("makes one key where the button is pressed twice, and shows its secret", async () => {
    const { page } = await signedIn();
    await page.goto(`${account}/keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("pressed twice");
    let made = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/keys")) made += 1;
    });
    await dialog.getByRole("button", { name: "Create key" }).evaluate((button) => {
      (button as unknown as { click(): void }).click();
      (button as unknown as { click(): void }).click();
    });
    await dialog.getByText(/sk-\w{40}/).waitFor();
    expect(made).toBe(1);
  });

  it("keeps what is typed while an answer fails, below what was sent", async () => {
    const { page } = await signedIn();
    let refuse: (() => Promise<void>) | undefined;
    await page.route("**/v1/chat/completions", (route) => {
      refuse = () => route.abort();
    });
    await page.goto(`${account}/playground`);
    const box = page.getByLabel("Message");
    await box.fill("sent");
    await box.press("Enter");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await box.fill("typed meanwhile");
    await expect.poll(() => refuse !== undefined).toBe(true);
    await refuse?.();
    await page.getByText("Can't reach the gateway.").waitFor();
    expect(await box.inputValue()).toBe("sent\ntyped meanwhile");
  });

  it("charges what is tried in the playground to who is signed in, by a key made with the first message", async () => {
    const member = { id: world.values["account"] ?? "", role: "member" } as const;
    const invite = (email: string) => inviteGuest(world.gateway, world.operator, { email, account: member });
    const [first, second] = [await invite("first@example.com"), await invite("second@example.com")];
    const visitor = await signedIn(first);
    const { page } = visitor;
    let issued = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/playground-key")) issued += 1;
    });
    await page.goto(`${account}/playground`);
    const say = async (): Promise<void> => {
      await page.getByLabel("Message").fill("hello");
      await page.getByLabel("Message").press("Enter");
    };
    await page.getByLabel("Message").waitFor();
    expect(issued).toBe(0);
    await say();
    await expect.poll(() => issued).toBe(1);
    await page.goto(`${account}/playground?make=image`);
    await page.getByRole("button", { name: "Generate" }).waitFor();
    expect(issued).toBe(1);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Email").fill(second.session.user.email);
    await page.getByLabel("Password").fill("a guest's own password");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Playground" }).click();
    await say();
    await expect.poll(() => issued).toBe(2);
  });

  it.each([
    [true, "Copied"],
    [false, "Your browser blocked copying. Select the text and copy it manually."],
  ])(
    "copies a secret where the page has no clipboard, and says so where that is refused: %s",
    async (can, said) => {
      const { page, complaints } = await signedIn();
      // Pages without https have none; only the old way is left, which a browser may refuse too.
      await page.addInitScript(`
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = () => {
        window.copied = String(getSelection());
        return ${can};
      };`);
      await page.goto(`${account}/keys`);
      await page.getByRole("button", { name: "Create key" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill(`copied: ${can}`);
      await dialog.getByRole("button", { name: "Create key" }).click();
      const secret = dialog.getByText(/^sk-\w{40}/);
      const text = (await secret.textContent()) ?? "";
      const copy = dialog.getByRole("button", { name: "Copy" });
      await copy.press("Enter");
      await dialog.getByText(said, { exact: true }).waitFor();
      expect(await page.evaluate("window.copied")).toBe(text);
      // Whoever works by keyboard goes on from the button.
      expect(await page.evaluate("document.activeElement.tagName")).toBe("BUTTON");
      await secret.click();
      expect(await page.evaluate("String(getSelection())")).toBe(text);
      expect(complaints()).toEqual([]);
    },
  );
});
