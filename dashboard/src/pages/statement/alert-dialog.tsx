import type { ReactNode } from "react";
import type { AlertSettings } from "../../../../src/console/alerts/contract.ts";
import { ApiError, faultOf } from "../../api/api-error.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { readAmount } from "../../format/amount.ts";
import { formatMoney } from "../../format/money.ts";
import { Dialog, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input, Textarea } from "../../parts/field.tsx";
import { Meanwhile } from "../../parts/meanwhile.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { statementWords } from "./words.ts";

interface AlertDialogProps {
  readonly path: `/accounts/${string}/balance-alert`;
  readonly settings: AlertSettings | undefined;
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

function AlertForm({ path, settings, onClose }: AlertDialogProps): ReactNode {
  const t = useWords(statementWords);
  const edit = useEdit({
    shown: settings,
    draftOf: typedAlert,
    load: () => read(path),
    send: ({ threshold, url, emails }, from) => {
      const body = {
        amount_usd: readAmount(threshold) ?? threshold.trim(),
        url: url.trim() === "" ? null : url.trim(),
        emails: emails.split(/[\s,;，；]+/).filter((each) => each !== ""),
      };
      return write("PUT", path, body, from?.revision);
    },
    done: () => {
      toast(t.alertSaved);
      onClose();
    },
  });
  const { draft, change, error } = edit;
  const faults = {
    amount: faultOf(error, "amount_usd"),
    url: faultOf(error, "url"),
    emails: emailFault(error),
  };
  return (
    <DialogForm
      submit={t.save}
      busy={edit.busy}
      error={Object.values(faults).every((fault) => fault === undefined) ? error : null}
      onSubmit={edit.save}
      onClose={onClose}
    >
      <Field label={t.threshold} hint={t.thresholdHint} error={faults.amount}>
        <Input
          value={draft.threshold}
          onChange={(event) => change({ threshold: event.target.value })}
          inputMode="decimal"
          autoComplete="off"
          required
          autoFocus
        />
      </Field>
      <Field label={t.url} hint={t.urlHint} error={faults.url}>
        <Input value={draft.url} onChange={(event) => change({ url: event.target.value })} type="url" />
      </Field>
      <Field label={t.emails} hint={t.emailsHint} error={faults.emails}>
        <Textarea
          rows={2}
          spellCheck={false}
          value={draft.emails}
          onChange={(event) => change({ emails: event.target.value })}
        />
      </Field>
      <Meanwhile edit={edit} names={t} />
    </DialogForm>
  );
}

function typedAlert(settings: AlertSettings | undefined): {
  readonly threshold: string;
  readonly url: string;
  readonly emails: string;
} {
  const alert = settings?.alert ?? null;
  return alert === null
    ? { threshold: "", url: "", emails: "" }
    : {
        threshold: typedDollars(alert.threshold_nanos),
        url: alert.url ?? "",
        emails: alert.emails.join("\n"),
      };
}

/** The fault of the list, or of an address in it. */
function emailFault(error: unknown): ApiError | undefined {
  return error instanceof ApiError && /^emails\b/.test(error.param) ? error : undefined;
}

/** As one types it: "1234.50". */
function typedDollars(nanos: string): string {
  return formatMoney(nanos).replace(/[$,]/g, "");
}
