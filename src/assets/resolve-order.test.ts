import { describe, expect, it } from "vitest";
import { imageOrder, videoOrder } from "../../test/support/task-api-contract.ts";
import { upstreamOf } from "../../test/support/transport-rig.ts";
import type { MediaReference } from "../families/family.ts";
import type { StoredAsset } from "./assets-store.ts";
import { type ResolveDeps, resolveOrder } from "./resolve-order.ts";

const OURS: readonly StoredAsset[] = [
  asset("a"),
  asset("b", { type: "Video" }),
  asset("late", { status: "Pending" }),
  asset("elsewhere", { upstreamId: 2n }),
  asset("other-key", { credentialId: 11n }),
];

describe("an order that names no asset", () => {
  it("may go anywhere, and nobody is asked", async () => {
    const deps = { ...depsOf(), find: () => Promise.reject(new Error("asked")) };
    for (const order of [
      imageOrder(),
      videoOrder("videoa"),
      videoOrder("videoa", { references: [reference("https://a.example/asset://a")] }),
    ]) {
      expect(await resolveOrder(order, deps)).toEqual({ type: "free" });
    }
  });
});

describe("an order of assets", () => {
  it("is bound to the place that keeps them and speaks its ids, the rest untouched", async () => {
    const link = reference("https://a.example/1.png");
    const order = videoOrder("videoa", {
      references: [reference("asset://a"), link, reference("asset://b", "video"), reference("asset://a")],
    });
    expect(await resolveOrder(order, depsOf())).toEqual({
      type: "bound",
      upstreamId: 1n,
      credentialId: 10n,
      order: {
        ...order,
        references: [
          reference("asset://theirs-a"),
          link,
          reference("asset://theirs-b", "video"),
          reference("asset://theirs-a"),
        ],
      },
    });
  });

  it.each<[string, string[], RegExp]>([
    ["unknown", ["nobody"], /^The asset nobody does not exist in this account\.$/],
    ["of another type", ["b"], /^The asset b is of type Video, not image\.$/],
    ["kept at two upstreams", ["a", "elsewhere"], /stored at different upstreams/],
    ["kept under two credentials", ["a", "other-key"], /stored at different upstreams/],
  ])("is refused where one is %s", async (_what, ids, reason) => {
    expect(await resolve(ids)).toMatchObject({ type: "refused", reason: expect.stringMatching(reason) });
  });

  it("has them in one place where one credential stands in for another that is gone", async () => {
    const { placeOf } = depsOf();
    const replaced: Partial<ResolveDeps> = { placeOf: (asset) => placeOf({ ...asset, credentialId: 11n }) };
    expect(await resolve(["a", "other-key"], replaced)).toMatchObject({ type: "bound", credentialId: 11n });
  });

  it("asks the upstream only for what was not Active before, and heeds its answer", async () => {
    const looked: string[] = [];
    const saying = (outcome: Awaited<ReturnType<ResolveDeps["readAsset"]>>): Partial<ResolveDeps> => ({
      readAsset: async ({ id }) => {
        looked.push(id);
        return outcome;
      },
    });
    const record = { Id: "late", AssetType: "Image", Name: "", URL: "", CreateTime: "", UpdateTime: "" };
    const more = { GroupId: "", ProjectName: "", Moderation: { Strategy: "" } };
    const told = (Status: string) => saying({ type: "done", value: { ...record, ...more, Status } });

    expect(await resolve(["a", "late"], told("Active"))).toMatchObject({ type: "bound" });
    expect(await resolve(["a", "late"], told("Processing"))).toEqual({
      type: "refused",
      reason: "The asset late isn't Active but Processing.",
    });
    expect(await resolve(["late"], saying({ type: "refused", reason: "gone" }))).toEqual({
      type: "refused",
      reason: "The asset late cannot be used: gone",
    });
    expect(await resolve(["late"], saying({ type: "unavailable", reason: "try again" }))).toEqual({
      type: "unknown",
      reason: "try again",
    });
    expect(new Set(looked)).toEqual(new Set(["late"]));
  });

  it("is refused where the upstream that keeps them does not make the model", async () => {
    const asked: bigint[] = [];
    const makes: ResolveDeps["makes"] = ({ upstream }) => asked.push(upstream.id) === 0;
    expect(await resolve(["a", "late"], { makes })).toMatchObject({
      type: "refused",
      reason: expect.stringMatching(/doesn't serve this model/),
    });
    expect(asked).toEqual([1n]);
  });

  it("is refused where the upstream is out of service", async () => {
    expect(await resolve(["a"], { placeOf: () => undefined })).toMatchObject({
      type: "refused",
      reason: expect.stringMatching(/is unavailable/),
    });
  });
});

function resolve(ids: readonly string[], over: Partial<ResolveDeps> = {}) {
  const references = ids.map((id) => reference(`asset://${id}`));
  return resolveOrder(videoOrder("videoa", { references }), { ...depsOf(), ...over });
}

function depsOf(): ResolveDeps {
  return {
    find: async (ids) => new Map(OURS.filter(({ id }) => ids.includes(id)).map((each) => [each.id, each])),
    placeOf: ({ upstreamId, credentialId }) => ({
      upstream: upstreamOf("http://127.0.0.1:1", { id: upstreamId }),
      credential: { id: credentialId, name: "1", secret: "s" },
      api: { usable: () => true, create: never, read: never },
    }),
    makes: () => true,
    readAsset: never,
  };
}

function never(): Promise<never> {
  return Promise.reject(new Error("nobody should be asked"));
}

function reference(url: string, kind: MediaReference["kind"] = "image"): MediaReference {
  return { kind, role: "reference", url };
}

function asset(id: string, over: Partial<StoredAsset> = {}): StoredAsset {
  return {
    id,
    accountId: 1n,
    upstreamId: 1n,
    credentialId: 10n,
    upstreamAsset: `theirs-${id}`,
    type: "Image",
    name: id,
    status: "Active",
    ...over,
  };
}
