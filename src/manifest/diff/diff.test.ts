import { describe, expect, it } from "vitest";
import { parseManifest } from "../file/read.ts";
import type { Manifest } from "../manifest.ts";
import { changedFields } from "./changed-fields.ts";
import { summarize } from "./changes.ts";
import { type DiffOptions, diffManifest } from "./diff.ts";
import type { State } from "./state.ts";

describe("changed fields", () => {
  it("are named by their path, with both values as the file writes them", () => {
    const before = { price: { input: 3, output: 15 }, groups: ["a"], weight: 1, name: "x y" };
    const after = { price: { input: 2.5, output: 15 }, groups: ["a", "b"], name: "x" };
    expect(changedFields(before, after)).toEqual([
      "price.input 3 -> 2.5",
      "groups [a] -> [a, b]",
      "weight 1 -> (unset)",
      'name "x y" -> x',
    ]);
    expect(changedFields(before, { ...before })).toEqual([]);
  });

  it("are seen where values look alike: text and number, a list and a text, empty and absent", () => {
    expect(changedFields({ a: "1" }, { a: 1 })).toHaveLength(1);
    expect(changedFields({ a: ["x"] }, { a: "[x]" })).toHaveLength(1);
    expect(changedFields({ a: ["x, y"] }, { a: ["x", "y"] })).toHaveLength(1);
    expect(changedFields({ a: [] }, {})).toHaveLength(1);
    expect(changedFields({ a: "true" }, { a: true })).toHaveLength(1);
    expect(changedFields({ a: null }, {})).toHaveLength(1);
    expect(changedFields({ a: null }, { a: "null" })).toHaveLength(1);
    expect(changedFields({ a: "" }, {})).toHaveLength(1);
  });

  it("are seen within the records of a list, whatever the order of their own fields", () => {
    const before = { oidc: [{ id: "work", name: "Acme login" }] };
    expect(changedFields(before, { oidc: [{ id: "work", name: "Acme" }] })).toEqual([
      'oidc [{ id: work, name: "Acme login" }] -> [{ id: work, name: Acme }]',
    ]);
    expect(changedFields(before, { oidc: [{ name: "Acme login", id: "work", secret: undefined }] })).toEqual(
      [],
    );
  });
});

describe("the order of changes", () => {
  const options: DiffOptions = { prune: true, hashOf: (key) => `hash of ${key}`, ownerOf: () => undefined };
  const empty: State = { groups: [], models: [], upstreams: [], settings: {}, accounts: [] };
  const subjects = (state: State, manifest: Manifest) =>
    summarize(diffManifest(state, manifest, options).changes).map(
      ({ action, subject }) => `${action} ${subject}`,
    );

  it("creates what is referred to before what refers, and removes the other way round", () => {
    const wanted = parseManifest(
      `version: 1
accounts: [{ name: a, group: g, balance: 1, keys: [{ name: k, key: 0123456789abcdef }] }]
settings: { charge_empty_answers: true }
upstreams: [{ name: u, kind: sandbox, base_url: "http://h", models: [m], groups: [g] }]
models: [{ id: m, endpoints: [rerank, embeddings], price: { input: 1 }, groups: [g] }]
groups: [{ name: g }]`.replace("rerank, ", "vendorz-rerank, "),
      {},
    );
    expect(subjects(empty, wanted)).toEqual([
      "create group",
      "create model",
      "create upstream",
      "update settings",
      "create account",
      "grant balance",
      "create key",
    ]);
    const [upstream] = wanted.upstreams;
    const [model] = wanted.models;
    if (!upstream || !model?.price) throw new Error("the file has both");
    const full: State = {
      groups: wanted.groups,
      models: [{ ...model, created: 1, price: { ...model.price, id: 1n }, coming: [] }],
      upstreams: [{ ...upstream, id: 1n, enabled: true, credentials: [] }],
      settings: {},
      accounts: [],
    };
    const nothing = parseManifest("version: 1\ngroups: []\nmodels: []\nupstreams: []\naccounts: []", {});
    expect(subjects(full, nothing)).toEqual(["delete upstream", "delete model", "delete group"]);
  });
});

describe("the settings of a file", () => {
  const empty: State = { groups: [], models: [], upstreams: [], settings: {}, accounts: [] };
  const detailsOf = (before: State["settings"], after: string) =>
    diffManifest({ ...empty, settings: before }, parseManifest(`version: 1\nsettings: ${after}`, {}), {
      prune: false,
      knownHash: () => undefined,
      hashOf: () => "",
    } as unknown as DiffOptions).changes.map(({ details }) => details);

  it("that only write defaults out are told in one detail, apart from what has an effect", () => {
    const file = "{ usage_retention_days: 90, keepalive: { first_ms: 25000 }, max_passes: 5 }";
    expect(detailsOf({}, file)).toEqual([
      ["max_passes (unset) -> 5", "same as the default: usage_retention_days, keepalive"],
    ]);
    expect(detailsOf({ max_passes: 5, hold_calls: 1 }, "{}")).toEqual([
      ["max_passes 5 -> (unset)", "same as the default: hold_calls"],
    ]);
    expect(detailsOf({ max_passes: 100 }, "{ max_passes: 100 }")).toEqual([]);
  });
});
