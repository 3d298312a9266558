import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { BOOTSTRAP_PASSWORD } from "../support/console.ts";
import { signInAt } from "../support/dashboard-world.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

describe.skipIf(lacksBrowser)("an upstream in the dashboard", () => {
  let steady: VendorUpstream;
  let added: VendorUpstream;
  let broken = false;
  let gateway: TestGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    steady = await vendorUpstream();
    added = await vendorUpstream((call) =>
      broken ? void call.response.writeHead(500).end("{}") : serveWell(call),
    );
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "steady", url: steady.url }] }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
    await gateway?.clean();
    await steady?.close();
    await added?.close();
  });

  /** Each request is a conversation of its own: one that has moved stays where it is. */
  let asked = 0;
  const chat = async (): Promise<number> => {
    asked += 1;
    const body = { model: "text", messages: [{ role: "user", content: `hi ${asked}` }] };
    return (await ask(gateway.url, "/v1/chat/completions", body)).status;
  };

  it("is added, serves, is tested, breaks while another takes over, and recovers", async () => {
    const { page, complaints } = await browser.visit(gateway.url);
    await signInAt({ page });
    await page.getByRole("link", { name: "Upstreams" }).click();
    await page.getByRole("button", { name: "Add upstream" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("newcomer");
    await dialog.getByLabel("Kind").selectOption("sandbox");
    await dialog.getByLabel("Base URL").fill(added.url);
    await dialog.getByLabel("Credential").fill("a-key-of-the-newcomer");
    await dialog.getByLabel("Model ID").fill("text");
    await dialog.getByLabel("Priority").fill("-1");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "newcomer" }).waitFor();

    await waitFor("the newcomer to serve", async () => (await chat()) === 200 && added.calls.length > 0);
    expect(added.calls.at(-1)?.request.headers.authorization).toBe("Bearer a-key-of-the-newcomer");
    expect(await page.content()).not.toContain("a-key-of-the-newcomer");
    await page.getByRole("link", { name: "Upstreams" }).click();
    const row = page.getByRole("row", { name: /newcomer/ });
    await row.getByText("healthy").waitFor();

    broken = true;
    const before = steady.calls.length;
    for (let n = 0; n < 8; n += 1) expect(await chat()).toBe(200);
    expect(steady.calls.length).toBe(before + 8);
    await row.getByText("failing").waitFor();

    broken = false;
    const broke = added.calls.length;
    await waitFor("the newcomer to serve again", async () => {
      expect(await chat()).toBe(200);
      return added.calls.length > broke + 2;
    });
    // The page judges by the attempts of ten minutes, of which most are good again. It gets its share back little by little.
    while (added.calls.length < broke + 20) expect(await chat()).toBe(200);
    await row.getByText("degraded").waitFor();
    expect(complaints()).toEqual([]);
  });
});
