import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { rawAsk } from "../support/raw-ask.ts";

const built = fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));
const BROWSER = ["accept", "text/html,application/xhtml+xml,*/*;q=0.8"] as const;

describe("the dashboard's files", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway?.clean());

  const get = (path: string, ...headers: (readonly [string, string])[]) =>
    rawAsk(gateway.url, "GET", path, headers);

  it("are a page to browsers at every address of one, and JSON or 404 to others", async () => {
    const document = readFileSync(`${built}index.html`, "utf8");
    for (const path of [
      "/",
      "/sign-in",
      "/start",
      "/invitation",
      "/accounts/1/keys",
      "/operator/ledger",
      "/me",
    ]) {
      const page = await get(path, BROWSER);
      expect([page.status, page.headers["content-type"], page.text], path).toEqual([
        200,
        "text/html; charset=utf-8",
        document,
      ]);
      const other = await get(path, ["accept", "application/json"]);
      expect(other.status, path).toBe(path === "/" ? 200 : 404);
      expect(other.headers["content-type"], path).toMatch(/^application\/json/);
    }
  });

  it("allow no script, style, frame or request but their own", async () => {
    const { headers } = await get("/", BROWSER);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe("no-cache");
  });

  it("come compressed and for ever where their names say their content", async () => {
    const script = readdirSync(`${built}assets`).find((name) => name.endsWith(".js")) ?? "";
    const plain = await get(`/assets/${script}`);
    const brotli = await get(`/assets/${script}`, ["accept-encoding", "gzip, br"]);
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(Number(brotli.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]));
  });

  it.each(["/assets/..%2f..%2fmain.js", "/assets/.vite", "/assets/nothing.js", "/assets/a.br"])(
    "are no others: %s",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});
