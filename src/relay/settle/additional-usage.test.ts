import { describe, expect, it } from "vitest";
import type { Catalog, Model, Upstream } from "../../catalog/catalog.ts";
import type { Candidate } from "../../upstreams/call.ts";
import type { ModelTokens } from "../../usage/usage.ts";
import type { TextRequest } from "../text-request.ts";
import { ourNameOf, priceAdditional } from "./additional-usage.ts";

const MOST_PASSES = 3;

/** Models by the input price that tells them apart, in nanos per million. */
const models = new Map(
  Object.entries({ asked: 1n, twin: 2n, other: 3n }).map(([id, input]) => [
    id,
    {
      id,
      contextTokens: 1_000,
      maxOutputTokens: 100,
      price: { id: input, rates: { input, output: input }, media: {} },
    } as Partial<Model> as Model,
  ]),
);

const accepted = {
  catalog: {
    models,
    groups: new Map([["default", { name: "default", factorPpm: 1_000_000n }]]),
    settings: { maxPasses: MOST_PASSES },
    callable: (_: unknown, id: string) => models.get(id),
  } as unknown as Catalog,
  request: { caller: { group: "default" }, headers: {}, model: "asked" } as unknown as TextRequest,
  bound: {
    contextTokens: 1_000,
    outputTokens: 100,
    statedOutputTokens: 50,
    responses: 1,
    passes: 1,
    maxPassesWithTools: undefined,
    calls: { max: 9, tools: [] },
    additionalModels: [
      { model: "other", byCall: true },
      { model: "asked", byCall: true },
    ],
  },
  acceptedMs: 0,
};

const upstream = {
  models: new Map([
    ["twin", "vendor-model"],
    ["asked", "vendor-model"],
    ["other", "vendor-other"],
  ]),
} as Partial<Upstream> as Upstream;
const candidate = { upstream, credential: { secret: "sk-SECRET-abcdefghijklmnop" } } as Candidate;

const priced = (...told: ModelTokens[]) => priceAdditional(accepted, candidate, told);
const advisor = (model: string, input: number, output = 1): ModelTokens => ({
  model,
  tokens: { inputUncached: input, outputVisible: output },
  isBeside: true,
});

describe("what other models have used", () => {
  it.each([
    ["vendor-other", "other", 3n],
    ["vendor-other-20260301", "other", 3n],
    ["vendor-other@20260301", "other", 3n],
    // Of two of ours with one name there, the one that was asked.
    ["vendor-model", "asked", 1n],
    ["other", "other", undefined],
    ["vendor-other-2", "vendor-other-2", undefined],
  ])("goes by the upstream's name %s to our %s", (told, model, input) => {
    const [found] = priced(advisor(told, 5)).additionalUsage;
    expect(found?.model).toBe(model);
    expect(found?.price?.rates.input).toBe(input);
  });

  it("goes by an exact name before one without its date, also where the asked model has the latter", () => {
    const dated = {
      models: new Map([
        ["asked", "vendor-x-20260101"],
        ["other", "vendor-x"],
      ]),
    } as Partial<Upstream> as Upstream;
    const found = (name: string): string | undefined =>
      priceAdditional(accepted, { ...candidate, upstream: dated }, [advisor(name, 5)]).additionalUsage[0]
        ?.model;
    expect(found("vendor-x")).toBe("other");
    expect(found("vendor-x-20260101")).toBe("asked");
    // Neither has this date: it may be either, and is the asked one.
    expect(found("vendor-x-20260301")).toBe("asked");
  });

  it("is told without the key that its vendor was sent", () => {
    const [found] = priced(advisor(`models/${candidate.credential.secret}`, 5)).additionalUsage;
    expect(found?.model).toBe("unnamed");
  });

  it("is at most what its model can use in one pass", () => {
    const { additionalUsage, implausible } = priced(advisor("vendor-other", 1_001, 100));
    expect(additionalUsage.map(({ usage }) => usage)).toEqual([{ outputVisible: 100 }]);
    expect(implausible).toEqual([{ field: "input", reported: 1_001, most: 1_000 }]);
  });

  it("is charged for no more passes than a request has", () => {
    const { additionalUsage, implausible } = priced(
      ...Array.from({ length: 9 }, () => advisor("vendor-other", 10)),
    );
    expect(additionalUsage).toHaveLength(MOST_PASSES);
    expect(implausible).toEqual([
      { field: "input", reported: 90, most: 30 },
      { field: "output", reported: 9, most: 3 },
    ]);
  });

  it("is nothing where the request names no such model, and told as impossible", () => {
    const bare = { ...accepted, bound: { ...accepted.bound, additionalModels: [] } };
    const told = [advisor("vendor-other", 10), advisor("vendor-model", 20), advisor("unknown", 30)];
    expect(priceAdditional(bare, candidate, told)).toEqual({
      additionalUsage: [],
      implausible: [
        { field: "input", reported: 60, most: 0 },
        { field: "output", reported: 3, most: 0 },
      ],
    });
    const { additionalUsage } = priced(advisor("vendor-other", 10), {
      ...advisor("vendor-other", 20),
      isBeside: undefined,
    });
    expect(additionalUsage.map(({ usage }) => usage.inputUncached)).toEqual([10]);
  });
});

describe("the name of a response's model", () => {
  const routed = (asked: string, listed: readonly string[]) => ({
    catalog: { ...accepted.catalog, models: new Map(NAMES.map((id) => [id, { id } as Model])) } as Catalog,
    request: { ...accepted.request, model: asked } as TextRequest,
    bound: { ...accepted.bound, additionalModels: listed.map((model) => ({ model, byCall: false })) },
  });
  const NAMES = ["paid", "free", "cheap"];
  const vendor = {
    models: new Map([
      ["paid", "v/mid"],
      ["free", "v/mid:free"],
      ["cheap", "v/small"],
    ]),
  } as Partial<Upstream> as Upstream;

  it.each([
    ["cheap", ["paid", "free"], "v/mid-20260101:free", "free"],
    ["cheap", ["paid", "free"], "v/mid-20260101", "paid"],
    ["paid", ["free"], "v/mid-2026-01-01:free", "free"],
    ["paid", ["free"], "v/mid", "paid"],
    ["cheap", ["free"], "v/mid", "free"],
    ["cheap", ["paid"], "v/mid:nitro", "paid"],
    ["cheap", ["free"], "v/small-20260101", "cheap"],
    ["cheap", ["free"], "v/large", undefined],
  ])("asked as %s with %j, and told as %s, is %s", (asked, listed, told, ours) => {
    expect(ourNameOf(told, vendor, routed(asked, listed))).toBe(ours);
  });
});
