import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Upstream, Upstreams } from "../../../../src/console/upstreams/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useRead } from "../../api/use-read.ts";
import { formatShare } from "../../format/count.ts";
import { Count, Duration, Money } from "../../parts/amounts.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Filters, SearchFilter, SelectFilter } from "../../parts/filters.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { type Column, ManyRows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { CreateUpstream } from "./create.tsx";
import { DisableDialog, servedOnlyBy, useSetState } from "./disable.tsx";
import { Health } from "./health.tsx";
import { useTestAll } from "./use-test.ts";
import { upstreamsWords } from "./words.ts";

const INTERVAL_MS = 5_000;

/** Who makes the responses, and who of them is well. */
export function OperatorUpstreamsPage(): ReactNode {
  const t = useWords(upstreamsWords);
  const [creating, setCreating] = useState(false);
  const query = useRead("/operator/upstreams", {}, { everyMs: INTERVAL_MS });
  const add = (
    <Reserved to="all">
      <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
        {t.add}
      </Button>
    </Reserved>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={add}>
      <Filters names={["q", "state"]}>
        <SearchFilter name="q" label={t.search} />
        <SelectFilter name="state" label={t.state} all={t.anyState} options={Object.entries(t.states)} />
      </Filters>
      <Loaded query={query}>{(found) => <List found={found} add={add} />}</Loaded>
      {creating && <CreateUpstream onClose={() => setCreating(false)} />}
    </Page>
  );
}

function List({ found, add }: { readonly found: Upstreams; readonly add: ReactNode }): ReactNode {
  const t = useWords(upstreamsWords);
  const [{ q = "", state }] = useSearch();
  const [disabling, setDisabling] = useState<Upstream>();
  const { testAll } = useTestAll();
  const columns = useColumns((upstream) => (
    <Reserved to="all">
      <Actions upstream={upstream} testAll={testAll} setDisabling={setDisabling} />
    </Reserved>
  ));
  if (found.data.length === 0)
    return (
      <Empty title={t.none} action={add}>
        {t.noneNote}
      </Empty>
    );
  const shown = found.data.filter(
    (each) =>
      (state === undefined || each.health.state === state) &&
      `${each.name} ${each.kind} ${each.base_url}`.toLowerCase().includes(q.toLowerCase()),
  );
  return (
    <>
      {shown.length === 0 ? (
        <Empty title={t.noMatch} />
      ) : (
        <ManyRows caption={t.title} rows={shown} rowKey={({ id }) => id} columns={columns} />
      )}
      <p className="max-w-prose text-sm text-mute">{t.perProcess(found.process)}</p>
      {disabling && (
        <DisableDialog
          upstream={disabling}
          only={servedOnlyBy(disabling, found.data)}
          onClose={() => setDisabling(undefined)}
        />
      )}
    </>
  );
}

interface ActionsProps {
  readonly upstream: Upstream;
  readonly testAll: (upstream: Upstream) => Promise<void>;
  readonly setDisabling: (upstream: Upstream) => void;
}

function Actions({ upstream, testAll, setDisabling }: ActionsProps): ReactNode {
  const t = useWords(upstreamsWords);
  const set = useSetState();
  return (
    <Menu
      items={[
        { title: t.test, onSelect: () => void testAll(upstream) },
        upstream.enabled
          ? { title: t.disable, onSelect: () => setDisabling(upstream), danger: true }
          : { title: t.enable, onSelect: () => set.mutate({ id: upstream.id, enabled: true }) },
      ]}
    >
      <IconButton icon="more" label={`${t.more}: ${upstream.name}`} />
    </Menu>
  );
}

function useColumns(actions: (upstream: Upstream) => ReactNode): readonly Column<Upstream>[] {
  const t = useWords(upstreamsWords);
  return [
    { title: t.name, cell: (upstream) => <Name upstream={upstream} /> },
    { title: t.state, cell: ({ health }) => <Health health={health} /> },
    {
      title: <span title={t.runningNote}>{t.running}</span>,
      align: "end",
      wideOnly: true,
      cell: ({ health, limits }) => (
        <span className="whitespace-nowrap">
          <Count value={health.running} />
          <span className="text-mute">
            {" / "}
            <Count value={limits.concurrency ?? 0} />
          </span>
        </span>
      ),
    },
    { title: t.priority, align: "end", wideOnly: true, cell: ({ priority }) => priority },
    {
      title: t.hourRequests,
      align: "end",
      cell: ({ hour }) => <Count value={hour.requests} />,
      wideOnly: true,
    },
    { title: t.errors, align: "end", cell: ({ hour }) => <Errors hour={hour} /> },
    {
      title: t.firstByte,
      align: "end",
      cell: ({ hour }) => <Duration ms={hour.first_byte_p50_ms} />,
      wideOnly: true,
    },
    {
      title: t.charged,
      align: "end",
      cell: ({ hour }) => <Money nanos={hour.charge_nanos} />,
      wideOnly: true,
    },
    { title: <span className="sr-only">{t.more}</span>, align: "end", cell: actions },
  ];
}

function Name({ upstream: { id, name, kind, base_url } }: { readonly upstream: Upstream }): ReactNode {
  return (
    <div className="min-w-0">
      <Link to={`/operator/upstreams/${id}`} className="font-medium text-accent break-all hover:underline">
        {name}
      </Link>
      <p className="text-sm break-all text-mute">
        {kind} · {base_url}
      </p>
    </div>
  );
}

function Errors({ hour: { requests, errors } }: { readonly hour: Upstream["hour"] }): ReactNode {
  if (requests === 0) return <span className="text-mute">–</span>;
  return <span className={errors > 0 ? "text-bad" : "text-mute"}>{formatShare(errors / requests)}</span>;
}
