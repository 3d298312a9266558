import type { ConsoleDeps } from "../deps.ts";
import type { Operation } from "../operation.ts";
import { fileOperations } from "./file.ts";
import { knownPriceOperations } from "./known-prices.ts";
import { listedPriceOperations } from "./listed-prices.ts";
import { modelOperations } from "./models.ts";
import { unpricedOperations } from "./unpriced.ts";

/** The models and their prices, for operators. */
export function catalogOperations(deps: ConsoleDeps): readonly Operation[] {
  return [
    ...modelOperations(deps),
    ...knownPriceOperations(),
    ...listedPriceOperations(deps),
    ...unpricedOperations(deps),
    ...fileOperations(deps),
  ];
}
