/** A vendor whose chat completions say how often a tool ran that it bills by the call: what they don't name did not run. */
interface ReportingVendor {
  readonly vendor: string;
  readonly at: RegExp;
  readonly source: string;
}

/** `protocols/chat-completions/usage.ts` and `streams/call-counts.ts` read their counts. */
export const REPORTING_VENDORS: readonly ReportingVendor[] = [
  {
    vendor: "OpenRouter",
    at: /^https:\/\/([\w-]+\.)?openrouter\.ai(\/|$)/,
    source: "https://openrouter.ai/docs/guides/features/server-tools/web-search",
  },
  {
    vendor: "xAI",
    at: /^https:\/\/([\w-]+\.)?api\.x\.ai(\/|$)/,
    source: "https://docs.x.ai/developers/tools/tool-usage-details",
  },
  {
    vendor: "Alibaba",
    at: /^https:\/\/([\w-]+\.)*aliyuncs\.com(\/|$)/,
    source: "https://www.alibabacloud.com/help/en/model-studio/web-search",
  },
  {
    vendor: "Groq",
    at: /^https:\/\/api\.groq\.com(\/|$)/,
    source: "https://console.groq.com/docs/tool-use/built-in-tools",
  },
  {
    vendor: "Z.ai",
    at: /^https:\/\/(api\.z\.ai|open\.bigmodel\.cn)(\/|$)/,
    source: "https://docs.z.ai/guides/tools/web-search",
  },
  {
    vendor: "Moonshot",
    at: /^https:\/\/api\.moonshot\.(ai|cn)(\/|$)/,
    source: "https://platform.moonshot.ai/docs/guide/use-web-search",
  },
];

/**
 * True if responses from this address report the calls of the vendor's tools, though their protocol has no place for
 * them.
 */
export function reportsCalls(baseUrl: string): boolean {
  return REPORTING_VENDORS.some(({ at }) => at.test(baseUrl));
}
