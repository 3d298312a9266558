import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { BOOTSTRAP_PASSWORD, callerOf, signIn } from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import { signInAt } from "../support/dashboard-world.ts";
import { CLIENT_ID, CLIENT_SECRET, type FakeOidc, startFakeOidc } from "../support/fake-oidc.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const PASSWORD = "seven quiet harbour bells";

/** As browsers tell of an Enter that is the input method's own. */
const ENTER_OF_COMPOSITION = { key: "Enter", keyCode: 229, isComposing: true, bubbles: true };

describe.skipIf(lacksBrowser)("people in the dashboard", () => {
  let provider: FakeOidc;
  let gateway: TestGateway;
  let browser: TestBrowser;

  beforeAll(async () => {
    provider = await startFakeOidc();
    gateway = await startGateway({
      catalog: `version: 1
models: []
settings:
  sign_in: { oidc: [{ id: work, name: Work, issuer: "${provider.issuer}", client_id: ${CLIENT_ID} }] }
accounts: [{ name: alpha }]
`,
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, FAREGATE_OIDC_CLIENT_SECRET: CLIENT_SECRET },
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.clean();
    await provider?.close();
  });

  it("are invited by a link, and a member cannot do what an owner can", async () => {
    const owner = await browser.visit(gateway.url);
    await signInAt(owner);
    const link = await invite(owner.page, "mira@example.test", "viewer");

    const guest = await browser.visit(gateway.url);
    await guest.page.goto(link);
    await guest.page.getByText("mira@example.test").waitFor();
    await guest.page.getByLabel("Password").fill(PASSWORD);
    await guest.page.getByRole("button", { name: "Accept invitation" }).click();
    await guest.page.getByRole("heading", { name: "Home" }).waitFor();
    await guest.page.getByRole("link", { name: "Members" }).click();
    await guest.page.getByText("admin@localhost").waitFor();
    for (const name of ["Invite", "Actions for First operator"])
      expect(await guest.page.getByRole("button", { name }).count(), name).toBe(0);
    expect(await guest.page.getByRole("link", { name: "Upstreams" }).count()).toBe(0);
    // Not only out of sight: the gateway refuses what the page does not offer.
    const refused = await guest.page.evaluate<number[]>(`(async () => {
      const session = await (await fetch("/api/session")).json();
      const headers = { "x-faregate-csrf": session.csrf_token, "content-type": "application/json" };
      const write = (path, body) => fetch("/api" + path, { method: "POST", headers, body: JSON.stringify(body) });
      const account = "/accounts/" + session.accounts[0].id;
      const answers = [
        await write(account + "/keys", { name: "mine" }),
        await write(account + "/invitations", { email: "friend@example.test", role: "owner" }),
        await fetch("/api/operator/users"),
      ];
      return answers.map(({ status }) => status);
    })()`);
    expect(refused).toEqual([403, 403, 403]);

    await owner.page.reload();
    await owner.page.getByRole("button", { name: "Actions for mira" }).click();
    await owner.page.getByRole("menuitem", { name: "Remove" }).click();
    await owner.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await owner.page.getByText("mira removed").waitFor();
    await guest.page.goto("/");
    await guest.page.getByText("You don't belong to an account yet").waitFor();
    expect([...owner.complaints(), ...guest.complaints()]).toEqual([]);
  });

  it("are invited into an account that is found by its name, by keyboard, on a narrow window", async () => {
    const operator = await signIn(gateway);
    for (const name of ["Northern Lights", "Northern Harbour", "South"])
      expect(await operator.post("/operator/accounts", { name })).toMatchObject({ status: 201 });
    const { page, complaints } = await browser.visit(gateway.url, { viewport: { width: 360, height: 800 } });
    await signInAt({ page });
    await page.goto("/operator/users");
    await page.getByRole("button", { name: "Invite" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite someone" });
    await dialog.getByLabel("Email").fill("pia@example.test");
    const account = dialog.getByRole("combobox", { name: "Account" });
    const list = dialog.getByRole("listbox", { name: "Results" });
    const options = list.getByRole("option");

    await account.fill("nothing like it");
    await dialog.getByText("No matches").waitFor();
    await page.keyboard.press("Enter");
    await account.blur();
    expect(await account.inputValue()).toBe("");
    expect(await dialog.getByRole("button", { name: "Invite" }).isDisabled()).toBe(true);

    await account.focus();
    await page.keyboard.type("northern");
    await dialog.getByText("2 results").waitFor();
    expect(await options.allInnerTexts()).toEqual([
      expect.stringMatching(/^Northern Harbour/),
      expect.stringMatching(/^Northern Lights/),
    ]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press("ArrowDown");
    await list.getByRole("option", { selected: true }).waitFor();
    // Neither Enter that ends a composition (of Chinese words, say) nor leaving the box chooses what is highlighted.
    await account.dispatchEvent("keydown", ENTER_OF_COMPOSITION);
    await account.click();
    expect(await list.isVisible()).toBe(true);
    await page.keyboard.press("Tab");
    await list.waitFor({ state: "detached" });
    expect(await account.inputValue()).toBe("");
    await account.fill("northern");
    await dialog.getByText("2 results").waitFor();
    await page.keyboard.press("ArrowUp");
    expect(await list.getByRole("option", { selected: true }).innerText()).toMatch(/^Northern Lights/);
    await page.keyboard.press("Enter");
    await list.waitFor({ state: "detached" });
    expect(await account.inputValue()).toBe("Northern Lights");

    // Changed, it is no choice any more; another one takes a click.
    await account.fill("harbour");
    await dialog.getByLabel("Role", { exact: true }).waitFor({ state: "detached" });
    await list.getByRole("option", { name: "Northern Harbour" }).click();
    await dialog.getByLabel("Role", { exact: true }).selectOption("member");
    await dialog.getByRole("button", { name: "Invite" }).click();
    await page.getByText("/invitation#").waitFor();
    const { data } = (await operator.get("/operator/invitations")).body;
    expect(data).toContainEqual(
      expect.objectContaining({
        email: "pia@example.test",
        account: expect.objectContaining({ name: "Northern Harbour" }),
      }),
    );
    expect(complaints()).toEqual([]);
  });

  it("are asked once more before Escape or the cross takes away a link that is shown once", async () => {
    const { page, complaints } = await browser.visit(gateway.url);
    await signInAt({ page });
    const dialog = page.getByRole("dialog");
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => dialog.getByRole("button", { name: "Close" }).click(),
    ]) {
      await page.goto("/operator/users");
      await page.getByRole("button", { name: "Invite" }).click();
      await dialog.getByLabel("Email").fill("once@example.test");
      await dialog.getByLabel("Operator role").selectOption("operator");
      await dialog.getByRole("button", { name: "Invite" }).click();
      await dialog.getByText("/invitation#").waitFor();
      await close();
      await dialog.getByRole("alert").waitFor();
      expect(await dialog.getByText("/invitation#").isVisible()).toBe(true);
      await close();
      await dialog.waitFor({ state: "detached" });
    }
    expect(complaints()).toEqual([]);
  });

  it("set up an authenticator app, and sign in with its codes or a recovery code", async () => {
    const { page, complaints } = await browser.visit(gateway.url);
    await signInAt({ page });
    await page.goto("/me");
    await page.getByRole("button", { name: "Set up" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill(BOOTSTRAP_PASSWORD);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("img", { name: "QR code with the setup key" }).waitFor();
    const secret = (await dialog.locator("code").first().textContent()) ?? "";
    const app = new TOTP({ secret });
    await dialog.getByLabel("Current code").fill(app.generate());
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.getByText("Each works once").waitFor();
    const codes = ((await dialog.locator("code").first().textContent()) ?? "").split("\n");
    expect(codes).toHaveLength(10);
    await dialog.getByRole("button", { name: "Done" }).click();

    const signInWith = async (code: string): Promise<void> => {
      await page.getByRole("button", { name: "Sign out" }).first().click();
      await page.waitForURL(/\/sign-in/);
      await page.getByLabel("Email").fill("admin@localhost");
      await page.getByLabel("Password").fill(BOOTSTRAP_PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByLabel("Code", { exact: true }).fill(code);
      await page.keyboard.press("Enter");
    };
    await signInWith(app.generate({ timestamp: Date.now() + 30_000 }));
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await signInWith(codes[0] ?? "");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await signInWith(codes[0] ?? "");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Code", { exact: true }).fill(codes[1] ?? "");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.goto("/me");
    await page.getByRole("button", { name: "Turn off" }).click();
    await dialog.getByLabel("Current password").fill(BOOTSTRAP_PASSWORD);
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("button", { name: "Set up" }).waitFor();
    expect(complaints()).toEqual([]);
  });

  it("come in by their identity provider, back to where they wanted to go", async () => {
    const owner = await browser.visit(gateway.url);
    await signInAt(owner);
    await invite(owner.page, "nora@example.test", "member");
    provider.know({ sub: "n", email: "nora@example.test", email_verified: true, name: "Nora" });
    const { page } = await browser.visit(gateway.url);
    await page.goto("/me?tab=sessions");
    await page.getByRole("button", { name: "Sign in with Work" }).click();
    await page.getByText("current session").waitFor();
    expect(await page.getByRole("link", { name: "Nora" }).first().isVisible()).toBe(true);
    // The response of a sign-in that this tab did not begin opens nothing.
    const foreign = await browser.visit(gateway.url);
    const begun = (await callerOf(gateway).post("/session/oidc/start", { provider: "work" })).body;
    const claims = { sub: "n", email: "nora@example.test", email_verified: true };
    await foreign.page.goto(`/sign-in/oidc?${provider.visit(begun.url, claims)}`);
    await foreign.page.getByRole("alert").waitFor();
    expect(await foreign.context.cookies()).toEqual([]);
  });

  it("whose address is another's by now are refused with what an operator needs to link them by hand", async () => {
    const operator = await signIn(gateway);
    const [account] = operator.session.accounts;
    await inviteGuest(gateway, operator, {
      email: "shared@example.test",
      account: { id: account?.id ?? "", role: "viewer" },
    });
    const { page } = await browser.visit(gateway.url);
    const comeAs = async (sub: string): Promise<void> => {
      provider.know({ sub, email: "shared@example.test", email_verified: true });
      await page.goto("/sign-in");
      await page.getByRole("button", { name: "Sign in with Work" }).click();
    };
    await comeAs("before");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.waitForURL(/\/sign-in/);
    await comeAs("after");
    await page.getByText(`issuer ${provider.issuer}, subject after`).waitFor();

    const boss = await browser.visit(gateway.url);
    await signInAt(boss);
    await boss.page.goto("/operator/users");
    await boss.page.getByRole("button", { name: "Actions for shared" }).click();
    await boss.page.getByRole("menuitem", { name: "Identities" }).click();
    const dialog = boss.page.getByRole("dialog");
    await dialog.getByText("Work: before").waitFor();
    await dialog.getByLabel("Subject").fill("after");
    expect(await seriousFindings(boss.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Link", exact: true }).click();
    await dialog.getByText("Work: after").waitFor();
    await dialog.getByRole("button", { name: "Unlink" }).first().click();
    await dialog.getByText("Unlink before from shared?").waitFor();
    await dialog.getByRole("button", { name: "Unlink" }).click();
    await dialog.getByText("Work: after").waitFor();
    await dialog.getByText("Work: before").waitFor({ state: "detached" });

    await comeAs("after");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(boss.complaints()).toEqual([]);
  });
});

/** Invites somebody on the account's page; gives the link that is shown once. */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole("link", { name: "Members" }).first().click();
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByLabel("Role", { exact: true }).selectOption(role);
  await dialog.getByRole("button", { name: "Invite" }).click();
  await dialog.getByText("/invitation#").waitFor();
  const link = (await dialog.locator("code").first().textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  return link;
}
