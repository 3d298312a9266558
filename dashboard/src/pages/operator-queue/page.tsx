import type { ReactNode } from "react";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Rows, Table } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { StateBadge } from "../tasks/task-state.tsx";
import { useQueueColumns } from "./columns.tsx";
import { Counts } from "./counts.tsx";
import { queueWords } from "./words.ts";

/** Often enough to see a queue move, and cheap: the index holds nothing but what is not over. */
const INTERVAL_MS = 5_000;

/** What is being made for all accounts, and what does not come to its end. */
export function OperatorQueuePage(): ReactNode {
  const t = useWords(queueWords);
  const [search] = useSearch();
  const { trouble, model, account } = search;
  const list = useList("/operator/queue", { trouble, model, account }, { everyMs: INTERVAL_MS });
  const counts = useRead("/operator/queue/counts", {}, { everyMs: INTERVAL_MS });
  const columns = useQueueColumns();
  const filtered = [trouble, model, account].some(Boolean);
  return (
    <Page title={t.title} lead={t.lead}>
      <Loaded query={counts}>{(found) => <Counts counts={found} />}</Loaded>
      <Filters names={["trouble", "model", "account"]}>
        <SelectFilter
          name="trouble"
          label={t.trouble}
          all={t.anyTrouble}
          options={[
            ["overdue", t.troubles.overdue],
            ["stuck", t.troubles.stuck],
            ["ambiguous", t.troubles.ambiguous],
          ]}
        />
        <SearchFilter name="model" label={t.model} />
      </Filters>
      <Table
        caption={t.title}
        list={list}
        rowKey={({ id }) => id}
        columns={columns}
        empty={filtered ? <Empty title={t.noMatch} /> : <Empty title={t.none}>{t.noneNote}</Empty>}
      />
      {counts.data !== undefined && counts.data.by_model.length > 0 && (
        <Section title={t.byModel}>
          <Rows
            caption={t.byModel}
            rows={counts.data.by_model}
            rowKey={({ model: name, state }) => `${name} ${state}`}
            columns={[
              { title: t.model, cell: ({ model: name }) => name },
              { title: t.state, cell: ({ state }) => <StateBadge state={state} /> },
              { title: t.count, align: "end", cell: ({ open }) => open },
            ]}
          />
        </Section>
      )}
    </Page>
  );
}
