import { readUpstreams } from "../../catalog/upstreams-store.ts";
import { GatewayError } from "../../errors.ts";
import { addPrices, readUnpriced, type Unpriced, unpricedJson } from "../../price-lists/unpriced.ts";
import type { Queryable } from "../../storage/database.ts";
import { listedToolsOf } from "../../upstreams/kinds.ts";
import { listedVendorOf } from "../../upstreams/vendor-presets.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { changeCatalog } from "./change.ts";
import { missingPrice, model, unpricedUsage } from "./contract.ts";
import { responseOf } from "./models.ts";

const described = { policy: "operator", tag: "catalog" } as const;

/** Usage that upstreams served without a price, and its pricing. */
export function unpricedOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), add(deps)];
}

function list({ database, seals }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: "/operator/unpriced-usage",
    summary: "Usage that models have no price for",
    response: unpricedUsage,
    async run() {
      const { unpriced } = await readAll(database, seals);
      return { data: unpriced.map(unpricedJson), next: null };
    },
  });
}

function add(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/models/{model}/missing-price",
    scope: "billing",
    summary: "Add the price that a model lacks; adds a row to the price book",
    body: missingPrice,
    response: model,
    async run(call) {
      const id = call.params["model"] ?? "";
      const { upstream, what, prices } = call.body;
      await changeCatalog(deps, call, async (tx) => {
        const { models, unpriced } = await readAll(tx, deps.seals);
        const before = models.find((each) => each.id === id);
        if (before === undefined) throw new GatewayError("not_found", "Model not found.");
        const found = unpriced.find(
          (each) => each.model === id && each.upstream === upstream && each.what === what,
        );
        if (found === undefined)
          throw new GatewayError("conflict", "This has a price by now. Load the list again.");
        const amounts = new Map(Object.entries(prices));
        const note = await addPrices(tx, before, found, requireAll(found, amounts));
        return { value: undefined, note };
      });
      return responseOf(deps, id);
    },
  });
}

/** Every amount that is missing, and no other. */
function requireAll({ prices }: Unpriced, amounts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const names = prices.map(({ keys }) => keys.join("."));
  const unknown = [...amounts.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new GatewayError("invalid_request", `This isn't missing: ${unknown}.`, { param: "prices" });
  const lacking = names.find((name) => (amounts.get(name) ?? "").trim() === "");
  if (lacking !== undefined)
    throw new GatewayError("invalid_request", `A price is required: ${lacking}.`, { param: "prices" });
  if (names.length === 0)
    throw new GatewayError("invalid_request", "Edit the model's price: prices by size leave this one open.");
  return amounts;
}

async function readAll(db: Queryable, seals: ConsoleDeps["seals"]) {
  return readUnpriced(db, {
    upstreams: await readUpstreams(db, seals),
    toolsOf: listedToolsOf,
    listedAs: listedVendorOf,
  });
}
