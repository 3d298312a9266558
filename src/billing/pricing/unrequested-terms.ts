import type { Model, Upstream } from "../../catalog/catalog.ts";
import { findTerm } from "../../usage/service-terms.ts";
import type { UnrequestedTerms } from "../billing.ts";

/** The tiers and regions of the model's price table in which these upstreams may serve a request that asks for none; undefined = none. */
export function unrequestedTerms(
  { price }: Model,
  upstreams: readonly Pick<Upstream, "unaskedTiers" | "region">[],
): UnrequestedTerms | undefined {
  const declaring = upstreams.filter(
    ({ unaskedTiers, region }) => unaskedTiers.length > 0 || region !== null,
  );
  if (declaring.length === 0) return undefined;
  const priced = (names: object | undefined, words: readonly string[]): string[] => [
    ...new Set(words.flatMap((word) => findTerm(Object.keys(names ?? {}), word) ?? [])),
  ];
  const tiers = priced(
    price?.dimensions?.tiers,
    declaring.flatMap(({ unaskedTiers }) => unaskedTiers),
  );
  const regions = priced(
    price?.dimensions?.regions,
    declaring.flatMap(({ region }) => region ?? []),
  );
  return tiers.length + regions.length === 0 ? undefined : { tiers, regions };
}
