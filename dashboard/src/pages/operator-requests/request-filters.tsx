import type { ReactNode } from "react";
import { momentOfDay } from "../../api/days.ts";
import { type Search, useSearch } from "../../api/search.ts";
import { ChooserFilter, Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorRequestsWords } from "./words.ts";

/** The names under which filters stand in the URL. */
export const OPERATOR_REQUEST_FILTERS = [
  "id",
  "account",
  "key",
  "model",
  "upstream",
  "tag",
  "status",
  "error_code",
  "outcome",
  "from",
  "to",
] as const;

/** What the URL asks for, as the console's API takes it: days are whole, the last one included. */
export function operatorRequestsQueryOf(search: Search) {
  const { id, account, key, model, upstream, tag, status, error_code, outcome } = search;
  const days = { from: momentOfDay(search["from"]), to: momentOfDay(search["to"], 1) };
  const tagged = { tag: tag?.includes("=") ? tag : undefined };
  return { id: id?.trim(), account, key, model, upstream, ...tagged, status, error_code, outcome, ...days };
}

/** Statuses that callers are sent, those of success but 200 left out. */
const STATUSES = ["200", "400", "401", "403", "404", "408", "409", "413", "415", "422", "429"];
const FAULTS = ["500", "502", "503", "504", "529"];

/** All filters of the list, kept in the URL. */
export function OperatorRequestFilters(): ReactNode {
  const t = useWords(operatorRequestsWords);
  const [{ account, status }] = useSearch();
  const statuses = [...STATUSES, ...FAULTS];
  if (status && status !== "0" && !statuses.includes(status)) statuses.push(status);
  return (
    <Filters names={OPERATOR_REQUEST_FILTERS}>
      <SearchFilter name="id" label={t.id} />
      <ChooserFilter
        name="account"
        label={t.account}
        all={t.anyAccount}
        path="/operator/accounts"
        choiceOf={({ id, name, group }) => ({ id, name, note: group })}
      />
      {account ? (
        <ChooserFilter
          name="key"
          label={t.key}
          all={t.anyKey}
          path={`/accounts/${account}/keys`}
          choiceOf={({ id, name, hint }) => ({ id, name, note: hint })}
        />
      ) : (
        <SearchFilter name="key" label={t.keyId} />
      )}
      <SearchFilter name="model" label={t.model} />
      <SearchFilter name="upstream" label={t.upstream} />
      <SearchFilter name="tag" label={t.tag} />
      <SelectFilter
        name="outcome"
        label={t.outcome}
        all={t.anyOutcome}
        options={[
          ["failed", t.failed],
          ["refused", t.refusedOnly],
        ]}
      />
      <SelectFilter
        name="status"
        label={t.status}
        all={t.anyStatus}
        options={[...statuses.map((one) => [one, one] as const), ["0", t.statusNone]]}
      />
      <SearchFilter name="error_code" label={t.code} />
      <SearchFilter name="from" label={t.from} type="date" />
      <SearchFilter name="to" label={t.to} type="date" />
    </Filters>
  );
}
