import type { Model, ModelTerms, Price } from "../../../../src/console/catalog/contract.ts";

export const RATES = ["input", "output", "reasoning", "cache_read", "cache_write", "cache_write_1h"] as const;
/** Prices by name, written one to a line. */
const LISTED = ["per_image", "per_second", "calls"] as const;
type Listed = Readonly<Record<string, string>>;
const SHOWN: ReadonlySet<string> = new Set([...RATES, ...LISTED]);

export const TEXT_ENDPOINTS = ["oa", "oa-response", "an", "ge", "embeddings", "vendorz-rerank"] as const;
export const FAMILIES = ["imagegen", "videoa", "videob", "videoc"] as const;

/** A price as it is being typed. */
export interface PriceDraft {
  readonly rates: Readonly<Record<(typeof RATES)[number], string>>;
  readonly listed: Readonly<Record<(typeof LISTED)[number], string>>;
  /** What the form does not show, as JSON: it is sent back as it came. "" = nothing. */
  readonly unshown: string;
}

/** A price that takes the place of the one before it. */
export interface ComingDraft extends PriceDraft {
  /** A time with its zone. */
  readonly from: string;
}

/** A model as it is being typed, with its current price. */
export interface ModelDraft extends PriceDraft {
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
  /** "" = by weight alone. */
  readonly order: "" | NonNullable<Model["order"]>;
  /** By time. */
  readonly coming: readonly ComingDraft[];
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
  order: "",
  rates: NO_RATES,
  quirks: "",
  created: undefined,
  listed: { per_image: "", per_second: "", calls: "" },
  unshown: "",
  coming: [],
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
    order: model.order ?? "",
    fallbacks: model.fallbacks.map(({ model: id, on }) => [id, ...on].join(" ")).join("\n"),
    quirks: Object.keys(model.quirks).length === 0 ? "" : JSON.stringify(model.quirks, null, 2),
    coming: model.coming_prices.map(({ from, ...price }) => ({ from, ...pricesOf(price) })),
    ...pricesOf(model.price ?? {}),
  };
}

export function pricesOf(price: Price): PriceDraft {
  const written = LISTED.map((field) => {
    const entries = Object.entries(price[field] ?? {});
    return {
      field,
      lines: entries.filter(isLine).map(([name, usd]) => `${name} ${usd}`),
      others: entries.filter((entry) => !isLine(entry)),
    };
  });
  const unshown = [
    ...Object.entries(price).filter(([field]) => !SHOWN.has(field)),
    ...written.flatMap(({ field, others }) =>
      others.length === 0 ? [] : [[field, Object.fromEntries(others)] as const],
    ),
  ];
  const lines = Object.fromEntries(written.map(({ field, lines }) => [field, lines.join("\n")]));
  return {
    rates: { ...NO_RATES, ...Object.fromEntries(RATES.map((rate) => [rate, price[rate] ?? ""])) },
    listed: lines as PriceDraft["listed"],
    unshown: unshown.length === 0 ? "" : JSON.stringify(Object.fromEntries(unshown)),
  };
}

/** Whether a line can say it: a price by size is none, nor is one whose name would be read as another. */
function isLine([name, usd]: readonly [string, unknown]): boolean {
  return typeof usd === "string" && readLine(`${name} ${usd}`)[0] === name;
}

/** The name and price of a line; a line without a price has an empty one, which the gateway refuses. */
function readLine(line: string): readonly [name: string, usd: string] {
  const [, name = line.trim(), usd = ""] = /^(.*?)[\s:]+(\S+)$/.exec(line.trim()) ?? [];
  return [name, usd];
}

/** Whether it is a second name of a model. */
export function isAlias({ aliasOf }: ModelDraft): boolean {
  return aliasOf.trim() !== "";
}

/** The names in the catalog file of what a price has beside the form's fields. */
export function unshownOf({ unshown }: PriceDraft): string[] {
  return unshown === "" ? [] : Object.keys(JSON.parse(unshown) as Price);
}

/** A further price, which begins as a copy of the last one: mostly a few of its amounts change. */
export function withComing({ rates, listed, unshown, coming }: ModelDraft): readonly ComingDraft[] {
  return [...coming, { ...(coming.at(-1) ?? { rates, listed, unshown }), from: "" }];
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since 1970 of a time with its zone; undefined = it is none. */
function momentOf(text: string): number | undefined {
  const ms = MOMENT.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** What is wrong with the time at which a coming price begins; one not yet typed is not wrong. */
export function fromFault(
  coming: readonly ComingDraft[],
  index: number,
): "badFrom" | "earlyFrom" | undefined {
  const from = coming[index]?.from ?? "";
  if (from.trim() === "") return undefined;
  const [before, at] = [momentOf(coming[index - 1]?.from ?? ""), momentOf(from)];
  if (at === undefined) return "badFrom";
  return before !== undefined && at <= before ? "earlyFrom" : undefined;
}

/** Whether all that the page itself checks can be sent. */
export function isSound(draft: ModelDraft): boolean {
  return (
    isAlias(draft) ||
    (hasSoundQuirks(draft) && draft.coming.every((_, index) => fromFault(draft.coming, index) === undefined))
  );
}

/** Whether what stands under peculiarities can be read. */
export function hasSoundQuirks({ quirks }: ModelDraft): boolean {
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
      order: draft.order || null,
    }),
    price: priceOf(draft, draft.family),
    coming_prices: draft.coming.map((coming) => ({
      from: utcOf(coming.from),
      ...priceOf(coming, draft.family),
    })),
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

/** As the catalog file writes a time. */
function utcOf(from: string): string {
  const ms = momentOf(from);
  return ms === undefined ? from.trim() : new Date(ms).toISOString().replace(".000Z", "Z");
}

function priceOf({ rates, listed, unshown }: PriceDraft, family: string): Price | null {
  const others = unshown === "" ? {} : (JSON.parse(unshown) as Price);
  // A model of images may have prices of tokens too, which no field of the form shows.
  const hasTokens = family === "" || (family === "imagegen" && others.image !== undefined);
  const given = RATES.filter((rate) => rates[rate].trim() !== "" && hasTokens);
  const kept = Object.entries(others).filter(([field]) => hasTokens || LISTED.some((each) => each === field));
  const price: Price = {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(given.map((rate) => [rate, rates[rate].trim()])),
  };
  for (const field of LISTED) {
    const lines = listed[field].split("\n").filter((line) => line.trim() !== "");
    const prices = lines.map(readLine);
    if (prices.length > 0) price[field] = { ...price[field], ...Object.fromEntries(prices) } as Listed;
  }
  return Object.keys(price).length === 0 ? null : price;
}
