import type { Model, ModelTerms, Price } from "../../../../src/console/catalog/contract.ts";

export const RATES = ["input", "output", "reasoning", "cache_read", "cache_write", "cache_write_1h"] as const;
/** Prices by name, written one to a line. */
const LISTED = ["per_image", "per_second", "calls"] as const;
type Listed = Readonly<Record<string, string>>;
const SHOWN: ReadonlySet<string> = new Set([...RATES, ...LISTED]);

export const TEXT_ENDPOINTS = ["oa", "oa-response", "an", "ge", "embeddings", "vendorz-rerank"] as const;
export const FAMILIES = ["imagegen", "videoa", "videob", "videoc"] as const;

/** A model as it is being typed. */
export interface ModelDraft {
  readonly id: string;
  /** The model of which it is a second name, and then all that it has; "" = a model. */
  readonly aliasOf: string;
  /** "" = text. */
  readonly family: string;
  readonly variant: string;
  readonly ownedBy: string;
  readonly endpoints: readonly string[];
  readonly groups: readonly string[];
  /** Open to no group at all, which no ticks can say. */
  readonly closed: boolean;
  readonly contextTokens: string;
  readonly maxOutputTokens: string;
  /** One to a line: the model, and how the upstreams must have failed. */
  readonly fallbacks: string;
  readonly rates: Readonly<Record<(typeof RATES)[number], string>>;
  readonly listed: Readonly<Record<(typeof LISTED)[number], string>>;
  /** Of a text model's price, what the form does not show, as JSON: it is sent back as it came. */
  readonly unshown: string;
  /** Prices to come, as JSON: the form shows none, so that they are sent back as they came. */
  readonly coming: string;
  readonly quirks: string;
  readonly created: number | undefined;
}

const NO_RATES = {
  input: "",
  output: "",
  reasoning: "",
  cache_read: "",
  cache_write: "",
  cache_write_1h: "",
};

export const EMPTY_DRAFT: ModelDraft = {
  id: "",
  aliasOf: "",
  family: "",
  variant: "",
  ownedBy: "faregate",
  endpoints: [],
  groups: [],
  closed: false,
  contextTokens: "",
  maxOutputTokens: "",
  fallbacks: "",
  rates: NO_RATES,
  quirks: "",
  created: undefined,
  listed: { per_image: "", per_second: "", calls: "" },
  unshown: "{}",
  coming: "[]",
};

export function draftOf(model: Model): ModelDraft {
  return {
    id: model.id,
    aliasOf: model.alias_of ?? "",
    family: model.family ?? "",
    variant: model.variant ?? "",
    ownedBy: model.owned_by,
    endpoints: model.endpoints,
    groups: model.groups ?? [],
    created: model.created,
    closed: model.groups?.length === 0,
    contextTokens: model.context_tokens === null ? "" : String(model.context_tokens),
    maxOutputTokens: model.max_output_tokens === null ? "" : String(model.max_output_tokens),
    fallbacks: model.fallbacks.map(({ model: id, on }) => [id, ...on].join(" ")).join("\n"),
    quirks: Object.keys(model.quirks).length === 0 ? "" : JSON.stringify(model.quirks, null, 2),
    coming: JSON.stringify(model.coming_prices),
    ...pricesOf(model.price ?? {}),
  };
}

export function pricesOf(price: Price): Pick<ModelDraft, "rates" | "listed" | "unshown"> {
  const lines = (prices: Readonly<Record<string, string>> = {}): string =>
    Object.entries(prices)
      .map(([name, usd]) => `${name} ${usd}`)
      .join("\n");
  const calls = Object.entries(price.calls ?? {});
  const plainCalls = Object.fromEntries(
    calls.flatMap(([tool, usd]) => (typeof usd === "string" ? [[tool, usd] as const] : [])),
  );
  const otherCalls = calls.filter(([, usd]) => typeof usd !== "string");
  return {
    rates: { ...NO_RATES, ...Object.fromEntries(RATES.map((rate) => [rate, price[rate] ?? ""])) },
    listed: {
      per_image: lines(price.per_image),
      per_second: lines(price.per_second),
      calls: lines(plainCalls),
    },
    unshown: JSON.stringify({
      ...Object.fromEntries(Object.entries(price).filter(([field]) => !SHOWN.has(field))),
      ...(otherCalls.length > 0 && { calls: Object.fromEntries(otherCalls) }),
    }),
  };
}

/** Whether it is a second name of a model. */
export function isAlias({ aliasOf }: ModelDraft): boolean {
  return aliasOf.trim() !== "";
}

/** Whether what stands under peculiarities can be read. */
export function isSound({ quirks }: ModelDraft): boolean {
  if (quirks.trim() === "") return true;
  try {
    return typeof JSON.parse(quirks) === "object";
  } catch {
    return false;
  }
}

/** What is sent; amounts stay text, as a number would lose digits. */
export function termsOf(draft: ModelDraft): ModelTerms {
  if (isAlias(draft)) return { alias_of: draft.aliasOf.trim(), created: draft.created };
  const isText = draft.family === "";
  const number = (text: string): number | null => (text.trim() === "" ? null : Number(text));
  return {
    family: draft.family || null,
    variant: draft.variant.trim() || null,
    owned_by: draft.ownedBy.trim(),
    ...(draft.endpoints.length === 0 || !isText ? {} : { endpoints: [...draft.endpoints] }),
    groups: draft.groups.length === 0 && !draft.closed ? null : [...draft.groups],
    ...(isText && {
      context_tokens: number(draft.contextTokens),
      max_output_tokens: number(draft.maxOutputTokens),
      fallbacks: fallbacksOf(draft),
    }),
    price: priceOf(draft),
    coming_prices: JSON.parse(draft.coming) as ModelTerms["coming_prices"],
    quirks: draft.quirks.trim() === "" ? {} : (JSON.parse(draft.quirks) as Record<string, unknown>),
    ...(draft.created !== undefined && { created: draft.created }),
  };
}

type Fallbacks = NonNullable<ModelTerms["fallbacks"]>;

/** A line without a reason means what the catalog file's default does. */
function fallbacksOf({ fallbacks }: ModelDraft): Fallbacks {
  const lines = fallbacks.split("\n").map((line) => line.split(/[\s,:]+/).filter((word) => word !== ""));
  return lines.flatMap(([model, ...on]) => {
    if (model === undefined) return [];
    return [{ model, on: (on.length === 0 ? ["unavailable", "rate_limited"] : on) as Fallbacks[0]["on"] }];
  });
}

function priceOf({ rates, listed, unshown, family }: ModelDraft): Price | null {
  const others = JSON.parse(unshown) as Price;
  // A model of images may have prices of tokens too, which no field of the form shows.
  const hasTokens = family === "" || (family === "imagegen" && others.image !== undefined);
  const given = RATES.filter((rate) => rates[rate].trim() !== "" && hasTokens);
  const price: Price = {
    ...(hasTokens ? others : {}),
    ...Object.fromEntries(given.map((rate) => [rate, rates[rate].trim()])),
  };
  for (const field of LISTED) {
    const lines = listed[field].split("\n").map((line) => /^(.*?)[\s:]+(\S+)$/.exec(line.trim()));
    const prices = lines.flatMap((line) => (line ? [[line[1] ?? "", line[2] ?? ""] as const] : []));
    if (prices.length > 0) price[field] = { ...price[field], ...Object.fromEntries(prices) } as Listed;
  }
  return Object.keys(price).length === 0 ? null : price;
}
