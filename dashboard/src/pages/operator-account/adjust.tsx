import { type ReactNode, useState } from "react";
import type { AccountDetail, Adjustment } from "../../../../src/console/accounts/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { readAmount } from "../../format/amount.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { partsWords } from "../../parts/words.ts";
import { useWords } from "../../words/use-words.ts";
import { operatorAccountWords } from "./words.ts";

interface AdjustProps {
  readonly account: AccountDetail;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Gives an account money or takes some, with a reason. */
export function Adjust({ account, open, onClose }: AdjustProps): ReactNode {
  const t = useWords(operatorAccountWords);
  return (
    <Dialog open={open} title={`${t.adjust}: ${account.name}`} onClose={onClose}>
      <AdjustForm account={account} onClose={onClose} />
    </Dialog>
  );
}

function AdjustForm({ account, onClose }: Omit<AdjustProps, "open">): ReactNode {
  const t = useWords(operatorAccountWords);
  const parts = useWords(partsWords);
  // Of this form, so that sending it again after a response that got lost moves nothing twice.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [isDebit, setIsDebit] = useState(false);
  const [amount, setAmount] = useState("");
  const [reason, setReason] = useState("");
  const adjust = useWrite(
    (body: Adjustment) => write("POST", `/operator/accounts/${account.id}/adjustments`, body),
    ({ repeated }) => {
      toast(repeated ? t.adjustRepeated : t.adjusted);
      onClose();
    },
  );
  const fault = faultOf(adjust.error, "amount_usd");
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        // What is no amount is sent as it is, and the response says so beside the field.
        const usd = readAmount(amount) ?? amount.trim();
        adjust.mutate({
          amount_usd: isDebit ? `-${usd}` : usd,
          reason: reason.trim(),
          idempotency_key: idempotencyKey,
        });
      }}
    >
      <Field label={t.direction}>
        <Select value={String(isDebit)} onChange={(event) => setIsDebit(event.target.value === "true")}>
          <option value="false">{t.credit}</option>
          <option value="true">{t.debit}</option>
        </Select>
      </Field>
      <Field label={t.amount} hint={t.amountHint} error={fault}>
        <Input
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
          inputMode="decimal"
          autoComplete="off"
          required
          autoFocus
        />
      </Field>
      <Field label={t.reason} hint={t.reasonHint} error={faultOf(adjust.error, "reason")}>
        <Textarea
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          rows={2}
          maxLength={500}
          required
        />
      </Field>
      {isDebit && <p className="text-sm text-mute">{t.adjustWaits}</p>}
      {adjust.error !== null && fault === undefined && <Failed error={adjust.error} />}
      <DialogButtons>
        <Button onClick={onClose}>{parts.cancel}</Button>
        <Button look={isDebit ? "danger" : "primary"} type="submit" busy={adjust.isPending}>
          {t.adjust}
        </Button>
      </DialogButtons>
    </form>
  );
}

/** 128 bits; randomUUID is there on https pages only. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
