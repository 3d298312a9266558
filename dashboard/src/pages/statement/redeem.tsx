import { type ReactNode, useState } from "react";
import type { Redemption } from "../../../../src/console/codes/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Money } from "../../parts/amounts.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { useWords } from "../../words/use-words.ts";
import { statementWords } from "./words.ts";

/** The dialog in which a code becomes balance. Sending it again is safe: it is credited once. */
export function Redeem({
  account,
  open,
  onClose,
}: {
  readonly account: string;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(statementWords);
  return (
    <Dialog open={open} title={t.redeem} onClose={onClose}>
      <RedeemForm account={account} onClose={onClose} />
    </Dialog>
  );
}

function RedeemForm({
  account,
  onClose,
}: {
  readonly account: string;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(statementWords);
  const [code, setCode] = useState("");
  const redeem = useWrite((typed: string) =>
    write("POST", `/accounts/${account}/redemptions`, { code: typed }),
  );
  if (redeem.data !== undefined) return <Redeemed done={redeem.data} onClose={onClose} />;
  const fault = faultOf(redeem.error, "code");
  return (
    <DialogForm
      submit={t.redeem}
      busy={redeem.isPending}
      error={fault === undefined ? redeem.error : null}
      onSubmit={() => {
        redeem.mutate(code);
      }}
      onClose={onClose}
    >
      <Field label={t.codeLabel} hint={t.codeHint} error={fault}>
        <Input
          value={code}
          onChange={(event) => setCode(event.target.value)}
          placeholder="FG-XXXX-XXXX-XXXX-XXXX"
          className="font-mono uppercase"
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          required
          autoFocus
        />
      </Field>
    </DialogForm>
  );
}

function Redeemed({ done, onClose }: { readonly done: Redemption; readonly onClose: () => void }): ReactNode {
  const t = useWords(statementWords);
  return (
    <div role="status" className="flex flex-col gap-4">
      {done.repeated && <p>{t.repeated}</p>}
      <Stats>
        <Stat label={t.redeemed}>
          <Money nanos={done.repeated ? "0" : done.credited_nanos} signed />
        </Stat>
        <Stat label={t.nowAvailable}>
          <Money nanos={done.available_nanos} />
        </Stat>
      </Stats>
      <DialogButtons>
        <Button look="primary" onClick={onClose} autoFocus>
          {t.done}
        </Button>
      </DialogButtons>
    </div>
  );
}
