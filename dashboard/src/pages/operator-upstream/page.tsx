import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { DisableDialog, servedOnlyBy, useSetState } from "../operator-upstreams/disable.tsx";
import { Health } from "../operator-upstreams/health.tsx";
import { useTestAll } from "../operator-upstreams/use-test.ts";
import { upstreamsWords } from "../operator-upstreams/words.ts";
import { Credentials } from "./credentials.tsx";
import { OfferedModelsView } from "./offered-models.tsx";
import { Overview } from "./overview.tsx";
import { RouteView } from "./route.tsx";
import { Terms } from "./terms.tsx";
import { upstreamWords } from "./words.ts";

const INTERVAL_MS = 5_000;

/** One upstream: how it does, its credentials, what is declared of it, who is asked before it. */
export function OperatorUpstreamPage(): ReactNode {
  const { upstream: id = "" } = useParams({ strict: false }) as { upstream?: string };
  const query = useRead(`/operator/upstreams/${id}`, {}, { everyMs: INTERVAL_MS });
  return <Loaded query={query}>{(upstream) => <Shown key={upstream.id} upstream={upstream} />}</Loaded>;
}

function Shown({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const t = useWords(upstreamWords);
  const tab = useTab(["overview", "credentials", "models", "terms", "route"]);
  const lead = (
    <>
      <Health health={upstream.health} /> {upstream.kind} ·{" "}
      <span className="break-all">{upstream.base_url}</span>
    </>
  );
  const actions = (
    <Reserved to="all">
      <Actions upstream={upstream} />
    </Reserved>
  );
  return (
    <Page title={upstream.name} lead={lead} actions={actions}>
      <Tabs
        label={t.views}
        tabs={[
          ["overview", t.overview],
          ["credentials", t.credentials],
          ["models", t.models],
          ["terms", t.terms],
          ["route", t.route],
        ]}
      />
      {tab === "overview" && <Overview upstream={upstream} />}
      {tab === "credentials" && <Credentials upstream={upstream} />}
      {tab === "models" && <OfferedModelsView upstream={upstream} />}
      {tab === "terms" && <Terms upstream={upstream} />}
      {tab === "route" && <RouteView upstream={upstream} />}
    </Page>
  );
}

function Actions({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const t = useWords(upstreamWords);
  const u = useWords(upstreamsWords);
  const [asking, setAsking] = useState<"disable" | "delete">();
  const all = useRead("/operator/upstreams");
  const { testAll, isPending } = useTestAll();
  const set = useSetState();
  const onClose = () => setAsking(undefined);
  return (
    <>
      <Button busy={isPending} onClick={() => void testAll(upstream)}>
        {u.test}
      </Button>
      {upstream.enabled ? (
        <Button onClick={() => setAsking("disable")}>{u.disable}</Button>
      ) : (
        <Button busy={set.isPending} onClick={() => set.mutate({ id: upstream.id, enabled: true })}>
          {u.enable}
        </Button>
      )}
      <Button look="danger" onClick={() => setAsking("delete")}>
        {t.delete}
      </Button>
      {asking === "disable" && (
        <DisableDialog
          upstream={upstream}
          only={servedOnlyBy(upstream, all.data?.data ?? [upstream])}
          onClose={onClose}
        />
      )}
      {asking === "delete" && <DeleteDialog upstream={upstream} onClose={onClose} />}
    </>
  );
}

function DeleteDialog({
  upstream,
  onClose,
}: {
  readonly upstream: Upstream;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(upstreamWords);
  const u = useWords(upstreamsWords);
  const navigate = useNavigate();
  const remove = useWrite(
    () => write("DELETE", `/operator/upstreams/${upstream.id}`),
    () => {
      toast(t.deleted(upstream.name));
      void navigate({ to: "/operator/upstreams" });
    },
  );
  const models = Object.keys(upstream.models);
  return (
    <ConfirmDialog
      open
      title={t.deleteTitle(upstream.name)}
      breaks={[
        ...(models.length > 0 ? [t.deleteModels(models.join(", "))] : []),
        ...(upstream.hour.requests > 0 ? [u.disableHour(String(upstream.hour.requests))] : []),
        ...(upstream.credentials.length > 0 ? [t.deleteCredentials] : []),
        t.deleteTasks,
      ]}
      confirm={t.delete}
      typed={upstream.name}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    />
  );
}
