import { type ReactNode, useState } from "react";
import type { AccountDetail } from "../../../../src/console/accounts/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatCount } from "../../format/count.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorAccountWords } from "./words.ts";

/** Suspends an account, saying what breaks, or lets it go on. */
export function Suspension({ account }: { readonly account: AccountDetail }): ReactNode {
  const t = useWords(operatorAccountWords);
  const [asking, setAsking] = useState(false);
  const change = useWrite(
    (disabled: boolean) => write("PATCH", `/operator/accounts/${account.id}`, { disabled }),
    ({ disabled }) => {
      setAsking(false);
      toast(disabled ? t.suspendDone : t.resumed);
    },
  );
  if (account.disabled) {
    return (
      <Button busy={change.isPending} onClick={() => change.mutate(false)}>
        {t.resume}
      </Button>
    );
  }
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {t.suspend}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t.suspendOf(account.name)}
        breaks={[
          t.suspendKeys(account.keys),
          t.suspendLately(formatCount(account.requests_last_hour)),
          t.suspendStays,
        ]}
        confirm={t.suspend}
        busy={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate(true)}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
