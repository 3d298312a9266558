import { type ReactNode, useState } from "react";
import type { AlertBody, AlertSettings } from "../../../../src/console/alerts/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatMoney } from "../../format/money.ts";
import { Dialog, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { statementWords } from "./words.ts";

interface AlertDialogProps {
  readonly path: string;
  readonly alert: AlertSettings["alert"];
  readonly open: boolean;
  readonly onClose: () => void;
}

/** From when on, and where to. */
export function AlertDialog(props: AlertDialogProps): ReactNode {
  const t = useWords(statementWords);
  return (
    <Dialog open={props.open} title={t.alertTitle} onClose={props.onClose}>
      <AlertForm {...props} />
    </Dialog>
  );
}

function AlertForm({ path, alert, onClose }: AlertDialogProps): ReactNode {
  const t = useWords(statementWords);
  const [threshold, setThreshold] = useState(alert === null ? "" : typedDollars(alert.threshold_nanos));
  const [url, setUrl] = useState(alert?.url ?? "");
  const save = useWrite(
    (body: AlertBody) => write<AlertSettings>("PUT", path, body),
    () => {
      toast(t.alertSaved);
      onClose();
    },
  );
  const faults = { amount: faultOf(save.error, "amount_usd"), url: faultOf(save.error, "url") };
  return (
    <DialogForm
      submit={t.save}
      busy={save.isPending}
      error={faults.amount === undefined && faults.url === undefined ? save.error : null}
      onSubmit={() => {
        save.mutate({ amount_usd: threshold.trim(), url: url.trim() });
      }}
      onClose={onClose}
    >
      <Field label={t.threshold} hint={t.thresholdHint} error={faults.amount}>
        <Input
          value={threshold}
          onChange={(event) => setThreshold(event.target.value)}
          inputMode="decimal"
          autoComplete="off"
          required
          autoFocus
        />
      </Field>
      <Field label={t.url} hint={t.urlHint} error={faults.url}>
        <Input value={url} onChange={(event) => setUrl(event.target.value)} type="url" required />
      </Field>
    </DialogForm>
  );
}

/** As one types it: "1234.50". */
function typedDollars(nanos: string): string {
  return formatMoney(nanos).replace(/[$,]/g, "");
}
