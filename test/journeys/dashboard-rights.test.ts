import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { callerOf, FIRST_USER, signedInBy } from "../support/console.ts";
import { GUEST_PASSWORD, inviteGuest } from "../support/console-people.ts";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world.ts";
import { CLIENT_ID, CLIENT_SECRET, type FakeOidc, startFakeOidc } from "../support/fake-oidc.ts";

/** Pages of operators, each with a button that changes something and the least role that it takes. */
const BUTTONS = [
  ["/operator/accounts", "New account", "operator"],
  ["/operator/accounts/{id}", "Suspend", "operator"],
  ["/operator/accounts/{id}", "Adjust balance", "billing"],
  ["/operator/codes", "Create codes", "billing"],
  ["/operator/upstreams", "Add upstream", "operator"],
  ["/operator/upstreams/{upstream}", "Delete", "operator"],
  ["/operator/users", "Invite", "operator"],
  ["/operator/catalog", "Add model", "operator"],
  ["/operator/settings", "Save", "operator"],
] as const;

describe.skipIf(lacksBrowser)("rights in the dashboard", () => {
  let provider: FakeOidc;
  let world: DashboardWorld;
  let browser: TestBrowser;
  beforeAll(async () => {
    provider = await startFakeOidc();
    world = await openDashboardWorld({ env: { FAREGATE_OIDC_CLIENT_SECRET: CLIENT_SECRET } });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await provider?.close();
  });

  async function enter({ page }: Pick<Visitor, "page">, email: string, password = GUEST_PASSWORD) {
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }

  async function setRules(rules: object, who = world.operator) {
    const { overrides } = (await who.get("/operator/settings")).body;
    const oidc = [{ id: "work", name: "Work", issuer: provider.issuer, client_id: CLIENT_ID }];
    return who.put("/operator/settings", { overrides: { ...overrides, sign_in: { oidc, ...rules } } });
  }

  it("offer operators of a lesser role no button that they may not use", async () => {
    const { gateway, operator, values } = world;
    const seen: string[] = [];
    for (const role of ["read_only", "billing", "operator"] as const) {
      const email = `${role.replace("_", "-")}@example.test`;
      await inviteGuest(gateway, operator, { email, operator: role });
      const visitor = await browser.visit(gateway.url);
      await enter(visitor, email);
      await visitor.page.getByRole("heading", { name: "Traffic" }).waitFor();
      for (const [path, name, least] of BUTTONS) {
        await visitor.page.goto(path.replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? ""));
        await visitor.page.getByRole("heading", { level: 1 }).waitFor();
        const button = visitor.page.getByRole("button", { name, exact: true });
        const isOffered = role === "operator" || (role === "billing" && least === "billing");
        if (isOffered) await button.first().waitFor();
        seen.push(`${role} ${path} ${name}: ${(await button.count()) > 0 === isOffered}`);
      }
      expect(visitor.complaints()).toEqual([]);
    }
    expect(seen.filter((line) => line.endsWith("false"))).toEqual([]);
  });

  it("lead who needs two-factor authentication to set it up, and then on", async () => {
    await setRules({ require_two_factor: { operators: true } });
    const { page, complaints } = await browser.visit(world.gateway.url);
    await enter({ page }, "billing@example.test");
    await page.getByText("Two-factor authentication is required here").waitFor();
    await page.goto("/operator/users");
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByLabel("Password").fill(GUEST_PASSWORD);
    await page.keyboard.press("Enter");
    const uri = await page
      .getByRole("link", { name: "Open in an authenticator app on this device" })
      .getAttribute("href");
    const secret = new URL(uri ?? "").searchParams.get("secret") ?? "";
    await page.getByLabel("Current code").fill(new TOTP({ secret }).generate());
    await page.keyboard.press("Enter");
    await page.getByText("Recovery codes").first().waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { name: "Traffic" }).waitFor();
    expect(complaints()).toEqual([]);
    expect(await world.gateway.run("sign-in", "--lift", "two-factor")).toMatchObject({ code: 0 });
  });

  it("say where passwords are off, and let an operator recover", async () => {
    const { gateway, operator } = world;
    expect((await setRules({})).status).toBe(200);
    const email = "boss@example.test";
    await operator.post("/operator/invitations", { email, operator_role: "operator" });
    const start = await callerOf(gateway).post("/session/oidc/start", { provider: "work" });
    const response = provider.visit(start.body.url, { sub: "boss", email, email_verified: true });
    const entered = await callerOf(gateway).post("/session/oidc", { flow: start.body.flow, response });
    expect((await setRules({ require_sso: true }, signedInBy(gateway, entered))).status).toBe(200);

    const { page } = await browser.visit(gateway.url);
    await page.goto("/sign-in");
    await page.getByText("Passwords are off here").waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
    await page.getByRole("button", { name: "Sign in with Work" }).waitFor();
    await page.getByRole("button", { name: "Use it" }).click();
    await enterForm(page, FIRST_USER.password);
    await page.getByRole("alert").getByText("Passwords are off here").waitFor();
    const { stdout } = await gateway.run("password", "admin@localhost");
    await enterForm(page, stdout.trim());
    await page.getByRole("heading", { name: "Choose a password" }).waitFor();
  });

  async function enterForm(page: Visitor["page"], password: string): Promise<void> {
    await page.getByLabel("Email").fill(FIRST_USER.email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }
});
