import type { AttemptCostText } from "../billing/pricing/attempt-cost.ts";
import type { UsageRow } from "../billing/usage-log/usage-store.ts";
import type { Queryable } from "../storage/database.ts";
import type { KnownNames, NameAt } from "./names.ts";

/** A request that reached an upstream, with the costs of its attempts. */
export interface CostedRequest
  extends Pick<
    UsageRow,
    | "requestId"
    | "acceptedAt"
    | "endedAt"
    | "estimated"
    | "implausible"
    | "inputUncached"
    | "cacheRead"
    | "cacheWrite5m"
    | "cacheWrite1h"
    | "outputVisible"
    | "outputReasoning"
    | "priceId"
    | "rates"
    | "charged"
    | "factorPpm"
  > {
  readonly accountId: bigint;
  readonly upstream: string | null;
  readonly upstreamModel: string | null;
  readonly costs: readonly AttemptCostText[] | null;
}

/** Maximum number of rows of the log that a page reads into memory. */
const PAGE = 5_000;

/** Text requests that ended in [from, to) and reached an upstream, in the order of posting. */
export async function* readCostedRequests(
  db: Queryable,
  from: Date,
  to: Date,
): AsyncGenerator<CostedRequest> {
  let after: readonly [posted: string, id: string] = [from.toISOString(), ""];
  for (;;) {
    const rows = await db.query<CostedRequest & { posted: string }>(
      `select request_id as "requestId", account_id as "accountId", accepted_at as "acceptedAt", ended_at as "endedAt", estimated,
              coalesce(implausible, '[]') as implausible, input_uncached as "inputUncached", cache_read as "cacheRead",
              cache_write_5m as "cacheWrite5m", cache_write_1h as "cacheWrite1h", output_visible as "outputVisible",
              output_reasoning as "outputReasoning", price_id as "priceId", rates, charged, factor_ppm as "factorPpm",
              upstream, upstream_model as "upstreamModel", costs, posted_at::text as posted
         from usage
        where (posted_at, request_id) > ($1::timestamptz, $2) and ended_at >= $3 and ended_at < $4
          and cost_nanos is not null and attempts > 0
        order by posted_at, request_id limit ${PAGE}`,
      [...after, from, to],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = [last.posted, last.requestId];
  }
}

/** Names of the upstreams, of their models, and of the tools that have or had a price. */
export interface CatalogNames extends KnownNames {
  readonly upstreams: readonly string[];
  readonly nameAt: NameAt;
}

export async function readNames(db: Queryable): Promise<CatalogNames> {
  const tools = await db.query<{ name: string }>(
    "select distinct jsonb_object_keys(dimensions -> 'calls') as name from prices",
  );
  const rows = await db.query<{ name: string; models: Readonly<Record<string, string>> }>(
    "select name, models from upstreams order by name",
  );
  const modelsAt = new Map(rows.map(({ name, models }) => [name, models]));
  return {
    nameAt: (upstream, model) => modelsAt.get(upstream)?.[model] ?? model,
    upstreams: rows.map(({ name }) => name),
    models: [...new Set(rows.flatMap(({ models }) => Object.values(models)))],
    tools: tools.map(({ name }) => name),
  };
}
