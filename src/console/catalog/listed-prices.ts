import { systemClock } from "../../base/clock.ts";
import { readModels } from "../../catalog/models-store.ts";
import { readUpstreams } from "../../catalog/upstreams-store.ts";
import { GatewayError } from "../../errors.ts";
import { acceptPrice } from "../../price-lists/accept.ts";
import { type Comparison, comparePrices } from "../../price-lists/compare.ts";
import { publicList } from "../../price-lists/public-list.ts";
import type { Queryable } from "../../storage/database.ts";
import { listedToolsOf } from "../../upstreams/kinds.ts";
import { listedVendorOf } from "../../upstreams/vendor-presets.ts";
import type { ConsoleDeps } from "../deps.ts";
import { revisionOf } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { changeCatalog } from "./change.ts";
import { acceptedPrice, model, type PriceDifferences, priceDifferences } from "./contract.ts";
import { responseOf } from "./models.ts";

const described = { policy: "operator", tag: "catalog" } as const;

/** The differences between the catalog and the bundled list of vendors' prices, to accept one by one. */
export function listedPriceOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), accept(deps)];
}

function list({ database, seals }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: "/operator/price-differences",
    summary: "Models whose price differs from the public list",
    response: priceDifferences,
    async run() {
      const { bundled, comparisons, unlisted } = await compareAll(database, seals);
      const { name, date } = bundled;
      const shown = comparisons.filter(
        ({ differences, problem }) => differences.length > 0 || problem !== undefined,
      );
      return {
        list: { name, date },
        data: shown.map(differenceResponse),
        compared: new Set(comparisons.map(({ model: id }) => id)).size,
        unlisted: [...unlisted],
        next: null,
      };
    },
  });
}

function accept(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/models/{model}/listed-price",
    scope: "billing",
    summary: "Set a model's price to the listed one; adds a row to the price book",
    body: acceptedPrice,
    response: model,
    async run(call) {
      const id = call.params["model"] ?? "";
      const { vendor, listed_as, version } = call.body;
      await changeCatalog(deps, call, async (tx) => {
        const { models, comparisons } = await compareAll(tx, deps.seals);
        const before = models.find((each) => each.id === id);
        if (before === undefined) throw new GatewayError("not_found", "Model not found.");
        const comparison = comparisons.find(
          ({ model: of, entry }) => of === id && entry.vendor === vendor && entry.model === listed_as,
        );
        if (comparison === undefined || versionOf(comparison) !== version)
          throw new GatewayError(
            "conflict",
            "The price or the list has changed. Load the differences again.",
          );
        if (comparison.accepted === null)
          throw new GatewayError("invalid_request", `The listed price can't be used: ${comparison.problem}.`);
        return { value: undefined, note: await acceptPrice(tx, before, comparison) };
      });
      return responseOf(deps, id);
    },
  });
}

async function compareAll(db: Queryable, seals: ConsoleDeps["seals"]) {
  const bundled = await publicList(systemClock.nowMs());
  const models = await readModels(db);
  const upstreams = await readUpstreams(db, seals);
  const { vendorAt } = bundled;
  return {
    bundled,
    models,
    ...comparePrices({
      models,
      upstreams,
      lists: [bundled],
      vendorAt,
      listedAs: listedVendorOf,
      toolsOf: listedToolsOf,
    }),
  };
}

function differenceResponse(comparison: Comparison): PriceDifferences["data"][number] {
  const { model: id, upstreams, entry, differences, leftOut, problem } = comparison;
  return {
    model: id,
    upstreams: [...upstreams],
    vendor: entry.vendor,
    listed_as: entry.model,
    url: entry.url ?? null,
    differences: differences.map((each) => ({ ...each })),
    left_out: [...leftOut],
    problem: problem ?? null,
    version: versionOf(comparison),
  };
}

function versionOf({ list: { name }, differences }: Comparison): string {
  return revisionOf({ list: name, differences });
}
