import type { LimitName } from "../../../src/errors.ts";
import { useWords, wordsOf } from "./use-words.ts";

/** What a refused request was beyond. */
const limitWords = wordsOf<Readonly<Record<LimitName, string>>>({
  en: {
    requests_per_minute: "requests per minute",
    concurrency: "concurrent requests",
    tokens_per_minute: "tokens per minute",
    counts_per_minute: "token counts per minute",
    balance: "balance",
    budget: "budget",
    spending_limit: "spending limit of the key",
    upstream_limits: "limits of the upstreams",
    tasks_per_model: "tasks per model",
  },
  zh: {
    requests_per_minute: "每分钟请求数",
    concurrency: "并发请求数",
    tokens_per_minute: "每分钟 token 数",
    counts_per_minute: "每分钟 token 计数请求数",
    balance: "余额",
    budget: "预算",
    spending_limit: "密钥的支出限额",
    upstream_limits: "上游的限制",
    tasks_per_model: "每个模型的任务数",
  },
});

/** Names a limit; one that the page does not know stays as it is. */
export function useLimitName(): (limit: string) => string {
  const words: Readonly<Record<string, string>> = useWords(limitWords);
  return (limit) => words[limit] ?? limit;
}
