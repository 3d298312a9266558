import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { rawAsk } from "../support/raw-ask.ts";

/** Every page for browsers and every file of one: the dashboard's, and the documentation's, whose script is not ours. */

const filesOf = (folder: string): string[] => readdirSync(fileURLToPath(new URL(folder, import.meta.url)));
const ASSETS = filesOf("../../dist/dashboard/assets/").filter((name) => /\.(js|css|svg)$/.test(name));
const DOCS = filesOf("../../dist/swagger-ui/").filter((name) => /\.(js|css|html|png|svg)$/.test(name));
const PATHS = [
  ...["/", "/sign-in", "/sign-in/oidc?code=x", "/register", "/start", "/invitation", "/invitation/x"],
  ...["/accounts/1/keys", "/operator", "/operator/ledger", "/me", "/me/sessions"],
  ...ASSETS.map((name) => `/assets/${name}`),
  ...["/docs", "/docs/", "/docs/json", "/docs/yaml", "/docs/static/index.html"],
  ...["/docs/static/swagger-initializer.js", ...DOCS.map((name) => `/docs/static/${name}`)],
];
const BROWSER = [["accept", "text/html,application/xhtml+xml,*/*;q=0.8"]] as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.clean());

describe("the headers of pages", () => {
  it.each(["GET", "HEAD"])(
    "let nothing but their own run, show or frame them, for %s at every path",
    async (method) => {
      const wrong: unknown[] = [];
      for (const path of PATHS) {
        const { status, headers } = await rawAsk(gateway.url, method, path, BROWSER);
        const policy = String(headers["content-security-policy"]);
        const audio =
          (status === 200 || (status === 302 && headers["location"] === "/docs/")) &&
          ["default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'"].every(
            (part) => policy.includes(part),
          ) &&
          !/unsafe|\*|https?:/.test(policy) &&
          headers["x-content-type-options"] === "nosniff" &&
          headers["x-frame-options"] === "DENY" &&
          headers["referrer-policy"] === "same-origin" &&
          headers["cross-origin-opener-policy"] === "same-origin";
        if (!audio) wrong.push([path, status, headers]);
      }
      expect(wrong).toEqual([]);
      expect(ASSETS.length).toBeGreaterThan(3);
    },
  );

  it("stay where the browser has the file already", async () => {
    const path = "/docs/static/swagger-ui.css";
    const { headers } = await rawAsk(gateway.url, "GET", path, BROWSER);
    const again = await rawAsk(gateway.url, "GET", path, [["if-none-match", String(headers["etag"])]]);
    expect(again).toMatchObject({ status: 304, headers: { "x-content-type-options": "nosniff" } });
  });
});

describe.skipIf(lacksBrowser)("the documentation in a browser", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it("draws itself, shows an operation and tries it out, without one breach of the policy", async () => {
    const { page, complaints } = await browser.visit(gateway.url);
    await page.addInitScript(`addEventListener("securitypolicyviolation", (event) => {
      (window.breaches ??= []).push(event.violatedDirective + " " + event.blockedURI);
    })`);
    await page.goto("/docs");
    const operation = page.locator(".opblock").first();
    await operation.locator("button.opblock-summary-control").click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).click();
    // It asks without a key, and shows what the gateway says to that.
    await operation.locator(".live-responses-table").getByText("401").first().waitFor();
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    expect(await page.evaluate("window.breaches ?? []")).toEqual([]);
    expect(complaints()).toEqual([]);
  });

  it("is shown in no frame of another page", async () => {
    const server = createServer((_, response) =>
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<iframe src="${gateway.url}/docs"></iframe><iframe src="${gateway.url}/sign-in"></iframe>`),
    ).listen(0, "127.0.0.1");
    try {
      const { page } = await browser.visit(gateway.url);
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.waitForLoadState("networkidle");
      const shown = await Promise.all(
        page
          .frames()
          .slice(1)
          .map((frame) =>
            frame
              .locator("#swagger-ui, #root")
              .count()
              .catch(() => 0),
          ),
      );
      expect(shown).toEqual([0, 0]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
