import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../test/support/cases.ts";
import type { AccountId, Caller, KeyId } from "../accounts/caller.ts";
import { CHAT_PROTOCOLS, PROTOCOL_NAMES, type ProtocolName } from "../conversation/protocol-name.ts";
import { GatewayError } from "../errors.ts";
import { allowedModel } from "./allowed-model.ts";
import { buildCatalog, type CatalogParts, type KindFacts } from "./build-catalog.ts";
import type { Endpoint, Model } from "./catalog.ts";
import { decodeSettings } from "./settings.ts";
import type { UpstreamRecord } from "./upstreams-store.ts";

const GROUPS = ["default", "partners", "empty"];
const MODELS = ["a", "A", "a ", "b/c", "__proto__", "constructor"];
const ENDPOINTS: readonly Endpoint[] = [...PROTOCOL_NAMES, "images", "videos"];
const KINDS: Readonly<Record<string, KindFacts>> = {
  full: { protocols: PROTOCOL_NAMES, families: ["imagegen", "videoa", "videob", "videoc"], needsKey: false },
  chat: { protocols: ["chat-completions"], families: [], needsKey: true },
  media: { protocols: [], families: ["imagegen", "videoc"], needsKey: true },
};
const kindOf = (name: string): KindFacts | undefined => KINDS[name];

const groupSet = fc.option(
  fc.subarray(GROUPS).map((names) => new Set(names)),
  { nil: null },
);

const model = (id: string): fc.Arbitrary<Model> =>
  fc.record({
    id: fc.constant(id),
    family: fc.constantFrom(null, null, "imagegen", "videoa", "videoc", "of a newer version"),
    variant: fc.constant(null),
    ownedBy: fc.constant("faregate"),
    created: fc.constant(0),
    endpoints: fc.subarray([...ENDPOINTS]),
    groups: groupSet,
    contextTokens: fc.constant(1_000),
    maxOutputTokens: fc.constant(100),
    price: fc.constantFrom({ id: 1n, rates: { input: 1n }, media: {} }, null),
    quirks: fc.constant({}),
  });

/** As the database has it: all but the name is its model's. */
const ALIAS = {
  family: null,
  variant: null,
  ownedBy: "faregate",
  created: 7,
  endpoints: [],
  groups: null,
  contextTokens: null,
  maxOutputTokens: null,
  price: null,
  quirks: {},
} satisfies Omit<Model, "id">;

const upstream = (id: number): fc.Arbitrary<UpstreamRecord> =>
  fc.record({
    id: fc.constant(BigInt(id)),
    name: fc.constant(`upstream ${id}`),
    kind: fc.constantFrom("full", "chat", "media", "of a newer version"),
    preset: fc.constant(null),
    baseUrl: fc.constant("http://127.0.0.1:1"),
    protocols: fc.option(fc.subarray<ProtocolName>([...PROTOCOL_NAMES]), { nil: null }),
    models: fc.subarray(MODELS).map((names) => new Map(names.map((name) => [name, `their ${name}`]))),
    groups: groupSet,
    priority: fc.constant(0),
    weight: fc.constant(1),
    maxConcurrency: fc.constant(1),
    sharedIds: fc.constant([]),
    probe: fc.constant(false),
    signer: fc.constant(null),
    unaskedTiers: fc.constant([]),
    region: fc.constant(null),
    cost: fc.constant(null),
    timeouts: fc.constant({}),
    enabled: fc.boolean(),
    credentials: fc.array(
      fc.record({
        id: fc.constant(1n),
        name: fc.constant("1"),
        secret: fc.constant("s"),
        sealed: fc.constant("sealed"),
        reference: fc.constant(null),
        enabled: fc.boolean(),
      }),
      { maxLength: 2 },
    ),
  });

const parts: fc.Arbitrary<CatalogParts> = fc.record({
  version: fc.constant(1n),
  groups: fc.subarray(GROUPS).map((names) => names.map((name) => ({ name, factorPpm: 1_000_000n }))),
  models: fc.subarray(MODELS).chain((ids) => fc.tuple(...ids.map(model))),
  upstreams: fc
    .nat(3)
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => upstream(index + 1)))),
  settings: fc.constant(decodeSettings({})),
  accounts: fc.constant(new Map<string, number>()),
});

const caller: fc.Arbitrary<Caller> = fc.record({
  accountId: fc.constant(1n as AccountId),
  accountName: fc.constant("acme"),
  group: fc.constantFrom(...GROUPS, "unknown"),
  keyId: fc.constant(1n as KeyId),
  keyName: fc.constant("key"),
  models: fc.option(
    fc.subarray([...MODELS, "unknown"]).map((ids) => new Set(ids)),
    { nil: null },
  ),
  spendingLimit: fc.constant(null),
  budgets: fc.constant([]),
  tagKeys: fc.constant([]),
  rateLimits: fc.constant(null),
  allowedAddresses: fc.constant(null),
});

const isChat = (name: string): boolean => CHAT_PROTOCOLS.some((chat) => chat === name);

/** The rule in the plainest words there are, to hold against the maps that were computed ahead. */
function mayCall(given: CatalogParts, who: Caller, id: string, endpoint: Endpoint): boolean {
  const wanted = given.models.find((each) => each.id === id);
  return (
    wanted !== undefined &&
    given.groups.some(({ name }) => name === who.group) &&
    (who.models === null || who.models.has(id)) &&
    (wanted.groups === null || wanted.groups.has(who.group)) &&
    wanted.price !== null &&
    wanted.endpoints.includes(endpoint) &&
    given.upstreams.some(
      (each) =>
        each.enabled &&
        kindOf(each.kind) !== undefined &&
        (each.credentials.some(({ enabled }) => enabled) ||
          (each.credentials.length === 0 && !kindOf(each.kind)?.needsKey)) &&
        each.models.has(id) &&
        (each.groups === null || each.groups.has(who.group)) &&
        (speaks(each, endpoint) || makes(each.kind, wanted.family, endpoint)),
    )
  );
}

function speaks(
  { protocols, kind }: Pick<UpstreamRecord, "protocols" | "kind">,
  endpoint: Endpoint,
): boolean {
  return (protocols ?? kindOf(kind)?.protocols ?? []).some(
    // Translation joins the four chat protocols.
    (protocol) => protocol === endpoint || (isChat(protocol) && isChat(endpoint)),
  );
}

function makes(kind: string, family: string | null, endpoint: Endpoint): boolean {
  const known = kindOf(kind)?.families.some((each) => each === family) ?? false;
  return known && endpoint === (family === "imagegen" ? "images" : "videos");
}

describe("the catalog", () => {
  it("lists exactly what can be called, on exactly the endpoints that serve it", () => {
    fc.assert(
      fc.property(parts, caller, (given, who) => {
        const catalog = buildCatalog(given, kindOf);
        const listed = catalog.listed(who);
        for (const id of [...MODELS, "unknown", "toString"]) {
          const endpoints = ENDPOINTS.filter((endpoint) => mayCall(given, who, id, endpoint));
          const callable = catalog.callable(who, id);
          expect(callable !== undefined).toBe(endpoints.length > 0);
          expect(listed.includes(callable as Model)).toBe(endpoints.length > 0);
          if (callable === undefined) continue;
          expect(callable.id).toBe(id);
          expect([...catalog.endpointsOf(id, who.group)].sort()).toEqual([...endpoints].sort());
        }
        expect(listed.every(({ id }) => catalog.callable(who, id) !== undefined)).toBe(true);
        expect(listed.map(({ id }) => id)).toEqual(
          given.models.map(({ id }) => id).filter((id) => catalog.callable(who, id)),
        );
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it("lets an alias be called where its model may be, or by that name alone, always as the model", () => {
    const targets = fc.array(fc.constantFrom(...MODELS, "unknown", "alias 1"), {
      minLength: 1,
      maxLength: 3,
    });
    const allowed = fc.option(fc.subarray([...MODELS, "alias 0", "alias 1"]), { nil: null });
    fc.assert(
      fc.property(parts, caller, targets, allowed, (given, who, names, models) => {
        const aliases = names.map((aliasOf, index) => {
          const id = `alias ${index}`;
          return { ...ALIAS, id, aliasOf };
        });
        const key = { ...who, models: models && new Set(models) };
        const catalog = buildCatalog({ ...given, models: [...given.models, ...aliases] }, kindOf);
        const listed = new Map(catalog.listed(key).map((each) => [each.id, each]));
        for (const { id, aliasOf } of aliases) {
          const named = { ...key, models: key.models?.has(id) ? null : key.models };
          const own = MODELS.includes(aliasOf) ? catalog.callable(named, aliasOf) : undefined;
          expect(catalog.callable(key, id)).toBe(own);
          expect(listed.get(id)).toEqual(own && { ...own, id, aliasOf, created: ALIAS.created });
          for (const endpoint of ENDPOINTS) {
            const there = own === undefined ? [] : catalog.serving(aliasOf, key.group, endpoint);
            if (own !== undefined) expect(catalog.serving(id, key.group, endpoint)).toEqual(there);
          }
        }
      }),
      { numRuns: casesOf(500) },
    );
  });

  it("refuses text and media requests by one rule: unknown and forbidden models alike, then the endpoint", () => {
    fc.assert(
      fc.property(parts, caller, (given, who) => {
        const catalog = buildCatalog(given, kindOf);
        const long = "n".repeat(5_000);
        for (const id of [...MODELS, "toString", long]) {
          const callable = ENDPOINTS.some((endpoint) => mayCall(given, who, id, endpoint));
          for (const endpoint of ENDPOINTS) {
            const refused = refusalOf(() => allowedModel(catalog, who, id, endpoint));
            const expected = callable ? "unsupported_endpoint" : "model_not_found";
            expect(refused?.reason).toBe(mayCall(given, who, id, endpoint) ? undefined : expected);
            expect(refused?.message.length ?? 0).toBeLessThan(400);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("gives for an endpoint only upstreams that serve it, and for all endpoints their union", () => {
    fc.assert(
      fc.property(parts, fc.constantFrom(...MODELS), fc.constantFrom(...GROUPS), (given, id, group) => {
        const catalog = buildCatalog(given, kindOf);
        const endpoints = catalog.endpointsOf(id, group);
        for (const endpoint of ENDPOINTS) {
          const serving = catalog.serving(id, group, endpoint);
          expect(serving.length > 0).toBe(endpoints.includes(endpoint));
          for (const each of serving) {
            if (endpoint !== "images" && endpoint !== "videos") expect(speaks(each, endpoint)).toBe(true);
            expect(each.credentials.length).toBeGreaterThan(0);
            expect(each.models.has(id)).toBe(true);
          }
        }
        const union = new Set(endpoints.flatMap((endpoint) => catalog.serving(id, group, endpoint)));
        expect(new Set(catalog.serving(id, group))).toEqual(union);
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it("gives an upstream without keys an id of its own for the credential it does not need", () => {
    const [one, two] = fc.sample(fc.tuple(upstream(1), upstream(2)), 1)[0] ?? [];
    const open = [one, two]
      .flatMap((each) => each ?? [])
      .map((each) => ({ ...each, kind: "full", enabled: true, credentials: [] }));
    const settings = decodeSettings({});
    const catalog = buildCatalog(
      { version: 1n, groups: [], models: [], upstreams: open, settings, accounts: new Map() },
      kindOf,
    );
    expect(catalog.upstreams.map(({ credentials }) => credentials)).toEqual([
      [{ id: -1n, name: "none", secret: "" }],
      [{ id: -2n, name: "none", secret: "" }],
    ]);
  });
});

function refusalOf(attempt: () => unknown): GatewayError | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
