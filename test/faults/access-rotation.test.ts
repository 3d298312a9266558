import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complaints } from "../support/complaints.ts";
import { TEST_KEY } from "../support/gateway.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import { modelsFile } from "../support/models-file.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask } from "../support/world.ts";

const NEXT_MASTER_KEY = "the next master key, for tests only";
const SECRET = "our-secret-at-the-vendor-0123456789";

describe("K2, the master key is rotated under load", () => {
  let vendor: VendorUpstream;
  let gateways: Gateways;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    gateways = await startGateways(2, {
      catalog: modelsFile({
        models: ["text"],
        upstreams: [{ name: "vendor", url: vendor.url, apiKey: SECRET }],
      }),
      env: { FAREGATE_NEW_MASTER_KEY: NEXT_MASTER_KEY },
    });
  });
  afterAll(async () => {
    await gateways?.end();
    await gateways?.clean();
    await vendor?.close();
  });

  const chat = async (url: string, key: string): Promise<number> =>
    (
      await ask(
        url,
        "/v1/chat/completions",
        { model: "text", messages: [{ role: "user", content: "hi" }] },
        { key },
      )
    ).status;

  it("and no request fails, with old keys, with keys made meanwhile, or on a process that starts after it", async () => {
    let rotating = true;
    const failed: string[] = [];
    let answered = 0;
    const asking = gateways.urls.flatMap((url) =>
      Array.from({ length: 4 }, async () => {
        while (rotating) {
          const status = await chat(url, TEST_KEY);
          if (status === 200) answered += 1;
          else failed.push(`${status} of ${url}`);
        }
      }),
    );
    const making = (async () => {
      while (rotating) {
        const made = await gateways.first.run("keys", "create", "--account", "acme");
        expect([made.code, complaints(made)]).toEqual([0, []]);
        const statuses = await Promise.all(gateways.urls.map((url) => chat(url, made.stdout.trim())));
        expect(statuses).toEqual(gateways.urls.map(() => 200));
      }
    })();
    const rotated = await gateways.first.run("rotate-master-key");
    rotating = false;
    await Promise.all([...asking, making]);
    expect([rotated.code, complaints(rotated)]).toEqual([0, []]);
    expect(rotated.stdout).toMatch(/Encrypted [1-9]\d* secrets with the new master key/);
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(20);

    await gateways.add({ env: { FAREGATE_MASTER_KEY: NEXT_MASTER_KEY } });
    for (const url of gateways.urls) expect(await chat(url, TEST_KEY)).toBe(200);
    expect(vendor.calls.every(({ request }) => request.headers.authorization === `Bearer ${SECRET}`)).toBe(
      true,
    );
  });

  it("and the old key is worth nothing to a process that starts from then on", async () => {
    const outcome = await gateways.add().then(
      () => "it started",
      (error: unknown) => String(error),
    );
    expect(outcome).toMatch(/master key/i);
  });
});
