import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { lacksBrowser, openBrowser, type TestBrowser, type Visitor } from "../support/browser.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import { openPage, redrawn } from "../support/dashboard-widths.ts";
import { lendSession } from "../support/dashboard-world.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";
import { waitFor } from "../support/wait.ts";

const VENDOR_WORDS = "The moon is in the wrong house.";
/** The vendor's id of the first request; the others have ids of their own. */
const VENDOR_ID = "vendor_1";
const LIMITED_KEY = "limited-key-0123456789abcdef";

/** Somebody has the id of a request that failed, and wants to know why. */
describe.skipIf(lacksBrowser)("why a request failed, in the dashboard", () => {
  let upstream: ScriptedUpstream;
  let gateway: TestGateway;
  let operator: SignedIn;
  let browser: TestBrowser;
  let account: string;
  let failed: string;
  let refused: string;

  beforeAll(async () => {
    upstream = await scriptedUpstream(fail);
    gateway = await startGateway({
      catalog: catalogFile({
        upstreams: [{ url: upstream.url, protocols: ["chat-completions"] }],
        more: `  - name: beta
    balance: 10
    keys: [{ name: limited, key: ${LIMITED_KEY}, rate_limits: { requests_per_minute: 1 } }]
`,
      }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    operator = await signIn(gateway);
    failed = await ask(TEST_KEY);
    await ask(LIMITED_KEY);
    refused = await ask(LIMITED_KEY);
    await ask("sk-wrong-0123456789");
    for (const id of [failed, refused])
      await waitFor(`request ${id} in the log`, async () => {
        const { body } = await operator.get(`/operator/requests?id=${id}`);
        return body.data[0]?.message ?? undefined;
      });
    const { body } = await operator.get(`/operator/requests/${refused}`);
    account = body.request.account.id;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.clean();
    await upstream?.close();
  });

  let asked = 0;
  function fail({ socket }: WireRequest): void {
    asked += 1;
    const error = { type: "server_error", code: "out_of_order", message: VENDOR_WORDS };
    const text = JSON.stringify({ error });
    const head = `HTTP/1.1 500 Error\r\ncontent-type: application/json\r\nx-request-id: vendor_${asked}\r\n`;
    socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  /** The request's id. */
  async function ask(key: string): Promise<string> {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "text", messages: [{ role: "user", content: "Hello" }] }),
    });
    await response.text();
    expect(response.ok).toBe(false);
    return response.headers.get("x-request-id") ?? "";
  }

  async function signedIn(person?: SignedIn, options: object = { locale: "en-GB" }): Promise<Visitor> {
    const visitor = await browser.visit(gateway.url, options);
    await lendSession(visitor, { gateway, operator }, person);
    return visitor;
  }

  /** Puts an id into the search as who has copied it does. */
  async function pasteId(page: Page, id: string): Promise<void> {
    await page.getByPlaceholder("Request ID").fill(id);
  }

  it.each([
    ["the gateway's", () => failed],
    ["the vendor's", () => VENDOR_ID],
  ])("is told in the vendor's words in one click and a pasted id, %s", async (_whose, id) => {
    const { page, complaints } = await signedIn();
    await page.goto("/operator/traffic");
    await page.getByRole("link", { name: "Requests" }).last().click();
    await pasteId(page, id());
    await page.getByText(VENDOR_WORDS).waitFor();
    for (const text of ["500", "server_error", "out_of_order", VENDOR_ID, "upstream-1"])
      await page.getByText(text, { exact: true }).first().waitFor();
    await page.getByText("Waiting for the response").waitFor();
    expect(complaints()).toEqual([]);
  });

  it("is told on the account's own page too: to operators with the attempts", async () => {
    const { page } = await signedIn();
    const { body } = await operator.get(`/operator/requests/${failed}`);
    await page.goto(`/accounts/${body.request.account.id}/requests/${failed}`);
    await page.getByText(VENDOR_WORDS).waitFor();
  });

  it("is for its account the limit that refused it, and nothing of the upstreams", async () => {
    const invited = await inviteGuest(gateway, operator, {
      email: "mira@example.com",
      account: { id: account, role: "viewer" },
    });
    const { page, complaints } = await signedIn(invited);
    await page.goto(`/accounts/${account}/requests`);
    await page.getByRole("link", { name: "Refused and failed" }).click();
    await page.getByText("requests per minute").first().waitFor();
    await pasteId(page, refused);
    await page.getByText("upstream_error").waitFor({ state: "detached" });
    await page.locator("tbody a").click();
    await page.getByText("Refused before anything was sent upstream").waitFor();
    await page.getByText("Refused by").first().waitFor();
    expect(await page.textContent("main")).not.toMatch(/upstream-1|moon/);
    expect(complaints()).toEqual([]);
  });

  it("is one of few causes when many fail: errors alike are counted and lead to the latest", async () => {
    const { page } = await signedIn();
    await page.goto("/operator/traffic");
    await page.getByRole("link", { name: "Errors" }).click();
    await page.getByRole("cell", { name: VENDOR_WORDS }).waitFor();
    await page.getByRole("link", { name: /^Open the latest request with upstream_error/ }).click();
    await page.getByRole("heading", { name: /^Attempt 1/ }).waitFor();
    await page.goto("/operator/errors?tab=unknown_keys");
    await page.getByText("sk-wron", { exact: true }).waitFor();
    await page.getByText("127.0.0.1").waitFor();
  });

  it("narrows the list of all accounts by what stands in the URL", async () => {
    const { page } = await signedIn();
    await openPage(page, `/operator/requests?account=${account}&outcome=refused&status=429`);
    await page.getByRole("table").waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.getByText("requests per minute").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(3);
  });

  it.each(["light", "dark"] as const)("can be read by everyone: %s", async (colorScheme) => {
    const { page } = await signedIn(operator, { locale: "en-GB", colorScheme });
    const findings: string[] = [];
    for (const path of [
      "/operator/requests",
      `/operator/requests/${failed}`,
      `/operator/requests/${refused}`,
      "/operator/errors",
      "/operator/errors?tab=unknown_keys",
      `/accounts/${account}/requests?tab=failed`,
      `/accounts/${account}/requests/${refused}`,
    ]) {
      await openPage(page, path);
      await redrawn(page);
      findings.push(...(await seriousFindings(page)).map((finding) => `${path}: ${finding}`));
    }
    expect(findings).toEqual([]);
  });
});
