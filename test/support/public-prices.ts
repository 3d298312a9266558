import { calcPrice, findProvider, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";
import { minuteOf, plainMinute, rangesOf, readGenaiPrice } from "../../src/price-lists/genai-price.ts";
import type { ListedPrice } from "../../src/price-lists/list-entry.ts";
import { publicList } from "../../src/price-lists/public-list.ts";

/** A day on which the list's dated prices hold that this release of it has. */
export const LISTED_AT = new Date("2026-11-27T00:00:00Z");

/** A model of the bundled list, as the list has it and as we read it. */
export interface PublicModel {
  readonly vendor: string;
  readonly id: string;
  readonly listed: ModelPrice;
  readonly read: ListedPrice;
  /** Moments at which its price differs. */
  readonly moments: readonly Date[];
}

/** Every text model that the list has a price for. */
export async function publicModels(): Promise<PublicModel[]> {
  const { entries } = await publicList(LISTED_AT.getTime());
  return entries.map(({ vendor, model, read }) => ({
    vendor,
    id: model,
    ...momentsOf(vendor, model),
    read: read(),
  }));
}

function momentsOf(vendor: string, id: string): Pick<PublicModel, "listed" | "moments"> {
  const model = findProvider({ providerId: vendor })?.models.find((each) => each.id === id);
  const ranges = rangesOf(model?.prices ?? {});
  const moments = [plainMinute(ranges), ...ranges.map(({ from }) => from)].map((at) =>
    minuteOf(LISTED_AT, at),
  );
  const listed = calcPrice({ input_tokens: 0 }, id, {
    providerId: vendor,
    timestamp: moments[0] ?? LISTED_AT,
  });
  return { listed: listed?.model_price ?? {}, moments };
}

/** The boundaries that a listed price itself names. */
export function boundariesIn(price: ModelPrice): number[] {
  const starts = Object.values(price).flatMap((rate) =>
    typeof rate === "object" ? rate.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)].sort((one, other) => one - other);
}

/** A vendor whose only model is `m`, for the list's own arithmetic. */
export function onlyModel(prices: ModelInfo["prices"]) {
  const model: ModelInfo = { id: "m", match: { equals: "m" }, prices };
  const provider = { id: "v", name: "V", api_pattern: "https://v", models: [model] };
  const priceAt = (timestamp: Date) =>
    calcPrice({ input_tokens: 0 }, "m", { provider, timestamp })?.model_price;
  return { provider, read: readGenaiPrice({ vendor: "v", prices, priceAt }, LISTED_AT) };
}
