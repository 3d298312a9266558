import { type ReactNode, useState } from "react";
import type { BatchBody, NewBatch } from "../../../../src/console/codes/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { endOfDay } from "../../api/days.ts";
import { useWrite } from "../../api/use-write.ts";
import { readAmount } from "../../format/amount.ts";
import { formatCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Secret } from "../../parts/secret.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorCodesWords } from "./words.ts";

/** Makes a batch and shows its codes, only once. */
export function MakeCodes({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(operatorCodesWords);
  return (
    <Dialog open={open} title={t.make} onClose={onClose}>
      <MakeForm onClose={onClose} />
    </Dialog>
  );
}

function MakeForm({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(operatorCodesWords);
  const [amount, setAmount] = useState("");
  const [count, setCount] = useState("1");
  const [day, setDay] = useState("");
  const [note, setNote] = useState("");
  const make = useWrite((body: BatchBody) => write("POST", "/operator/code-batches", body));
  if (make.data !== undefined) return <Made made={make.data} onClose={onClose} />;
  const faults = {
    amount: faultOf(make.error, "amount_usd"),
    count: faultOf(make.error, "count"),
    expiry: faultOf(make.error, "expires_at"),
  };
  const isElsewhere = Object.values(faults).every((fault) => fault === undefined);
  return (
    <DialogForm
      submit={t.make}
      busy={make.isPending}
      error={isElsewhere ? make.error : null}
      onSubmit={() => {
        make.mutate({
          amount_usd: readAmount(amount) ?? amount.trim(),
          count: Number(count),
          note: note.trim(),
          ...(day === "" ? {} : { expires_at: endOfDay(day) }),
        });
      }}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t.amount} hint={t.amountHint} error={faults.amount}>
          <Input
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
            inputMode="decimal"
            autoComplete="off"
            required
            autoFocus
          />
        </Field>
        <Field label={t.count} hint={t.countHint} error={faults.count}>
          <Input
            type="number"
            min={1}
            max={1000}
            value={count}
            onChange={(event) => setCount(event.target.value)}
            required
          />
        </Field>
        <Field label={t.expiry} hint={t.expiryHint} error={faults.expiry}>
          <Input type="date" value={day} onChange={(event) => setDay(event.target.value)} />
        </Field>
        <Field label={t.noteLabel} hint={t.noteHint}>
          <Input value={note} onChange={(event) => setNote(event.target.value)} maxLength={500} />
        </Field>
      </div>
    </DialogForm>
  );
}

function Made({ made, onClose }: { readonly made: NewBatch; readonly onClose: () => void }): ReactNode {
  const t = useWords(operatorCodesWords);
  const total = BigInt(made.amount_nanos) * BigInt(made.plain_codes.length);
  return (
    <>
      <p>{t.total(formatCount(made.plain_codes.length), formatMoney(String(total)))}</p>
      <div className="max-h-[60dvh] overflow-y-auto">
        <Secret text={made.plain_codes.join("\n")} fileName={`codes-${made.id}.txt`} />
      </div>
      <DialogButtons>
        <Button look="primary" onClick={onClose}>
          {t.done}
        </Button>
      </DialogButtons>
    </>
  );
}
