import { type ReactNode, useState } from "react";
import type { AlertSettings } from "../../../../src/console/alerts/contract.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Money } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/page.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { AlertDialog } from "./alert-dialog.tsx";
import { Deliveries } from "./deliveries.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { statementWords } from "./words.ts";

/** Deliveries that are under way show their attempts. */
const DELIVERIES_EVERY_MS = 5_000;

/** Who is told when the money runs out, and what became of it. */
export function Alert({ account }: { readonly account: string }): ReactNode {
  const t = useWords(statementWords);
  const [editing, setEditing] = useState(false);
  const path = `/accounts/${account}/balance-alert` as const;
  const query = useRead(path, {}, { everyMs: DELIVERIES_EVERY_MS });
  const alert = query.data?.alert ?? null;
  return (
    <Section
      title={t.alertTitle}
      actions={
        query.data !== undefined && (
          <Button onClick={() => setEditing(true)}>{alert === null ? t.alertSet : t.alertEdit}</Button>
        )
      }
    >
      <Loaded query={query}>{(settings) => <Settings path={path} account={account} {...settings} />}</Loaded>
      <AlertDialog path={path} settings={query.data} open={editing} onClose={() => setEditing(false)} />
    </Section>
  );
}

function Settings({
  path,
  account,
  alert,
  deliveries,
}: AlertSettings & {
  readonly path: `/accounts/${string}/balance-alert`;
  readonly account: string;
}): ReactNode {
  const t = useWords(statementWords);
  const test = useWrite(
    () => write("POST", `${path}/test`, {}),
    () => toast(t.tested),
  );
  return (
    <>
      {alert === null ? (
        <p className="text-mute">{t.alertNone}</p>
      ) : (
        <>
          <p>
            {t.alertRule} <Money nanos={alert.threshold_nanos} />{" "}
            <code className="font-mono text-sm break-all">
              {[alert.url, ...alert.emails].filter((each) => each !== null).join(", ")}
            </code>{" "}
            <Badge tone={alert.below ? "warn" : "good"}>{alert.below ? t.alertBelow : t.alertArmed}</Badge>
          </p>
          <div className="flex flex-wrap gap-2">
            <Button busy={test.isPending} onClick={() => test.mutate(undefined)}>
              {t.test}
            </Button>
            <SigningSecret account={account} />
            <RemoveAlert path={path} />
          </div>
        </>
      )}
      {test.error !== null && <Failed error={test.error} />}
      {(alert !== null || deliveries.length > 0) && <Deliveries deliveries={deliveries} />}
    </>
  );
}

function RemoveAlert({ path }: { readonly path: `/accounts/${string}/balance-alert` }): ReactNode {
  const t = useWords(statementWords);
  const [asking, setAsking] = useState(false);
  const remove = useWrite(
    () => write("DELETE", path),
    () => {
      setAsking(false);
      toast(t.alertRemoved);
    },
  );
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {t.alertRemove}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t.alertRemoveTitle}
        breaks={[t.alertRemoveBreaks]}
        confirm={t.alertRemove}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(undefined)}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
