import { type ReactNode, useState } from "react";
import type { CredentialTest, Upstream } from "../../../../src/console/upstreams/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatDuration } from "../../format/duration.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Said } from "../../parts/failure.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Rows } from "../../parts/table.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { useTest } from "../operator-upstreams/use-test.ts";
import { Condition } from "./condition.tsx";
import { type Credential, RemoveCredential, WriteCredential } from "./credential-dialogs.tsx";
import { upstreamWords } from "./words.ts";

/** What is being done to which credential, in a dialog. */
type Doing =
  | { readonly what: "add" }
  | { readonly what: "replace" | "remove"; readonly credential: Credential };

/** The upstream's credentials: tested, switched, replaced, and never shown. */
export function Credentials({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const t = useWords(upstreamWords);
  const [doing, setDoing] = useState<Doing>();
  const onClose = () => setDoing(undefined);
  const add = (
    <Reserved to="all">
      <Button icon="plus" onClick={() => setDoing({ what: "add" })}>
        {t.addCredential}
      </Button>
    </Reserved>
  );
  return (
    <>
      {upstream.credentials.length === 0 ? (
        <Empty title={t.noCredentials} action={add}>
          <p>{t.noCredentialsNote}</p>
          <TestButton upstream={upstream} credential={{ id: "none", name: "" }} />
        </Empty>
      ) : (
        <>
          <Table upstream={upstream} act={setDoing} />
          <div>{add}</div>
        </>
      )}
      {doing?.what === "add" && <WriteCredential upstream={upstream} onClose={onClose} />}
      {doing?.what === "replace" && (
        <WriteCredential upstream={upstream} onClose={onClose} credential={doing.credential} />
      )}
      {doing?.what === "remove" && (
        <RemoveCredential upstream={upstream} onClose={onClose} credential={doing.credential} />
      )}
    </>
  );
}

interface TableProps {
  readonly upstream: Upstream;
  readonly act: (doing: Doing) => void;
}

function Table({ upstream, act }: TableProps): ReactNode {
  const t = useWords(upstreamWords);
  return (
    <Rows
      caption={t.credentials}
      rows={upstream.credentials}
      rowKey={({ id }) => id}
      columns={[
        { title: t.credentialName, cell: ({ name }) => <span className="font-medium">{name}</span> },
        {
          title: t.hint,
          cell: ({ hint }) => <code className="font-mono">{hint || "–"}</code>,
          wideOnly: true,
        },
        {
          title: t.reference,
          cell: ({ reference }) =>
            reference === null ? (
              <span className="text-mute">{t.inPage}</span>
            ) : (
              <code className="font-mono text-sm break-all">{reference}</code>
            ),
          wideOnly: true,
        },
        { title: t.state, cell: (credential) => <State credential={credential} /> },
        { title: t.test, cell: (credential) => <TestButton upstream={upstream} credential={credential} /> },
        {
          title: <span className="sr-only">{t.actions}</span>,
          align: "end",
          cell: (credential) => (
            <Reserved to="all">
              <Actions upstream={upstream} credential={credential} act={act} />
            </Reserved>
          ),
        },
      ]}
    />
  );
}

function State({ credential: { enabled, troubles } }: { readonly credential: Credential }): ReactNode {
  const t = useWords(upstreamWords);
  if (!enabled) return <Badge>{t.off}</Badge>;
  if (troubles.length === 0) return <Condition state="ready" waitSeconds={0} closedAccounts={0} />;
  return (
    <ul className="flex flex-col gap-1">
      {troubles.map(({ model, state, wait_seconds, closed_accounts }) => (
        <li key={model}>
          <span className="break-all">{model}</span>{" "}
          <Condition state={state} waitSeconds={wait_seconds} closedAccounts={closed_accounts} />
        </li>
      ))}
    </ul>
  );
}

interface TestButtonProps {
  readonly upstream: Upstream;
  readonly credential: { readonly id: string; readonly name: string };
}

function TestButton({ upstream, credential }: TestButtonProps): ReactNode {
  const t = useWords(upstreamWords);
  const test = useTest();
  return (
    <div className="flex max-w-72 min-w-24 flex-col items-start gap-1">
      <Reserved to="all">
        <Button busy={test.isPending} onClick={() => test.mutate({ upstream, credential })}>
          {t.test}
        </Button>
      </Reserved>
      <div role="status" className="flex flex-col items-start gap-1 text-sm">
        {test.data && <Result result={test.data} at={test.submittedAt} />}
        {test.error && (
          <span className="text-bad">
            <Said error={test.error} />
          </span>
        )}
      </div>
    </div>
  );
}

interface ResultProps {
  readonly result: CredentialTest;
  /** When it was tested, in milliseconds since 1970. */
  readonly at: number;
}

/** It stays until the next test, so it says when it was. */
function Result({ result: { ok, latency_ms, message }, at }: ResultProps): ReactNode {
  const t = useWords(upstreamWords);
  const language = useLanguage();
  return (
    <>
      <span>
        <Badge tone={ok ? "good" : "bad"}>{ok ? t.testPassed : t.testFailed}</Badge>{" "}
        <span className="text-mute">
          {formatDuration(latency_ms, language)} · <Time at={new Date(at).toISOString()} exact />
        </span>
      </span>
      {!ok && <span className="text-bad">{message}</span>}
    </>
  );
}

function Actions({ upstream, credential, act }: TableProps & { readonly credential: Credential }): ReactNode {
  const t = useWords(upstreamWords);
  const set = useWrite((enabled: boolean) =>
    write("PATCH", `/operator/upstreams/${upstream.id}/credentials/${credential.id}`, { enabled }),
  );
  return (
    <Menu
      items={[
        { title: t.replace, onSelect: () => act({ what: "replace", credential }) },
        {
          title: credential.enabled ? t.switchOff : t.switchOn,
          onSelect: () => set.mutate(!credential.enabled),
        },
        { title: t.remove, onSelect: () => act({ what: "remove", credential }), danger: true },
      ]}
    >
      <IconButton icon="more" label={`${t.more}: ${credential.name}`} />
    </Menu>
  );
}
