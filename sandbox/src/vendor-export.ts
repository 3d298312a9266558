import type { JournalEntry } from "./journal.ts";
import type { Usage } from "./usage.ts";

export const EXPORT_FORMATS = [
  "openai-costs",
  "openai-usage",
  "anthropic-costs",
  "anthropic-usage",
  "google-csv",
  "csv",
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A response as a vendor bills it. */
export interface BilledAnswer {
  /** Unix milliseconds of its end. */
  at: number;
  model: string;
  usage: Usage;
  /** Not the standard one. */
  tier?: string;
  project?: string;
}

type Bucket = "input" | "cached input" | "cache write" | "cache write 1h" | "output";

/** Dollars per million tokens. */
export type ModelPrices = Partial<Record<Bucket, number>>;

export interface Billing {
  /** The prices of a model at a moment. */
  priceOf(model: string, at: number, tier: string | undefined): ModelPrices;
  /** The offset of the vendor's days from UTC. */
  offsetHours: number;
  currency?: string;
  /** Decimals that amounts are rounded to; absent = none are lost. */
  decimals?: number;
}

/** The entries of the request log that are billed: responses, as far as they got. */
export function billedAnswers(entries: Iterable<JournalEntry>): BilledAnswer[] {
  const answers: BilledAnswer[] = [];
  for (const { status, closedAtMs, model, usage } of entries)
    if (status === 200 && Object.values(usage).some((count) => count > 0))
      answers.push({ at: closedAtMs, model, usage });
  return answers;
}

/** One line of a bill. */
interface Item {
  day: string;
  model: string;
  bucket: Bucket;
  tier: string | undefined;
  project: string | undefined;
  tokens: number;
  /** Trillionths of the currency. */
  amount: bigint;
}

const HOUR_MS = 3_600_000;
const AMOUNT_DECIMALS = 12;

/** A vendor's export of these answers, in its own form. */
export function writeExport(
  format: ExportFormat,
  answers: readonly BilledAnswer[],
  billing: Billing,
): string {
  const items = itemsOf(answers, billing);
  switch (format) {
    case "openai-costs":
      return openaiPage(items, (item) => ({
        object: "organization.costs.result",
        amount: { value: Number(money(item, billing)), currency: (billing.currency ?? "USD").toLowerCase() },
        line_item: `${item.model}, ${item.tier === undefined ? "" : `${item.tier} `}${item.bucket}`,
        project_id: item.project ?? null,
        quantity: item.tokens,
      }));
    case "openai-usage":
      return openaiPage(items, openaiUsage);
    case "anthropic-costs":
      return anthropicPage(items, (item) => ({
        amount: inCents(money(item, billing)),
        currency: billing.currency ?? "USD",
        cost_type: "tokens",
        token_type: ANTHROPIC_TYPES[item.bucket],
        model: item.model,
        service_tier: item.tier ?? "standard",
        workspace_id: item.project ?? null,
        description: `${item.model} Usage - ${item.bucket}`,
      }));
    case "anthropic-usage":
      return anthropicPage(items, anthropicUsage);
    case "google-csv":
      return csv(
        ["Project ID", "SKU description", "Usage start date", "Usage amount", "Usage unit", "Cost ($)"],
        items.map((item) => [
          item.project ?? "",
          `Generate content ${GOOGLE_WORDS[item.bucket]} token count ${item.model.replaceAll("-", " ")}`,
          item.day,
          String(item.tokens),
          "count",
          money(item, billing),
        ]),
      );
    case "csv":
      return csv(
        ["day", "model", "bucket", "project", "tier", "quantity", "amount", "currency"],
        items.map((item) => [
          item.day,
          item.model,
          PLAIN_NAMES[item.bucket],
          item.project ?? "",
          item.tier ?? "",
          String(item.tokens),
          money(item, billing),
          billing.currency ?? "USD",
        ]),
      );
  }
}

const ANTHROPIC_TYPES = {
  input: "uncached_input_tokens",
  "cached input": "cache_read_input_tokens",
  "cache write": "cache_creation.ephemeral_5m_input_tokens",
  "cache write 1h": "cache_creation.ephemeral_1h_input_tokens",
  output: "output_tokens",
} as const satisfies Record<Bucket, string>;

const GOOGLE_WORDS = {
  input: "input",
  "cached input": "cached input",
  "cache write": "cache write",
  "cache write 1h": "cache write 1h",
  output: "output",
} as const satisfies Record<Bucket, string>;

const PLAIN_NAMES = {
  input: "input",
  "cached input": "cache_read",
  "cache write": "cache_write",
  "cache write 1h": "cache_write_1h",
  output: "output",
} as const satisfies Record<Bucket, string>;

function itemsOf(answers: readonly BilledAnswer[], { priceOf, offsetHours }: Billing): Item[] {
  const items = new Map<string, Item>();
  for (const { at, model, usage, tier, project } of answers) {
    const day = new Date(at + offsetHours * HOUR_MS).toISOString().slice(0, 10);
    const prices = priceOf(model, at, tier);
    for (const [bucket, tokens] of Object.entries(bucketsOf(usage)) as [Bucket, number][]) {
      if (tokens === 0) continue;
      const key = [day, model, bucket, tier, project].join("\n");
      const item = items.get(key) ?? { day, model, bucket, tier, project, tokens: 0, amount: 0n };
      item.tokens += tokens;
      // Dollars per million tokens are millionths of a dollar a token.
      item.amount += BigInt(tokens) * BigInt(Math.round((prices[bucket] ?? 0) * 1e6));
      items.set(key, item);
    }
  }
  return [...items.values()].sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0));
}

function bucketsOf(usage: Usage): Record<Bucket, number> {
  return {
    input: usage.inputUncached,
    "cached input": usage.cacheRead,
    "cache write": usage.cacheWrite5m,
    "cache write 1h": usage.cacheWrite1h,
    output: usage.outputVisible + usage.outputReasoning,
  };
}

function money({ amount }: Item, { decimals = AMOUNT_DECIMALS }: Billing): string {
  const unit = 10n ** BigInt(AMOUNT_DECIMALS - decimals);
  const rounded = ((amount + unit / 2n) / unit) * unit;
  const digits = String(rounded).padStart(AMOUNT_DECIMALS + 1, "0");
  return `${digits.slice(0, -AMOUNT_DECIMALS)}.${digits.slice(-AMOUNT_DECIMALS, digits.length - AMOUNT_DECIMALS + Math.max(decimals, 1))}`;
}

function inCents(dollars: string): string {
  const [whole = "", fraction = ""] = dollars.split(".");
  const digits = fraction.padEnd(AMOUNT_DECIMALS, "0");
  return `${BigInt(whole + digits.slice(0, 2))}.${digits.slice(2)}`;
}

function byDay(items: readonly Item[]): Map<string, Item[]> {
  const days = new Map<string, Item[]>();
  for (const item of items) days.set(item.day, [...(days.get(item.day) ?? []), item]);
  return days;
}

function openaiPage(items: readonly Item[], result: (item: Item) => object): string {
  const data = [...byDay(items)].map(([day, ofDay]) => ({
    object: "bucket",
    start_time: Date.parse(day) / 1000,
    end_time: Date.parse(day) / 1000 + 86_400,
    results: ofDay.map(result),
  }));
  return JSON.stringify({ object: "page", data, has_more: false, next_page: null });
}

function openaiUsage({ model, bucket, tier, project, tokens }: Item): object {
  return {
    object: "organization.usage.completions.result",
    input_tokens: bucket === "output" ? 0 : tokens,
    output_tokens: bucket === "output" ? tokens : 0,
    input_cached_tokens: bucket === "cached input" ? tokens : 0,
    num_model_requests: 1,
    project_id: project ?? null,
    model,
    service_tier: tier ?? "default",
  };
}

function anthropicPage(items: readonly Item[], result: (item: Item) => object): string {
  const data = [...byDay(items)].map(([day, ofDay]) => ({
    starting_at: `${day}T00:00:00Z`,
    ending_at: new Date(Date.parse(day) + 24 * HOUR_MS).toISOString(),
    results: ofDay.map(result),
  }));
  return JSON.stringify({ data, has_more: false, next_page: null });
}

function anthropicUsage({ model, bucket, tier, project, tokens }: Item): object {
  const of = (name: Bucket): number => (bucket === name ? tokens : 0);
  return {
    uncached_input_tokens: of("input"),
    cache_read_input_tokens: of("cached input"),
    cache_creation: {
      ephemeral_5m_input_tokens: of("cache write"),
      ephemeral_1h_input_tokens: of("cache write 1h"),
    },
    output_tokens: of("output"),
    server_tool_use: { web_search_requests: 0 },
    model,
    service_tier: tier ?? "standard",
    workspace_id: project ?? null,
  };
}

function csv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");
  return [header, ...rows].map(line).join("\n");
}
