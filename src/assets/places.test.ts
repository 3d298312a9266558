import { describe, expect, it } from "vitest";
import { upstreamOf } from "../../test/support/transport-rig.ts";
import { type AssetCatalog, placeOf, placesFor } from "./places.ts";

type Upstream = AssetCatalog["upstreams"][number];

const MODELS = new Map([
  ["v", { family: "videoa" }],
  ["w", { family: "videob" }],
]);

describe("the places that keep an account's assets", () => {
  it("are upstreams that make videos of family videoa for its group, of a kind that keeps assets", () => {
    const catalog = catalogOf(
      keeper(1n, { kind: "apimart" }),
      keeper(2n, { groups: new Set(["partners"]) }),
      keeper(3n, { models: new Map([["w", "w"]]) }),
      keeper(4n, { kind: "ark", credentials: [credential(40n, "key alone")] }),
      keeper(5n, { kind: "ark", credentials: [credential(50n, "key;access_key=a;secret_key=s")] }),
      keeper(6n, { kind: "gateway" }),
    );
    expect(namesFor(catalog, "default")).toEqual(["5/50", "6/60"]);
    expect(namesFor(catalog, "partners")).toEqual(["2/20", "5/50", "6/60"]);
  });

  it("come by priority, then weight, and always in the same order", () => {
    const catalog = catalogOf(
      keeper(1n, { priority: 1 }),
      keeper(2n, { priority: 0, weight: 1 }),
      keeper(3n, { priority: 0, weight: 5, credentials: [credential(31n), credential(30n)] }),
      keeper(4n, { priority: 0, weight: 1 }),
    );
    const names = ["3/31", "3/30", "2/20", "4/40", "1/10"];
    for (let round = 0; round < 5; round += 1) expect(namesFor(catalog, "default")).toEqual(names);
  });

  it("stay what they were for a stored asset, another credential standing in for one that is gone", () => {
    const catalog = catalogOf(keeper(1n, { credentials: [credential(10n), credential(11n)] }));
    const found = (upstreamId: bigint, credentialId: bigint): bigint | undefined =>
      placeOf(catalog, { upstreamId, credentialId })?.credential.id;
    expect(found(1n, 11n)).toBe(11n);
    expect(found(1n, 99n)).toBe(10n);
    expect(found(2n, 10n)).toBeUndefined();
  });
});

function namesFor(catalog: AssetCatalog, group: string): readonly string[] {
  return placesFor(catalog, { group }).map((place) => `${place.upstream.id}/${place.credential.id}`);
}

function catalogOf(...upstreams: readonly Upstream[]): AssetCatalog {
  return { upstreams, models: MODELS };
}

function keeper(id: bigint, over: Partial<Upstream>): Upstream {
  const credentials = [credential(id * 10n)];
  return upstreamOf("http://127.0.0.1:1", {
    id,
    kind: "sandbox",
    models: new Map([["v", "v"]]),
    credentials,
    ...over,
  });
}

function credential(id: bigint, secret = "key"): Upstream["credentials"][number] {
  return { id, name: String(id), secret };
}
