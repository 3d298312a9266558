import fc from "fast-check";
import { expect, it } from "vitest";
import { priceTables } from "../../../test/support/price-tables.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import { readModel } from "../../manifest/file/read-item.ts";
import { newModel } from "./contract.ts";
import { priceResponse } from "./model-response.ts";

const known = { groups: new Set<string>(), models: new Set<string>() };

it("gives a price so that sending it back changes nothing, in any dimension", () => {
  fc.assert(
    fc.property(priceTables, ({ base, ...dimensions }) => {
      const price = priceResponse({ rates: base, dimensions, media: {} });
      const sent = newModel.parse({ id: "m", context_tokens: 1000, max_output_tokens: 100, price });
      const { dimensions: again, ...rest } = readModel(sent, known).price ?? {};
      expect(rest).toEqual({ rates: base, media: {} });
      expect(again ?? NO_DIMENSIONS).toEqual(dimensions);
    }),
  );
});
