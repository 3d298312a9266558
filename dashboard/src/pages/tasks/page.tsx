import type { ReactNode } from "react";
import type { TaskSummary } from "../../../../src/console/tasks/contract.ts";
import { momentOfDay } from "../../api/days.ts";
import { type Search, useSearch } from "../../api/search.ts";
import { useAccount } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { Badge } from "../../parts/badge.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Paging } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { TaskCard } from "./task-card.tsx";
import { isOver } from "./task-state.tsx";
import { useLiveTasks, withLive } from "./use-live-tasks.ts";
import { tasksWords } from "./words.ts";

const FILTERS = ["medium", "state", "model", "key", "from", "to"];
/** Four rows on a wide screen. */
const CARDS = 24;

/** A gallery of the account's images and videos, with what runs moving as it does. */
export function TasksPage(): ReactNode {
  const t = useWords(tasksWords);
  const { id: account, role } = useAccount();
  const [search] = useSearch();
  const list = useList(`/accounts/${account}/tasks`, { limit: CARDS, ...queryOf(search) });
  const [live, liveness] = useLiveTasks(account);
  const make = `/accounts/${account}/playground`;
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <Badge tone={liveness === "lost" ? "warn" : "good"}>
            {liveness === "lost" ? t.notLive : t.live}
          </Badge>
          {role !== "viewer" && (
            <ButtonLink look="primary" icon="plus" to={make} search={{ make: "image" }}>
              {t.make}
            </ButtonLink>
          )}
        </>
      }
    >
      <Filters names={FILTERS}>
        <SelectFilter
          name="medium"
          label={t.medium}
          all={t.anyMedium}
          options={[
            ["image", t.image],
            ["video", t.video],
          ]}
        />
        <SelectFilter
          name="state"
          label={t.state}
          all={t.anyState}
          options={[
            ["open", t.open],
            ["SUCCESS", t.succeeded],
            ["FAILURE", t.failed],
          ]}
        />
        <SearchFilter name="model" label={t.model} />
        <SearchFilter name="from" label={t.from} type="date" />
        <SearchFilter name="to" label={t.to} type="date" />
      </Filters>
      <Loaded query={list.query} skeleton={<GallerySkeleton />}>
        {({ data, next }) => {
          const isFirst = search["after"] === undefined;
          const tasks = withLive(data, live, (task) => isFirst && passes(task, search));
          return (
            <div className={list.query.isPlaceholderData ? "opacity-60" : ""}>
              {tasks.length === 0 ? (
                <Nothing filtered={FILTERS.some((name) => search[name])} more={next !== null} />
              ) : (
                <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
                  {tasks.map((task) => (
                    <TaskCard key={task.id} account={account} task={task} />
                  ))}
                </div>
              )}
              <Paging cursor={list.cursor} next={next} />
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Nothing({ filtered, more }: { readonly filtered: boolean; readonly more: boolean }): ReactNode {
  const t = useWords(tasksWords);
  if (filtered) return <Empty title={t.noMatch}>{more && t.noMatchYet}</Empty>;
  return <Empty title={t.none}>{t.noneHow}</Empty>;
}

function GallerySkeleton(): ReactNode {
  return (
    <div role="status" className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
      {Array.from({ length: 6 }, (_, card) => (
        <div key={card} className="aspect-[4/3] animate-pulse rounded-md bg-shade" />
      ))}
    </div>
  );
}

/** The filters as the API wants them: days are whole, in UTC, the last one included. */
function queryOf({ medium, state, model, key, from, to }: Search) {
  return { medium, state, model, key, from: momentOfDay(from), to: momentOfDay(to, 1) };
}

/** Whether a task that is new belongs among the filtered ones; who looks at past days sees none come. */
function passes(task: TaskSummary, { medium, state, model, key, to }: Search): boolean {
  const stateFits = !state || (state === "open" ? !isOver(task) : task.state === state);
  return (
    stateFits &&
    (!medium || task.medium === medium) &&
    (!model || task.model === model) &&
    (!key || task.key.id === key) &&
    !to
  );
}
