import { expect, it } from "vitest";
import { familyOf } from "../families/table.ts";
import { demoManifest } from "./demo.ts";

it("the demo offers every model of pictures and videos that the families know, each wholly priced", () => {
  const { models } = demoManifest({ sandboxUrl: "http://127.0.0.1:1" });
  const offered = new Set<string>();
  for (const { id, family: name, variant, price } of models) {
    const family = name === null ? undefined : familyOf(name);
    if (family === undefined) continue;
    offered.add(`${family.name}-${family.variantOf({ id, variant })}`);
    const words = Object.keys(price?.media.perImage ?? price?.media.perSecond ?? {});
    expect([id, words]).toEqual([id, family.priceWords({ id, variant })]);
  }
  const known = ["imagegen", "videoa", "videob", "videoc"].flatMap((name) =>
    (familyOf(name)?.variants ?? []).map((variant) => `${name}-${variant}`),
  );
  expect([...offered].sort()).toEqual(known.sort());
});
