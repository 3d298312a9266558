import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { signInAt } from "../support/dashboard-world.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

/** From an empty database to a response, by clicks and one snippet. */
describe.skipIf(lacksBrowser)("the first start", () => {
  let gateway: TestGateway;
  let browser: TestBrowser;

  beforeAll(async () => {
    gateway = await startGateway();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.clean();
  });

  it("leads from the printed password to the first answer", async () => {
    const visitor = await browser.visit(gateway.url);
    const { page } = visitor;
    await page.goto("/");
    await page.waitForURL(/\/sign-in/);
    const printed = /admin@localhost \/ (\S+)/.exec(gateway.output())?.[1] ?? "";
    await signInAt(visitor, printed);

    await page.waitForURL(/\/start/);
    for (const label of ["New password", "Confirm password"])
      await page.getByLabel(label).fill("lighthouse keepers sleep by day");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.getByRole("link", { name: "API keys", exact: true }).click();
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("first key");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Create/ })
      .click();
    const secret = (await page.getByRole("dialog").locator("code").first().textContent()) ?? "";
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();

    await page.getByRole("link", { name: "Home", exact: true }).click();
    await page.getByRole("combobox", { name: "Language and SDK" }).selectOption("openai-node");
    const snippet = (await page.locator("pre").first().textContent()) ?? "";
    expect(await runSnippet(snippet, secret)).toMatch(/\w/);
    await page.getByRole("cell", { name: "text-large", exact: true }).first().waitFor();
    expect(visitor.complaints()).toEqual([]);
  });
});

/** Runs what the page shows, as a program beside the installed SDK. */
async function runSnippet(text: string, key: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", text], {
    env: { ...process.env, FAREGATE_API_KEY: key },
  });
  return stdout.trim();
}
