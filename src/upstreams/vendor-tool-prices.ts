import type { ListedTool } from "../catalog/listed-tool-prices.ts";

/** A list price with its source and date. */
export interface SourcedTool extends ListedTool {
  readonly vendor: string;
  /** The models to which it applies, for the documentation. */
  readonly of?: string;
  readonly source: string;
  readonly date: string;
}

/** Turns USD per 1,000 calls into nanos per call. */
const each = (usdPerThousand: number) => ({ per: "use", nanos: BigInt(usdPerThousand * 1e6) }) as const;
const request = (usdPerThousand: number) => ({ ...each(usdPerThousand), per: "request" }) as const;

const bySize = (usdPerThousand: Readonly<Record<string, number>>) =>
  ({
    per: "use",
    sizes: Object.fromEntries(Object.entries(usdPerThousand).map(([size, usd]) => [size, each(usd).nanos])),
  }) as const;

const OPENAI = {
  vendor: "OpenAI",
  source: "https://developers.openai.com/api/docs/pricing",
  date: "2026-11-28",
} as const;

/**
 * The prices of containers are of a session of 20 minutes, as the vendor's page of prices states them. Since June 2026 eligible
 * sessions are billed by the minute, five at least, as its changelog is quoted (https://developers.openai.com/api/docs/changelog,
 * looked up on 2026-11-29), but no response tells the minutes. Images have no price per call: they are billed as tokens of another model.
 */
export const OPENAI_TOOLS: readonly SourcedTool[] = [
  { ...OPENAI, tool: "web_search", price: each(10) },
  // Chat models that search for each response: as the preview of models that don't reason. gpt-5-search-api is billed as others.
  {
    ...OPENAI,
    tool: "web_search",
    price: each(25),
    models: /^gpt-4o(-mini)?-search-preview/,
    of: "gpt-4o-search-preview, gpt-4o-mini-search-preview",
  },
  {
    ...OPENAI,
    tool: "web_search_preview",
    price: each(25),
    models: /^(gpt-4o|gpt-4\.1)/,
    of: "gpt-4o, gpt-4.1",
  },
  { ...OPENAI, tool: "file_search", price: each(2.5) },
  {
    ...OPENAI,
    tool: "code_container",
    price: bySize({ "1g": 30, "4g": 120, "16g": 480, "64g": 1920 }),
  },
];

/** A container is billed by time, at $0.05 an hour with a minimum of five minutes. */
export const ANTHROPIC_TOOLS: readonly SourcedTool[] = [
  {
    tool: "web_search",
    price: each(10),
    vendor: "Anthropic",
    source: "https://platform.claude.com/docs/en/about-claude/pricing",
    date: "2026-11-28",
  },
  {
    tool: "code_execution",
    price: { per: "use", nanos: 4_166_667n },
    vendor: "Anthropic",
    source: "https://platform.claude.com/docs/en/about-claude/pricing",
    date: "2026-11-28",
  },
];

const GOOGLE = {
  vendor: "Google",
  source: "https://ai.google.dev/gemini-api/docs/pricing",
  date: "2026-11-28",
} as const;

/** Billed per grounded prompt; later models per query, of which `protocols/generate-content/usage.ts` says what counts as one. */
const BY_PROMPT = /^(models\/)?gemini-(1|2)/;
const BY_QUERY = /^(?!(models\/)?gemini-(1|2))/;

/** The models of this vendor in a cloud, which has models of other vendors too. */
const BY_LATER_QUERY = /^gemini-(?!1|2)/i;
const CLAUDE = /claude/i;
const NO_CLAUDE = /^(?!.*claude)/i;

export const GEMINI_TOOLS: readonly SourcedTool[] = [
  { ...GOOGLE, tool: "google_search", price: request(35), models: BY_PROMPT, of: "gemini-1, gemini-2" },
  { ...GOOGLE, tool: "google_search", price: each(14), models: BY_QUERY, of: "others" },
  { ...GOOGLE, tool: "google_maps", price: request(25), models: BY_PROMPT, of: "gemini-1, gemini-2" },
  { ...GOOGLE, tool: "google_maps", price: each(14), models: BY_QUERY, of: "others" },
  // Search results are billed as tokens.
  { ...GOOGLE, tool: "file_search", price: each(0) },
];

const VERTEX = {
  vendor: "Google Cloud",
  tool: "google_search",
  // States one price for both of Google's interfaces.
  source: "https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/providers/google.yml",
  date: "2026-11-29",
} as const;

export const VERTEX_TOOLS: readonly SourcedTool[] = [
  { ...VERTEX, price: request(35), models: BY_PROMPT, of: "gemini-1, gemini-2" },
  { ...VERTEX, price: each(14), models: BY_LATER_QUERY, of: "later gemini" },
];

const AZURE = { vendor: "Microsoft Azure", tool: "web_search", date: "2026-11-29" } as const;

/** Deployments are named at will: those without "claude" are OpenAI's, which search by Grounding with Bing Search. */
export const AZURE_TOOLS: readonly SourcedTool[] = [
  {
    ...AZURE,
    price: each(14),
    models: NO_CLAUDE,
    of: "others",
    source:
      "https://raw.githubusercontent.com/microsoft/Foundry-Agent-Solution-Templates/main/enterprise-knowledge-agent/docs/cost.md",
  },
  {
    ...AZURE,
    // At Anthropic's own prices, as the page says.
    price: each(10),
    models: CLAUDE,
    of: "claude",
    source: "https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry",
  },
];

const XAI = {
  vendor: "xAI",
  source: "https://docs.x.ai/developers/pricing",
  date: "2026-11-28",
  at: /^https:\/\/([\w-]+\.)?api\.x\.ai(\/|$)/,
} as const;

/** A search is billed as basic ($5) or advanced ($8) by the system's version, which no response tells. */
const GROQ = {
  vendor: "Groq",
  source: "https://groq.com/pricing",
  date: "2026-11-29",
  at: /^https:\/\/api\.groq\.com(\/|$)/,
} as const;

const COMPOUND = /(^|\/)compound(-|$)/;
const NO_COMPOUND = /^(?!(.*\/)?compound(-|$))/;

const ZAI = {
  vendor: "Z.ai",
  source: "https://docs.z.ai/guides/overview/pricing",
  date: "2026-11-29",
  at: /^https:\/\/api\.z\.ai(\/|$)/,
} as const;

/** In dollars at the international address only; the Chinese one bills in yuan. */
const MOONSHOT = {
  vendor: "Moonshot",
  source: "https://platform.kimi.ai/docs/pricing/tools",
  date: "2026-11-29",
  at: /^https:\/\/api\.moonshot\.ai(\/|$)/,
} as const;

/** Vendors with OpenAI's interface, recognized by their address. */
export const COMPATIBLE_TOOLS: readonly SourcedTool[] = [
  { ...XAI, tool: "web_search", price: each(5) },
  { ...XAI, tool: "x_search", price: each(5) },
  { ...XAI, tool: "code_container", price: each(5) },
  { ...XAI, tool: "file_search", price: each(2.5) },
  { ...XAI, tool: "collections_search", price: each(2.5) },
  // Searches of the files that a message has attached.
  { ...XAI, tool: "attachment_search", price: each(10) },
  { ...GROQ, tool: "web_search", price: each(8), models: COMPOUND, of: "compound" },
  { ...GROQ, tool: "web_search", price: each(5), models: NO_COMPOUND, of: "others" },
  { ...GROQ, tool: "visit_website", price: each(1) },
  { ...ZAI, tool: "web_search", price: each(10) },
  { ...MOONSHOT, tool: "web_search", price: each(5) },
];
