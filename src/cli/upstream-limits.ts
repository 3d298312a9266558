import { counted } from "../base/text.ts";
import type { Upstream } from "../catalog/catalog.ts";
import { UPSTREAM_DEFAULTS } from "../catalog/upstreams-store.ts";

/** The limits that an upstream has, as a sentence's end; undefined = none but the default. */
export function limitsOf(
  { maxConcurrency, options }: Pick<Upstream, "maxConcurrency" | "options">,
  isShared: boolean,
): string | undefined {
  const { requestsPerMinute: requests, tokensPerMinute: tokens } = options?.rates ?? {};
  const rates = [
    requests === undefined ? [] : `${counted(requests, "request")} per minute`,
    tokens === undefined ? [] : `${counted(tokens, "token")} per minute`,
  ].flat();
  const atOnce =
    maxConcurrency === UPSTREAM_DEFAULTS.maxConcurrency
      ? []
      : [`${counted(maxConcurrency, "request")} at once in each process`];
  if (rates.length + atOnce.length === 0) return undefined;
  const where = isShared ? "in all processes together" : "in each process (in all together with REDIS_URL)";
  const told = rates.length === 0 ? atOnce : [...atOnce, `${rates.join(", ")} ${where}`];
  return `takes at most ${told.join("; ")}`;
}
