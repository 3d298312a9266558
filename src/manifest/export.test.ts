// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { comingPrices, declaredPrices, upstreamCosts } from "../../test/support/price-tables.ts";
import { credentialOf, secretsOf, upstreamOptions, withPlace } from "../../test/support/upstream-options.ts";
import { upsertAccount } from "../accounts/accounts-store.ts";
import { generateKey } from "../accounts/key-form.ts";
import { openKeyHasher } from "../accounts/key-hasher.ts";
import { createKey, readKeys } from "../accounts/keys-store.ts";
import { createSeals } from "../base/seal.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { deleteModel } from "../catalog/models-store.ts";
import { CHAT_PROTOCOLS } from "../conversation/protocol-name.ts";
import { KIND_NAMES, kindOf, PRESET_KIND } from "../upstreams/kinds.ts";
import { PRESET_NAMES, presetOf } from "../upstreams/vendor-presets.ts";
import { applyManifest, type ManifestDeps } from "./apply.ts";
import { exportManifest } from "./export.ts";
import { type Environment, parseManifest } from "./file/read.ts";
import { localFile } from "./import.ts";
import { type Manifest, SECTIONS } from "./manifest.ts";

let test: TestDatabase;
let deps: ManifestDeps;
beforeAll(async () => {
  test = await createTestDatabase();
  const seals = createSeals("a master key for tests of exports");
  deps = { database: test.database, seals, hasher: await openKeyHasher(test.database, seals) };
});
afterAll(() => test.drop());

/** Every variable that the file at hand refers to, from what the exporting side knew. */
function environmentFor(text: string, secretOf: (line: string) => string): Environment {
  const listed = [...text.matchAll(/^# {3}(\w+): (.*)$/gm)];
  return Object.fromEntries(listed.map(([, name = "", meaning = ""]) => [name, secretOf(meaning)]));
}

describe("export", () => {
  it("of an example reads like one written by hand", async () => {
    const manifest = parseManifest(EXAMPLE, { OPENAI_API_KEY: "sk-openai", ACME_KEY: "acme-key-0123456789" });
    await applyManifest(deps, manifest);
    expect(await exportManifest(deps)).toMatchInlineSnapshot(`
      "# yaml-language-server: $schema=./faregate.schema.json

      # Exported by \`faregate export\`.
      # Secrets are replaced by these variables. \`faregate apply\` keeps a secret whose variable is not set; a start with this
      # file, and another gateway, need them all.

      #   ACME_KEY: API key ci of account acme (acm...89)
      #   OPENAI_API_KEY: credential of upstream openai-main
      #   UPSTREAM_OPENAI_MAIN_API_KEY_2: credential of upstream openai-main
      #   UPSTREAM_SPARE_API_KEY: credential of upstream spare

      version: 1
      groups:
        - name: default
          factor: 1
        - name: partners
          factor: 0.85
      models:
        - id: embed
          created: 1
          endpoints: [embeddings]
          groups: [partners]
          price:
            input: 0.02
        - id: text-large
          owned_by: acme
          created: 1754000000
          endpoints: [oa, oa-response, an, ge]
          context_tokens: 200000
          max_output_tokens: 32000
          price:
            input: 3
            output: 15
            cache_read: 0.3
            units:
              search: "0.0000005"
      upstreams:
        - name: openai-main
          kind: openai
          base_url: https://h/v1
          api_keys: ["\${OPENAI_API_KEY}", "\${UPSTREAM_OPENAI_MAIN_API_KEY_2}"]
          models:
            text-large: gpt
          limits:
            concurrency: 200
          timeouts:
            idle_ms: 5
        - name: spare
          kind: openai
          base_url: https://h/v2
          api_key: \${UPSTREAM_SPARE_API_KEY}
          models: [embed, text-large]
          disabled: true
      settings:
        charge_empty_answers: true
      accounts:
        - name: acme
          group: default
          balance: 25
          keys:
            - name: ci
              key: \${ACME_KEY}
              models: [text-large]
              spending_limit:
                amount: 1.5
                period: day
        - name: other
          group: partners
          disabled: true
      "
    `);
  });

  it("leaves out what no longer exists, so that the file stays valid", async () => {
    await deleteModel(test.database, "text-large");
    const text = await exportManifest(deps);
    expect(text).not.toContain("text-large");
    const env = { OPENAI_API_KEY: "sk-openai", UPSTREAM_SPARE_API_KEY: "x", ACME_KEY: "acme-key-0123456789" };
    expect(() => parseManifest(text, { ...env, UPSTREAM_OPENAI_MAIN_API_KEY_2: "y" })).not.toThrow();
  });
});

describe("the export of keys made elsewhere", () => {
  it("leaves the key itself out, and applying it leaves the key as it is", async () => {
    await emptyCatalog();
    const { id: accountId } = await upsertAccount(test.database, { name: "team", group: "default" });
    const credential = generateKey();
    await createKey(test.database, deps.hasher, { accountId, name: "made here", credential });
    const before = await readKeys(test.database);
    const text = await exportManifest(deps);
    expect(text).not.toContain("${");
    const manifest = parseManifest(text, {});
    expect((await applyManifest(deps, manifest, { prune: true })).rendered).toBe("no changes");
    expect(await readKeys(test.database)).toEqual(before);
    const limited = parseManifest(text.replace("- name: made here", "- { name: made here, models: [] }"), {});
    expect((await applyManifest(deps, limited)).rendered).toContain("~ key team/made here: models");
    expect((await readKeys(test.database))[0]?.hash).toBe(before[0]?.hash);
  });

  it("is taken elsewhere with a note of every key that cannot be made there", async () => {
    await emptyCatalog();
    const manifest = parseManifest("version: 1\naccounts: [{ name: team, keys: [{ name: k }] }]", {});
    const { rendered } = await applyManifest(deps, manifest);
    expect(rendered).toContain("! key team/k is not created");
    expect(await readKeys(test.database)).toEqual([]);
  });

  it("names a model once that a key's list names twice, as the file's own lists must", async () => {
    const { id: accountId } = await upsertAccount(test.database, { name: "twice", group: "default" });
    const models = ["embed", "embed"];
    await createKey(test.database, deps.hasher, { accountId, name: "k", credential: generateKey(), models });
    const text = await exportManifest(deps);
    const env = environmentFor(text, () => generateKey());
    expect(() => parseManifest(text, env)).not.toThrow();
  });
});

describe("the law of the round trip", () => {
  it("applying an export changes nothing, whatever the catalog holds", async () => {
    await fc.assert(
      fc.asyncProperty(manifests(), async (manifest) => {
        await emptyCatalog();
        await applyManifest(deps, manifest, { prune: true });
        const text = await exportManifest(deps);
        const secrets = secretsOf(manifest);
        const env = environmentFor(text, (meaning) => {
          const found = secrets.find(({ owner }) => meaning.includes(owner));
          if (!found) throw new Error(`no secret for ${meaning}`);
          return found.secret;
        });
        const read = parseManifest(text, env);
        expect((await applyManifest(deps, read, { prune: true })).rendered).toBe("no changes");
        const { declared, unset } = localFile(text, {}, "exported.yaml");
        expect((await applyManifest(deps, declared, { prune: true })).rendered).toBe("no changes");
        expect([...unset].sort()).toEqual(Object.keys(env).sort());
        for (const secret of allSecretsOf(manifest)) expect(text).not.toContain(secret);
      }),
      { numRuns: 25 },
    );
  });
});

/** Makes the database like a fresh one; rows that are never deleted are moved out of the way. */
async function emptyCatalog(): Promise<void> {
  await test.database.execute(
    "truncate api_key_secrets, api_keys, ledgers, accounts, upstreams, models cascade",
  );
  await test.database.execute("delete from groups where name <> 'default'");
}

function allSecretsOf(manifest: Manifest): string[] {
  const keys = manifest.accounts.flatMap((account) => account.keys ?? []);
  return [
    ...secretsOf(manifest).map(({ secret }) => secret),
    ...keys.flatMap(({ credential }) => credential ?? []),
  ];
}

function manifests(): fc.Arbitrary<Manifest> {
  // Names that YAML, references and the list of variables could trip over.
  const name = fc.oneof(
    fc.constantFrom(
      "${NAME}",
      "$${x",
      "yes",
      "1.0",
      "a: b",
      "- x",
      "#c",
      "null",
      "'q\"",
      "ünï 名",
      "<<",
      "&a",
      "{}",
    ),
    fc.stringMatching(/^[a-z][a-z0-9 .$-]{0,12}[a-z0-9]$/),
  );
  // No file can say a name that sets an object's prototype.
  const names = (most: number) => fc.uniqueArray(name, { maxLength: most });
  const amount = fc.oneof(fc.bigInt(0n, 10n ** 15n), fc.constantFrom(1n, 300_000_000n, 123_456_123_456_789n));
  return fc
    .tuple(
      names(3),
      fc.uniqueArray(fc.stringMatching(/^[!#-[\]-~]{1,12}$/), { maxLength: 4 }),
      names(3),
      names(3),
    )
    .chain(([groups, modelIds, upstreams, accounts]) => {
      const allGroups = ["default", ...groups.filter((group) => group !== "default")];
      const someGroups = fc.option(fc.subarray(allGroups).map((list) => new Set(list)));
      const counter = { next: 0 };
      const secret = fc.constant(undefined).map(() => {
        counter.next += 1;
        return `secret-${"x".repeat(10)}-${counter.next}-end`;
      });
      const limits = {
        contextTokens: fc.integer({ min: 1, max: 10 ** 8 }),
        maxOutputTokens: fc.integer({ min: 1, max: 10 ** 8 }),
      };
      const common = {
        ownedBy: name,
        created: fc.option(fc.integer({ min: 0, max: 10 ** 10 }), { nil: undefined }),
        groups: someGroups,
      };
      const quirks = fc.record(
        {
          thinking: fc.constantFrom("effort", "budget"),
          efforts: fc.constantFrom(["low"], ["low", "high"]),
          media_urls: fc.constantFrom([], ["image"]),
          sampling: fc.boolean(),
          image_tokens: fc.integer({ min: 0, max: 1_000_000 }),
        },
        { requiredKeys: [] },
      );
      const model = (id: string): fc.Arbitrary<Manifest["models"][number]> =>
        fc.oneof(
          fc.record({
            ...common,
            ...limits,
            id: fc.constant(id),
            family: fc.constant(null),
            variant: fc.constant(null),
            endpoints: fc.subarray<Endpoint>([...CHAT_PROTOCOLS, "embeddings", "rerank"], { minLength: 1 }),
            price: declaredPrices,
            coming: comingPrices,
            quirks,
          }),
          fc.record({
            ...common,
            id: fc.constant(id),
            family: fc.constant("videob"),
            variant: fc.option(fc.constantFrom("3.0-video", "3.0-video-prime")),
            endpoints: fc.constant<Endpoint[]>(["videos"]),
            contextTokens: fc.constant(null),
            maxOutputTokens: fc.constant(null),
            price: fc.record({
              rates: fc.constant({}),
              media: fc.record({
                perSecond: fc.record({ "480p": amount, "720p": amount, "1080p": amount }),
              }),
            }),
            quirks: fc.constant({}),
          }),
        );
      const upstream = (of: string): fc.Arbitrary<Manifest["upstreams"][number]> =>
        fc
          .constantFrom(...KIND_NAMES)
          .chain((kind) =>
            fc.record({
              name: fc.constant(of),
              kind: fc.constant(kind),
              preset: kind === PRESET_KIND ? fc.option(fc.constantFrom(...PRESET_NAMES)) : fc.constant(null),
              baseUrl: fc.webUrl({ validSchemes: ["http", "https"] }).map((url) => url.replace(/\/+$/, "")),
              protocols: kindOf(kind)?.protocols.length
                ? fc.option(fc.constant(kindOf(kind)?.protocols ?? []))
                : fc.constant(null),
              models: fc
                .subarray(modelIds)
                .chain((ids) =>
                  fc
                    .tuple(...ids.map((id) => fc.oneof(fc.constant(id), name)))
                    .map((theirs) => new Map(ids.map((id, at) => [id, theirs[at] ?? id]))),
                ),
              groups: someGroups,
              priority: fc.integer({ min: -5, max: 5 }),
              weight: fc.double({ min: 0.001, max: 1000, noNaN: true }),
              maxConcurrency: fc.integer({ min: 1, max: 10 ** 6 }),
              sharedIds: fc.subarray(["file-1", "pmpt_1", "vs_1"]),
              probe: fc.boolean(),
              unaskedTiers: fc
                .uniqueArray(fc.constantFrom("flex", "priority", "turbo"))
                .map((list) => list.sort()),
              region: fc.option(fc.constantFrom("eu", "us")),
              options: fc
                .option(upstreamOptions(secret), { nil: undefined })
                .map((options) => withPlace(kind, options)),
              signer: fc.option(fc.string({ minLength: 1, maxLength: 100 })),
              timeouts: fc.record(
                { idleMs: fc.integer({ min: 1, max: 9999 }), totalMs: fc.integer({ min: 1, max: 9999 }) },
                { requiredKeys: [] },
              ),
              enabled: fc.boolean(),
              credentials: credentialOf(kind, secret).map((text) => [
                { name: "1", secret: text, reference: null, enabled: true },
              ]),
            }),
          )
          .chain(({ preset, ...declared }) =>
            fc.boolean().map((stated) => ({
              ...declared,
              preset,
              baseUrl: stated ? declared.baseUrl : (presetOf(preset)?.baseUrl ?? declared.baseUrl),
            })),
          )
          .chain((declared) => upstreamCosts(declared.models).map((cost) => ({ ...declared, cost })));
      const key = (of: string) =>
        fc.record({
          name: fc.constant(of),
          credential: secret,
          reference: fc.constant(null),
          models: fc.option(fc.subarray(modelIds)),
          disabled: fc.boolean(),
          expiresAt: fc.option(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })),
          allowedAddresses: fc.constantFrom(null, ["10.0.0.0/8", "2001:db8::/32"]),
          spendingLimit: fc.option(
            fc.record({ amountNanos: amount, period: fc.constantFrom("day" as const, "total" as const) }),
          ),
          rateLimits: fc.option(fc.record({ requestsPerMinute: fc.integer({ min: 1, max: 99 }) })),
        });
      const account = (of: string): fc.Arbitrary<Manifest["accounts"][number]> =>
        fc.record({
          name: fc.constant(of),
          group: fc.constantFrom(...allGroups),
          disabled: fc.boolean(),
          tagKeys: fc.subarray(["team", "env", "end_user"]),
          legalName: fc.constantFrom(null, "Acme Ltd.", "- null: 'x'"),
          address: fc.constantFrom(null, "1 Quay\nRotterdam", "# one\n\n  two: |"),
          taxId: fc.constantFrom(null, "0123", "null"),
          balanceNanos: fc.option(amount),
          keys: names(3).chain((list) => fc.tuple(...list.map(key))),
        });
      const group = (of: string) => fc.record({ name: fc.constant(of), factorPpm: fc.bigInt(0n, 10n ** 9n) });
      return fc.record<Manifest>({
        sections: fc.constant(new Set(SECTIONS)),
        groups: fc.tuple(...allGroups.map(group)),
        models: fc.tuple(...modelIds.map(model)),
        upstreams: fc.tuple(...upstreams.map(upstream)),
        settings: fc.record(
          {
            charge_empty_answers: fc.boolean(),
            usage_retention_days: fc.integer({ min: 1, max: 3650 }),
            metrics_address: fc.constantFrom(null, "[::1]:9"),
            egress_allow: fc.constantFrom([], ["10.0.0.0/8", "${x}:80"]),
          },
          { requiredKeys: [] },
        ),
        accounts: fc.tuple(...accounts.map(account)),
      });
    });
}

const EXAMPLE = `version: 1
groups: [{ name: partners, factor: 0.850 }]
models:
  - { id: text-large, owned_by: acme, created: 1754000000, context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15, cache_read: 0.30, units: { search: 0.0000005 } } }
  - { id: embed, created: 1, endpoints: [embeddings], groups: [partners], price: { input: 0.02 } }
upstreams:
  - { name: openai-main, kind: openai, base_url: "https://h/v1", api_keys: ["\${OPENAI_API_KEY}", "another"], models: { text-large: gpt }, max_concurrency: 200, timeouts: { idle_ms: 5 } }
  - { name: spare, kind: openai, base_url: "https://h/v2", api_key: in-clear, models: [text-large, embed], disabled: true }
settings: { charge_empty_answers: true }
accounts:
  - name: acme
    balance: 25
    keys: [{ name: ci, key: "\${ACME_KEY}", models: [text-large], spending_limit: { amount: 1.5, period: day } }]
  - { name: other, group: partners, disabled: true }`;
