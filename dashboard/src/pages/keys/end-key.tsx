import { type ReactNode, useState } from "react";
import type { KeyRotation, KeyRow } from "../../../../src/console/keys/contract.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatCount } from "../../format/count.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog, Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { Secret } from "../../parts/secret.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { keysWords } from "./words.ts";

interface KeyDialog {
  readonly account: string;
  readonly row: KeyRow;
  readonly onClose: () => void;
}

const GRACES = ["0", "60", "1440", "10080"] as const;

/** Gives a key a new secret; what happens to the old one is chosen, not guessed. */
export function RotateKey({ account, row, onClose }: KeyDialog): ReactNode {
  const t = useWords(keysWords);
  const [grace, setGrace] = useState<(typeof GRACES)[number]>("1440");
  const rotate = useWrite((body: KeyRotation) =>
    write("POST", `/accounts/${account}/keys/${row.id}/rotation`, body),
  );
  return (
    <Dialog open title={t.rotateTitle(row.name)} onClose={onClose}>
      {rotate.data === undefined ? (
        <>
          <p>{t.rotateWhat}</p>
          <Field label={t.grace}>
            <Select value={grace} onChange={(event) => setGrace(event.target.value as typeof grace)}>
              {GRACES.map((minutes) => (
                <option key={minutes} value={minutes}>
                  {t.graces[minutes]}
                </option>
              ))}
            </Select>
          </Field>
          {rotate.error && <Failed error={rotate.error} />}
          <DialogButtons>
            <Button
              look="primary"
              busy={rotate.isPending}
              onClick={() => rotate.mutate({ grace_minutes: Number(grace) })}
            >
              {t.rotateNow}
            </Button>
          </DialogButtons>
        </>
      ) : (
        <>
          <Secret text={rotate.data.secret} fileName={`${row.name}.txt`} />
          <DialogButtons>
            <Button look="primary" onClick={onClose}>
              {t.done}
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  );
}

/** Revokes a key, after saying what will fail without it. */
export function RevokeKey({ account, row, onClose }: KeyDialog): ReactNode {
  const t = useWords(keysWords);
  const path = `/accounts/${account}/keys/${row.id}` as const;
  const detail = useRead(path);
  const revoke = useWrite(
    () => write("DELETE", path),
    () => {
      toast(t.revokeDone(row.name));
      onClose();
    },
  );
  const used = detail.data?.requests_last_hour;
  return (
    <ConfirmDialog
      open
      title={t.revokeTitle(row.name)}
      breaks={[
        t.revokeBreaks,
        ...(used === undefined ? [] : [used === 0 ? t.revokeIdle : t.revokeHour(formatCount(used))]),
        t.revokeKeeps,
      ]}
      confirm={t.revoke}
      busy={revoke.isPending || detail.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(undefined)}
      onClose={onClose}
    />
  );
}
