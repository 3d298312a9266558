import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Route } from "../../../../src/console/routing/contract.ts";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { useSearch } from "../../api/search.ts";
import { useRead } from "../../api/use-read.ts";
import { formatShare } from "../../format/count.ts";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Rows } from "../../parts/table.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { Limited } from "../operator-upstreams/health.tsx";
import { useCredentialName } from "../operator-upstreams/use-credential-name.ts";
import { Condition } from "./condition.tsx";
import { upstreamWords } from "./words.ts";

/** Whom a request for one of the upstream's models would ask, in which order. */
export function RouteView({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const t = useWords(upstreamWords);
  const endpointName = useEndpointName();
  const [search, change] = useSearch();
  const models = Object.keys(upstream.models);
  const { data: groups } = useRead("/operator/groups");
  const model = search["model"] ?? models[0] ?? "";
  const group = search["group"] ?? "default";
  const { endpoint } = search;
  const route = useRead(
    "/operator/routing",
    { model, group, endpoint },
    { everyMs: 5_000, enabled: model !== "" },
  );
  if (models.length === 0) return <Empty title={t.noModels} />;
  const choices = [
    ["model", t.routeModel, model, models],
    ["group", t.routeGroup, group, groups?.data.map(({ name }) => name) ?? [group]],
    ["endpoint", t.routeEndpoint, route.data?.endpoint ?? "", route.data?.endpoints ?? []],
  ] as const;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-mute">{t.routeLead}</p>
      <div className="grid max-w-3xl gap-4 sm:grid-cols-3">
        {choices.map(([name, label, value, options]) => (
          <Field key={name} label={label}>
            <Select
              value={value}
              onChange={(event) => change({ endpoint: undefined, [name]: event.target.value })}
            >
              {options.map((option) => (
                <option key={option} value={option}>
                  {name === "endpoint" ? endpointName(option) : option}
                </option>
              ))}
            </Select>
          </Field>
        ))}
      </div>
      <Loaded query={route}>{(found) => <Targets route={found} />}</Loaded>
    </div>
  );
}

type Target = Route["targets"][number];

function Targets({ route }: { readonly route: Route }): ReactNode {
  const t = useWords(upstreamWords);
  const { sampled, seen_once } = route.conversations;
  if (route.refusal !== null) return <Empty title={route.refusal} />;
  return (
    <>
      <Rows
        caption={t.route}
        rows={route.targets}
        rowKey={({ upstream }) => upstream.id}
        columns={[
          { title: t.tier, cell: ({ tier }) => tier },
          {
            title: t.theirs,
            cell: ({ upstream, model }) => (
              <>
                <Link
                  to={`/operator/upstreams/${upstream.id}`}
                  className="font-medium text-accent break-all hover:underline"
                >
                  {upstream.name}
                </Link>
                <p className="text-sm break-all text-mute">{model}</p>
              </>
            ),
          },
          { title: t.priority, align: "end", cell: ({ priority }) => priority, wideOnly: true },
          { title: t.share, align: "end", cell: ({ share }) => formatShare(share) },
          { title: t.asked, cell: (target) => <Asked target={target} />, wideOnly: true },
          { title: t.credentials, cell: (target) => <Conditions target={target} /> },
        ]}
      />
      {sampled > 0 && (
        <p className="text-sm text-mute">{t.seenOnce(formatShare(seen_once / sampled), sampled)}</p>
      )}
      <p className="text-sm text-mute">{t.routeProcess(route.process)}</p>
    </>
  );
}

function Asked({ target: { protocol, translates, changes } }: { readonly target: Target }): ReactNode {
  const t = useWords(upstreamWords);
  const endpointName = useEndpointName();
  return (
    <>
      {protocol === null ? t.taskApi : endpointName(protocol)}
      {protocol !== null && <span className="text-mute"> · {translates ? t.translates : t.forwards}</span>}
      {changes.length > 0 && <p className="text-sm break-all text-mute">{t.changes(changes.join(", "))}</p>}
    </>
  );
}

function Conditions({
  target: { credentials, full, limited_seconds },
}: {
  readonly target: Target;
}): ReactNode {
  const t = useWords(upstreamWords);
  const credentialName = useCredentialName();
  return (
    <ul className="flex flex-col gap-1">
      {full && (
        <li>
          <Badge tone="warn">{t.full}</Badge>
        </li>
      )}
      {limited_seconds > 0 && (
        <li>
          <Limited seconds={limited_seconds} />
        </li>
      )}
      {credentials.map(({ id, name, state, wait_seconds, closed_accounts }) => (
        <li key={id}>
          {credentialName(name)}{" "}
          <Condition state={state} waitSeconds={wait_seconds} closedAccounts={closed_accounts} />
        </li>
      ))}
    </ul>
  );
}
