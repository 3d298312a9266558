import { type ReactNode, useState } from "react";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { useWords } from "../../words/use-words.ts";
import { statementWords } from "./words.ts";

/** What deliveries are signed with, on request; asking leaves a trace in the audit log. */
export function SigningSecret({ account }: { readonly account: string }): ReactNode {
  const t = useWords(statementWords);
  const [open, setOpen] = useState(false);
  const path = `/accounts/${account}/webhook-secret` as const;
  const show = useWrite(() => write("POST", path, {}));
  const rotate = useWrite(() => write("POST", `${path}/rotate`, {}));
  const error = rotate.error ?? show.error;
  const secret = (rotate.data ?? show.data)?.secret;
  return (
    <>
      <Button
        busy={show.isPending}
        onClick={() => {
          setOpen(true);
          show.mutate(undefined);
        }}
      >
        {t.secret}
      </Button>
      <Dialog
        open={open}
        title={t.secret}
        onClose={() => {
          setOpen(false);
          show.reset();
          rotate.reset();
        }}
      >
        <p>{t.secretLead}</p>
        {error !== null && <Failed error={error} />}
        {secret !== undefined && <Copyable text={secret} />}
        {rotate.data === undefined ? (
          <>
            <p>{t.rotateSecretLead}</p>
            <Button busy={rotate.isPending} onClick={() => rotate.mutate(undefined)}>
              {t.rotateSecret}
            </Button>
          </>
        ) : (
          <p>{t.secretRotated}</p>
        )}
      </Dialog>
    </>
  );
}
