// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { readAccounts, setAccountDisabled } from "../accounts/accounts-store.ts";
import { openKeyHasher } from "../accounts/key-hasher.ts";
import { readKeys, revokeKey, rotateKey } from "../accounts/keys-store.ts";
import { createSeals } from "../base/seal.ts";
import { readCatalogVersion } from "../catalog/catalog-store.ts";
import { deleteModel, readModels, readPriceHistory } from "../catalog/models-store.ts";
import { readUpstreams, setUpstreamEnabled } from "../catalog/upstreams-store.ts";
import { applyManifest, type ManifestDeps, planChanges } from "./apply.ts";
import { demoManifest } from "./demo/demo.ts";
import { startWithDemo } from "./demo/start.ts";
import { parseManifest } from "./file/read.ts";

const seals = createSeals("a master key for tests of the catalog file");
const open: TestDatabase[] = [];
afterAll(async () => {
  for (const each of open) await each.drop();
});

let deps: ManifestDeps;
async function freshDatabase(): Promise<void> {
  const test = await createTestDatabase();
  open.push(test);
  deps = { database: test.database, seals, hasher: await openKeyHasher(test.database, seals) };
}

const ENV = { VENDOR: "vendor-secret-1", OTHER: "vendor-secret-2", CI_KEY: "ci-key-0123456789" };

interface Parts {
  readonly input?: string;
  readonly upstream?: string;
  readonly more?: string;
  readonly keys?: string;
  readonly account?: string;
}

function manifest(parts: Parts = {}, env: Record<string, string> = ENV) {
  return parseManifest(
    `version: 1
groups: [{ name: default }, { name: partners, factor: 0.85 }]
models:
  - { id: text, context_tokens: 1000, max_output_tokens: 100, price: { input: ${parts.input ?? "3"}, output: 15 } }
  - { id: embed, endpoints: [embeddings], groups: [partners], price: { input: 0.02 } }
upstreams:
  - name: main
    kind: openai
    base_url: https://vendor.example/v1
    models: { text: gpt }
    ${parts.upstream ?? "api_key: ${VENDOR}"}
accounts:
  - name: acme
    balance: 25
    ${parts.account ?? "group: default"}
    keys: ${parts.keys ?? "[{ name: ci, key: '${CI_KEY}', models: [text] }]"}
${parts.more ?? ""}`,
    env,
  );
}

const apply = async (parts: Parts, options: { prune?: boolean; dryRun?: boolean } = {}): Promise<string> =>
  (await applyManifest(deps, manifest(parts), options)).rendered;

async function balanceOf(account: string): Promise<bigint | undefined> {
  const row = await deps.database.maybeOne<{ wallet: bigint }>(
    "select wallet from ledgers join accounts a on ledgers.id = 'account:' || a.id where a.name = $1",
    [account],
  );
  return row?.wallet;
}

describe("applying a file", () => {
  beforeAll(freshDatabase);
  it("to an empty database makes everything, named in the order in which it depends on each other", async () => {
    expect(await apply({})).toBe(
      `+ group partners: factor 0.85
+ model text
    oa, oa-response, an, ge
    context_tokens 1000
    max_output_tokens 100
    price.input 3
    price.output 15
+ model embed
    embeddings
    groups [partners]
    price.input 0.02
+ upstream main
    openai
    base_url https://vendor.example/v1
    models [text: gpt]
+ account acme: group default
+ balance acme: 25 USD opening balance
+ key acme/ci`,
    );
    expect((await readModels(deps.database)).map(({ id }) => id)).toEqual(["embed", "text"]);
    expect((await readUpstreams(deps.database, seals))[0]?.credentials).toMatchObject([
      { name: "1", secret: "vendor-secret-1", reference: "VENDOR", enabled: true },
    ]);
    expect(await readKeys(deps.database)).toMatchObject([
      { name: "ci", models: ["text"], reference: "CI_KEY" },
    ]);
    expect(await balanceOf("acme")).toBe(25_000_000_000n);
  });

  it("a second time changes nothing, not even the catalog's version", async () => {
    const version = await readCatalogVersion(deps.database);
    expect(await apply({})).toBe("no changes");
    expect(await apply({}, { prune: true })).toBe("no changes");
    expect(await readCatalogVersion(deps.database)).toBe(version);
    expect(await balanceOf("acme")).toBe(25_000_000_000n);
  });

  it("raises the catalog's version once, however much changes", async () => {
    const version = await readCatalogVersion(deps.database);
    expect(await apply({ input: "2.50", upstream: "api_key: ${VENDOR}\n    weight: 2" })).toBe(
      `~ model text: price.input 3 -> 2.5
~ upstream main: weight 1 -> 2`,
    );
    expect(await readCatalogVersion(deps.database)).toBe(version + 1n);
    expect((await readPriceHistory(deps.database, "text")).map(({ rates }) => rates.input)).toEqual([
      2_500_000_000n,
      3_000_000_000n,
    ]);
    await apply({});
  });

  it("names each price that is to come by its moment, and knows a file from which the past was removed", async () => {
    const ahead = (price: string, from: string) =>
      `models: [{ id: ahead, context_tokens: 9, max_output_tokens: 9, price: [{ input: 1, output: 2 }, { from: ${from}, input: ${price}, output: 2 }] }]`;
    const write = async (models: string) =>
      (await applyManifest(deps, parseManifest(`version: 1\n${models}`, {}))).rendered;
    expect(await write(ahead("3", "2100-01-01T01:00:00+01:00"))).toBe(
      "+ model ahead; oa, oa-response, an, ge; context_tokens 9; max_output_tokens 9; price.input 1; price.output 2; price from 2100-01-01T00:00:00Z.input 3; price from 2100-01-01T00:00:00Z.output 2".replace(
        /; /g,
        "\n    ",
      ),
    );
    expect(await write(ahead("3", "2100-01-01T00:00:00Z"))).toBe("no changes");
    expect(await write(ahead("4", "2100-01-01T00:00:00Z"))).toBe(
      "~ model ahead: price from 2100-01-01T00:00:00Z.input 3 -> 4",
    );
    expect(await write(ahead("3", "2026-01-01T00:00:00Z"))).toContain("price.input 1 -> 3");
    expect(await write(ahead("3", "2026-01-01T00:00:00Z"))).toBe("no changes");
    const left =
      "models: [{ id: ahead, context_tokens: 9, max_output_tokens: 9, price: { input: 3, output: 2 } }]";
    expect(await write(left)).toBe("no changes");
    await deleteModel(deps.database, "ahead");
  });

  it("changes a provider of sign-ins, which is a record in a list", async () => {
    const signIn = (name: string) => ({
      more: `settings: { sign_in: { oidc: [{ id: work, name: ${name}, issuer: "https://login.example", client_id: gate }] } }`,
    });
    await apply(signIn("Acme"));
    expect(await apply(signIn("Acme"))).toBe("no changes");
    const record = (name: string) =>
      `[{ client_id: gate, id: work, issuer: https://login.example, name: ${name} }]`;
    expect(await apply(signIn("Acorn"))).toBe(
      `~ settings: sign_in.oidc ${record("Acme")} -> ${record("Acorn")}`,
    );
    expect(await apply(signIn("Acorn"))).toBe("no changes");
  });

  it("dry shows the same and changes nothing", async () => {
    const version = await readCatalogVersion(deps.database);
    const parts = { input: "9", account: "group: partners" };
    const expected = "~ model text: price.input 3 -> 9\n~ account acme: group default -> partners";
    expect(await apply(parts, { dryRun: true })).toBe(expected);
    expect((await planChanges(deps, manifest(parts))).rendered).toBe(expected);
    expect(await readCatalogVersion(deps.database)).toBe(version);
    expect(await apply({})).toBe("no changes");
  });

  it("by two processes at once makes everything once", async () => {
    const parts = { more: "  - { name: twice, balance: 7, keys: [{ name: k, key: twice-0123456789 }] }" };
    const both = await Promise.all([apply(parts), apply(parts)]);
    expect(both.toSorted()[1]).toBe("no changes");
    expect(await balanceOf("twice")).toBe(7_000_000_000n);
  });
});

describe("credentials and keys", () => {
  beforeAll(async () => {
    await freshDatabase();
    await apply({});
  });

  it("are compared by what they open with and shown only as changed", async () => {
    const { rendered, changes } = await applyManifest(
      deps,
      manifest({
        upstream: "api_keys: ['${OTHER}', '${VENDOR}']",
        keys: "[{ name: ci, key: another-key-0123456789 }]",
      }),
    );
    expect(rendered).toBe(
      `~ upstream main: credentials (changed)
~ key acme/ci
    models [text] -> (unset)
    key (changed)`,
    );
    const shown = JSON.stringify(changes, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(shown).not.toMatch(/secret-|0123456789/);
    expect((await readUpstreams(deps.database, seals))[0]?.credentials).toHaveLength(2);
  });

  it("keep what is not in the file: order, a credential that is switched off, an upstream that is disabled", async () => {
    await deps.database.execute("update upstream_credentials set enabled = false where name = '1'");
    await setUpstreamEnabled(deps.database, "main", false);
    const { changes, notes } = await applyManifest(
      deps,
      manifest({
        upstream: "api_keys: ['${VENDOR}', '${OTHER}']",
        keys: "[{ name: ci, key: another-key-0123456789 }]",
      }),
    );
    expect(changes).toEqual([]);
    expect(notes).toEqual(['upstream main stays disabled; set "disabled: false" to enable it']);
    expect(await apply({ upstream: "api_keys: ['${VENDOR}']\n    disabled: false" })).toContain(
      "~ upstream main\n    disabled true -> false\n    credentials (changed)",
    );
  });

  it("that replace others keep their ids, by which tasks under way are asked for", async () => {
    await freshDatabase();
    const idsBySecret = async () =>
      new Map(
        (await readUpstreams(deps.database, seals))[0]?.credentials.map(({ id, secret }) => [secret, id]),
      );
    const upstream = "api_keys: ['${VENDOR}', '${OTHER}']";
    await applyManifest(deps, manifest({ upstream }));
    const before = await idsBySecret();
    await applyManifest(deps, manifest({ upstream }, { ...ENV, VENDOR: "vendor-secret-3" }));
    const [old, kept] = [before.get(ENV.VENDOR), before.get(ENV.OTHER)];
    expect(await idsBySecret()).toEqual(
      new Map([
        ["vendor-secret-3", old],
        [ENV.OTHER, kept],
      ]),
    );
    await applyManifest(deps, manifest({ upstream: "api_keys: ['${OTHER}', '${VENDOR}', more]" }));
    const after = await idsBySecret();
    expect([after.get(ENV.OTHER), after.get(ENV.VENDOR)]).toEqual([kept, old]);
    expect(after.size).toBe(3);
  });

  it("that were revoked or rotated out do not come back with the file", async () => {
    await freshDatabase();
    await apply({});
    const [key] = await readKeys(deps.database);
    if (!key) throw new Error("the key is missing");
    await rotateKey(deps.database, deps.hasher, {
      id: key.id,
      oldUntil: new Date("2020-01-01"),
      credential: "rotated-by-hand-0123",
    });
    const left =
      "! key acme/ci in the file was revoked or rotated and stays so; set a new key or remove it from the file";
    expect(await apply({})).toBe(`no changes\n${left}`);
    await revokeKey(deps.database, key.id);
    expect(await apply({})).toBe(`no changes\n${left}`);
    expect(await readKeys(deps.database)).toEqual([]);
  });

  it("of one key under two names are refused, naming the holder", async () => {
    await freshDatabase();
    await apply({});
    await expect(apply({ keys: "[{ name: other, key: '${CI_KEY}' }]" })).rejects.toThrow(
      "key acme/other: the same key already exists as acme/ci",
    );
  });
});

describe("what the file no longer names", () => {
  beforeAll(async () => {
    await freshDatabase();
    await apply({
      more: "  - { name: gone, group: partners, keys: [{ name: k, key: gone-0123456789ab }] }\n  - { name: silent, keys: [{ name: k, key: silent-0123456789 }] }",
    });
  });

  const SMALL = `version: 1
groups: [{ name: default }]
models: [{ id: text, context_tokens: 1000, max_output_tokens: 100, price: { input: 3, output: 15 } }]
upstreams: []
accounts: [{ name: acme, keys: [] }, { name: silent }]`;

  it("stays without prune", async () => {
    expect((await applyManifest(deps, parseManifest(SMALL, {}))).rendered).toBe("no changes");
  });

  it("stays with prune where the file has no such section", async () => {
    const { rendered } = await applyManifest(deps, parseManifest("version: 1", {}), { prune: true });
    expect(rendered).toBe("no changes");
  });

  it("goes with prune: keys revoked, accounts disabled, what others still need kept with a note", async () => {
    const { rendered } = await applyManifest(deps, parseManifest(SMALL, {}), { prune: true });
    expect(rendered).toBe(
      `- key acme/ci: revoked
- account gone: suspended; accounts are never deleted
- upstream main
- model embed
! group partners stays because account gone is in it; move the account to another group first
this suspends 1 account and revokes 1 key`,
    );
    expect((await readAccounts(deps.database)).map(({ name, disabled }) => [name, disabled])).toEqual([
      ["acme", false],
      ["gone", true],
      ["silent", false],
    ]);
    expect((await applyManifest(deps, parseManifest(SMALL, {}), { prune: true })).changes).toEqual([]);
  });
});

describe("opening balances", () => {
  beforeAll(freshDatabase);

  it("are granted once in an account's life, also to an account that was there before", async () => {
    await applyManifest(
      deps,
      parseManifest("version: 1\ngroups: [{ name: default }]\naccounts: [{ name: a }]", {}),
    );
    const again = (balance: string) =>
      applyManifest(
        deps,
        parseManifest(
          `version: 1\ngroups: [{ name: default }]\naccounts: [{ name: a, balance: ${balance} }]`,
          {},
        ),
      );
    expect((await again("0")).rendered).toBe("no changes");
    expect((await again("0.000000001")).rendered).toBe("+ balance a: 0.000000001 USD opening balance");
    expect((await again("5")).rendered).toBe(
      "no changes\n! account a already received its opening balance of 0.000000001 USD; 5 USD is not granted, add credit instead",
    );
    expect(await balanceOf("a")).toBe(1n);
  });

  it("and a disabled account stays disabled until the file says otherwise", async () => {
    await setAccountDisabled(deps.database, "a", true);
    const text = "version: 1\ngroups: [{ name: default }]\naccounts: [{ name: a";
    expect((await applyManifest(deps, parseManifest(`${text} }]`, {}))).notes).toHaveLength(1);
    const enabled = await applyManifest(deps, parseManifest(`${text}, disabled: false }]`, {}));
    expect(enabled.rendered).toBe("~ account a: disabled true -> false");
  });
});

describe("the demo catalog", () => {
  beforeAll(freshDatabase);

  it("applies to an empty database and again, following the sandbox to its new port", async () => {
    const first = demoManifest({
      sandboxUrl: "http://127.0.0.1:1111/",
      bootstrapKey: "bootstrap-0123456789",
    });
    expect((await applyManifest(deps, first)).changes.length).toBeGreaterThan(7);
    const again = await applyManifest(deps, demoManifest({ sandboxUrl: "http://127.0.0.1:2222" }));
    expect(again.rendered).toBe(
      "~ upstream sandbox: base_url http://127.0.0.1:1111 -> http://127.0.0.1:2222",
    );
    expect(await readKeys(deps.database)).toMatchObject([{ accountName: "demo", name: "bootstrap" }]);
    expect(await balanceOf("demo")).toBe(25_000_000_000n);
  });

  it("is told of where another upstream answers its models too, and is taken out on request", async () => {
    await freshDatabase();
    await startWithDemo(deps, "http://127.0.0.1:1111", {
      bootstrapKey: "bootstrap-0123456789",
      trace: () => Promise.resolve(),
    });
    const file = parseManifest(
      `version: 1
models: [{ id: text-large, context_tokens: 1000, max_output_tokens: 100, price: { input: 3, output: 15 } }]
upstreams: [{ name: main, kind: openai, base_url: "https://vendor.example/v1", api_key: vendor-secret-1, models: [text-large] }]
accounts: [{ name: acme }]`,
      {},
    );
    const beside = await applyManifest(deps, file);
    expect(beside.warnings).toEqual([
      expect.stringMatching(/^text-large is also served by the sandbox .*--remove-demo/),
      expect.stringMatching(/^the demo account `demo` can spend .*--remove-demo/),
    ]);
    const [sandbox] = (await readUpstreams(deps.database, seals)).filter(({ name }) => name === "sandbox");
    expect(sandbox?.priority).toBeGreaterThan(0);
    expect((await planChanges(deps, file, { prune: true })).warnings).toEqual([]);
    const dry = await planChanges(deps, file, { removeDemo: true });
    const without = await applyManifest(deps, file, { removeDemo: true });
    expect(without.rendered).toBe(dry.rendered);
    expect(without.warnings).toEqual([]);
    expect(without.rendered).toMatch(/^- account demo: .*\n- upstream sandbox\n- model /);
    expect(without.rendered).toMatch(/\nthis suspends 1 account$/);
    expect((await readModels(deps.database)).map(({ id }) => id)).toEqual(["text-large"]);
    expect((await applyManifest(deps, file, { removeDemo: true, prune: true })).rendered).toBe("no changes");
  });
});
