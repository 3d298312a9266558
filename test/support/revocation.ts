import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complaints } from "./complaints.ts";
import { runSql } from "./embedded.ts";
import { TEST_KEY } from "./gateway.ts";
import { type Gateways, startGateways } from "./gateways.ts";
import { modelsFile } from "./models-file.ts";
import { report } from "./report.ts";
import { type VendorUpstream, vendorUpstream } from "./vendor-upstream.ts";
import { ask } from "./world.ts";

/** The promise; what a crowded machine adds is not the gateway's. */
const PROMISED_MS = 5_000;
const ALLOWANCE_MS = 5_000;

const WAYS = ["revoked", "disabled", "deleted", "expiring", "rotated", "account"] as const;
type Way = (typeof WAYS)[number];

/**
 * A caller who still sends the key has its secret, and is told what has ended it; of a key without a row nobody knows
 * that it was one.
 */
const TOLD: Readonly<Record<Way, RegExp>> = {
  revoked: /^This API key was revoked\./,
  disabled: /^This API key is disabled\./,
  deleted: /^Invalid API key\./,
  expiring: /^This API key has expired\./,
  rotated: /^This API key was (revoked|rotated)\./,
  account: /^The account of this API key is suspended\./,
};

/** The operator's log line of each. */
const LOGGED: Readonly<Record<Way, RegExp>> = {
  revoked: /"errorCode":"revoked_api_key"/,
  disabled: /"errorCode":"disabled_api_key"/,
  deleted: /"errorCode":"invalid_api_key"/,
  expiring: /"errorCode":"expired_api_key"/,
  rotated: /"errorCode":"(revoked|rotated)_api_key"/,
  account: /"errorCode":"account_suspended"/,
};

/** Processes are told of changes, or every message is lost and they find them by looking. */
export function revocationLaws({ lost }: { readonly lost: boolean }): void {
  describe(`A4, a key that ends, with ${lost ? "every notification lost" : "notifications"}`, () => {
    let vendor: VendorUpstream;
    let gateways: Gateways;
    let databaseUrl: string;
    beforeAll(async () => {
      vendor = await vendorUpstream();
      gateways = await startGateways(2, { catalog: fileWith(WAYS.filter((way) => way !== "account")) });
      databaseUrl = gateways.first.database?.url ?? "";
      if (lost) await silenceNotifications(databaseUrl);
    });
    afterAll(async () => {
      await gateways?.end();
      await gateways?.clean();
      await vendor?.close();
    });

    function fileWith(ways: readonly Way[], more: Partial<Record<Way, string>> = {}): string {
      const keys = ways.map((way) => more[way] ?? `{ name: ${way}, key: ${keyOf(way)} }`);
      const file = modelsFile({
        models: ["text"],
        upstreams: [{ name: "vendor", url: vendor.url }],
        keys: [`{ name: test, key: ${TEST_KEY} }`, ...keys],
      });
      return `${file}  - { name: other, balance: 10, keys: [{ name: account, key: ${keyOf("account")} }] }\n`;
    }

    const statusAt = async (url: string, way: Way): Promise<number> =>
      (await ask(url, "/v1/models", undefined, { key: keyOf(way) })).status;

    /** Every process knows the key, ends it by `change`, and refuses it in time while others work on. */
    async function endsEverywhere(way: Way, change: () => Promise<unknown>): Promise<void> {
      for (const url of gateways.urls) expect([way, await statusAt(url, way)]).toEqual([way, 200]);
      await change();
      const changedMs = performance.now();
      const took = await Promise.all(
        gateways.urls.map(async (url) => {
          while ((await statusAt(url, way)) !== 401) await sleep(50);
          return performance.now() - changedMs;
        }),
      );
      report(`A4 ${lost ? "lost" : "told"} ${way}: ${took.map((ms) => ms.toFixed(0)).join(" and ")} ms`);
      expect(Math.max(...took)).toBeLessThan(PROMISED_MS + ALLOWANCE_MS);
      for (const url of gateways.urls) {
        expect((await ask(url, "/v1/models")).status).toBe(200);
        const { json } = await ask(url, "/v1/models", undefined, { key: keyOf(way) });
        expect([way, json.error]).toEqual([
          way,
          expect.objectContaining({ code: "", message: expect.stringMatching(TOLD[way]) }),
        ]);
      }
      expect(gateways.first.output()).toMatch(LOGGED[way]);
    }

    async function apply(text: string, ...options: string[]): Promise<void> {
      const file = join(gateways.first.dataDir, "changed.yaml");
      await writeFile(file, text);
      const result = await gateways.first.run("apply", file, ...options);
      expect([result.code, complaints(result)]).toEqual([0, []]);
    }

    it("is refused by every process within seconds when the catalog file no longer names it", async () => {
      const rest = WAYS.filter((way) => way !== "revoked" && way !== "account");
      await endsEverywhere("revoked", () => apply(fileWith(rest), "--prune"));
    });

    it("is refused by every process within seconds when it is disabled", async () => {
      const disabled = `{ name: disabled, key: ${keyOf("disabled")}, disabled: true }`;
      await endsEverywhere("disabled", () =>
        apply(fileWith(["disabled", "deleted", "expiring", "rotated"], { disabled })),
      );
    });

    it("is refused by every process within seconds when its row is deleted", async () => {
      await endsEverywhere("deleted", () =>
        runSql(
          databaseUrl,
          `with gone as (delete from api_key_secrets s using api_keys k where k.id = s.key_id and k.name = 'deleted')
         select; delete from api_keys where name = 'deleted'`,
        ),
      );
    });

    it("is refused by every process once it expires, also when it lately worked", async () => {
      await endsEverywhere("expiring", () =>
        runSql(
          databaseUrl,
          "update api_keys set expires_at = now() + interval '1 second' where name = 'expiring'",
        ),
      );
    });

    it("is refused by every process within seconds when another one takes its name", async () => {
      const rotated = "{ name: rotated, key: the-new-key-0123456789abcdef }";
      await endsEverywhere("rotated", () => apply(fileWith(["rotated"], { rotated })));
      const again = await Promise.all(
        gateways.urls.map((url) =>
          ask(url, "/v1/models", undefined, { key: "the-new-key-0123456789abcdef" }),
        ),
      );
      expect(again.map(({ status }) => status)).toEqual([200, 200]);
    });

    it("is refused by every process within seconds when its account is disabled", async () => {
      await endsEverywhere("account", () =>
        runSql(databaseUrl, "update accounts set disabled = true where name = 'other'"),
      );
    });
  });
}

function keyOf(way: Way): string {
  return `${way}-key-0123456789abcdef`;
}

/** The database goes on counting changes and tells nobody, as when every message is lost on its way. */
async function silenceNotifications(url: string): Promise<void> {
  const [row] = await runSql(
    url,
    "select pg_get_functiondef(p.oid) as text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public' and prosrc like '%\\_changed%' and prosrc like '%pg_notify%'",
  );
  const text = String(row?.["text"]);
  const silent = text.replace("perform pg_notify(", "perform concat(");
  expect(silent).not.toBe(text);
  await runSql(url, silent);
}
