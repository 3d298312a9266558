import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { signInAt } from "../support/dashboard-world.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

/** One that the public list prices, one of which nothing is known, one that the catalog has already. */
const LISTED = "llama-3.3-70b-versatile";
const OFFERED = [
  { id: LISTED, context_window: 131_072, max_completion_tokens: 32_768 },
  { id: "unheard-of-model" },
  { id: "text" },
];

describe.skipIf(lacksBrowser)("the models that a vendor offers", () => {
  let vendor: VendorUpstream;
  let url: string;
  let gateway: TestGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ request, response }) => {
      const isKnown = request.headers.authorization === "Bearer the-right-key";
      const status = request.url === "/openai/v1/models" && isKnown ? 200 : 401;
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(status === 200 ? { data: OFFERED } : { error: { message: "no such key" } }));
    });
    url = `${vendor.url}/openai/v1`;
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "steady", url }] }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it("are ticked after a vendor was chosen and a key pasted, and are then served at their listed price", async () => {
    const { page, complaints } = await browser.visit(gateway.url);
    await signInAt({ page });
    await page.getByRole("link", { name: "Upstreams" }).click();
    await page.getByRole("button", { name: "Add upstream" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("groq-main");
    await dialog.getByLabel("Preset").selectOption("groq");
    await dialog.getByLabel("Base URL").fill(url);
    await dialog.getByLabel("Credential").fill("the-right-key");
    await dialog.getByRole("button", { name: "Create" }).click();

    const listed = page.getByRole("row", { name: new RegExp(LISTED) });
    await listed.getByText("131072").waitFor();
    await page.getByText("In the catalog; its limits and price stay").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await listed.getByRole("checkbox").check();
    expect(await listed.getByLabel(/^Max output/).inputValue()).toBe("32768");
    expect(Number(await listed.getByLabel(/^Input/).inputValue())).toBeGreaterThan(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("row", { name: /^text/ }).getByRole("checkbox").check();
    await page
      .getByRole("row", { name: /unheard-of-model/ })
      .getByRole("checkbox")
      .check();

    // What nobody states is asked for at its place, and nothing is added until it is there.
    await page.getByRole("button", { name: "Add 3 models" }).click();
    const unlisted = page.getByRole("row", { name: /unheard-of-model/ });
    await unlisted.getByText(/required/).waitFor();
    const operator = await signIn(gateway);
    const before = await operator.get("/operator/models");
    expect(before.body.data.map(({ id }: { id: string }) => id)).toEqual(["text"]);
    const texts = {
      Context: "8000",
      "Max output": "1000",
      "Input, \\$": "0.100000001",
      "Output, \\$": "0.2",
    };
    for (const [label, text] of Object.entries(texts))
      await unlisted.getByLabel(new RegExp(`^${label}`)).fill(text);
    await page.getByRole("button", { name: "Add 3 models" }).click();
    await page.getByText(`Already served as ${LISTED}`).waitFor();
    await page.getByText("Already served as text").waitFor();
    expect(complaints()).toEqual([]);

    const models = await operator.get("/operator/models");
    const rows = new Map<string, { context_tokens: number; price: Record<string, unknown> }>(
      models.body.data.map((model: { id: string }) => [model.id, model]),
    );
    expect(rows.get(LISTED)).toMatchObject({ context_tokens: 131_072, upstreams: ["groq-main"] });
    expect(rows.get("unheard-of-model")?.price).toEqual({ input: "0.100000001", output: "0.2" });
    expect(rows.get("text")).toMatchObject({ price: { input: "3" }, upstreams: ["groq-main", "steady"] });
    const audit = await operator.get("/operator/audit");
    const actions = audit.body.data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(["upstream.update", "model.create"]));
  });

  it("are refused with the remedy if the vendor refuses the credential", async () => {
    const operator = await signIn(gateway);
    const { data } = (await operator.get("/operator/upstreams")).body;
    const steady = data.find(({ name }: { name: string }) => name === "steady");
    const { status, body } = await operator.get(`/operator/upstreams/${steady.id}/offered-models`);
    expect(status).toBe(502);
    expect(body.error.message).toMatch(/steady/);
  });
});
