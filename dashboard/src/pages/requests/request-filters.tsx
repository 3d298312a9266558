import type { ReactNode } from "react";
import type { RequestsQuery } from "../../../../src/console/requests/contract.ts";
import { momentOfDay } from "../../api/days.ts";
import { type Search, useSearch } from "../../api/search.ts";
import { useAccount, useSession } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { formatMoney } from "../../format/money.ts";
import { ChooserFilter, Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { useEndpoints } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { useReason } from "./outcome.tsx";
import { requestsWords } from "./words.ts";

/** The names under which filters stand in the URL. */
export const REQUEST_FILTERS = [
  ...[
    "from",
    "to",
    "key",
    "user",
    "model",
    "endpoint",
    "status",
    "outcome",
    "reason",
    "min",
    "upstream",
    "tag",
    "request",
  ],
] as const;

/** What the URL asks for, as the console's API takes it: days are whole, the last one included. */
export function requestsQueryOf(search: Search): Omit<RequestsQuery, "limit" | "after"> {
  const { key, user, model, endpoint, status, outcome, reason, upstream, tag, request, min } = search;
  return {
    key,
    user,
    model,
    endpoint,
    reason,
    upstream,
    tag: tag?.includes("=") ? tag : undefined,
    request,
    min_cost_nanos: min,
    from: momentOfDay(search["from"]),
    to: momentOfDay(search["to"], 1),
    status: status as RequestsQuery["status"],
    outcome: outcome as RequestsQuery["outcome"],
  };
}

const COSTS = ["1000000", "10000000", "100000000", "1000000000"];

/** All filters of the log, kept in the URL. */
export function RequestFilters(): ReactNode {
  const t = useWords(requestsWords);
  const say = useReason();
  const endpoints = useEndpoints();
  const { id: account } = useAccount();
  const { user } = useSession();
  const [search] = useSearch();
  const used = useRead(`/accounts/${account}/spending`, { by: "model" });
  const spent = useRead(`/accounts/${account}/spending`, { by: "user" });
  const people = (spent.data?.groups ?? []).map(({ id, name }) => [id, name ?? t.nobody] as const);
  const models = (used.data?.groups ?? []).map(({ id }) => [id, id] as const);
  return (
    <Filters names={REQUEST_FILTERS}>
      <SearchFilter name="request" label={t.requestId} />
      <SelectFilter
        name="model"
        label={t.model}
        all={t.anyModel}
        options={withGiven(models, search["model"])}
      />
      <ChooserFilter
        name="key"
        label={t.key}
        all={t.anyKey}
        path={`/accounts/${account}/keys`}
        choiceOf={({ id, name, hint }) => ({ id, name, note: hint })}
      />
      <SelectFilter
        name="user"
        label={t.user}
        all={t.anyPerson}
        options={withGiven(people, search["user"], "#")}
      />
      <SelectFilter
        name="outcome"
        label={t.outcome}
        all={t.anyOutcome}
        options={[
          ["failed", t.failed],
          ["answered", t.answered],
        ]}
      />
      <SelectFilter
        name="reason"
        label={t.reason}
        all={t.anyReason}
        options={Object.keys(t.reasons).map((reason) => [reason, say(reason)])}
      />
      <SelectFilter
        name="status"
        label={t.status}
        all={t.anyStatus}
        options={[
          ["2xx", "2xx"],
          ["4xx", "4xx"],
          ["5xx", "5xx"],
          ["none", t.statusNone],
        ]}
      />
      <SelectFilter name="endpoint" label={t.endpoint} all={t.anyEndpoint} options={endpoints} />
      <SelectFilter
        name="min"
        label={t.minCost}
        all={t.anyCost}
        options={withGiven(
          COSTS.map((nanos) => [nanos, t.atLeast(formatMoney(nanos))]),
          search["min"],
        )}
      />
      {user.is_operator && <SearchFilter name="upstream" label={t.upstream} />}
      <SearchFilter name="tag" label={t.tag} />
      <SearchFilter name="from" label={t.from} type="date" />
      <SearchFilter name="to" label={t.to} type="date" />
    </Filters>
  );
}

/** The choices, with the one of the URL among them even where the list is cut short. */
function withGiven(
  options: readonly (readonly [string, string])[],
  given: string | undefined,
  mark = "",
): readonly (readonly [string, string])[] {
  if (!given || options.some(([value]) => value === given)) return options;
  return [[given, mark + given], ...options];
}
