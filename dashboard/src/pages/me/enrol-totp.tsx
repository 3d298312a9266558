import { type FormEvent, type ReactNode, useState } from "react";
import type { PasswordProof, TotpCode, TotpEnrolment } from "../../../../src/console/users/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Secret } from "../../parts/secret.tsx";
import { useWords } from "../../words/use-words.ts";
import { Refusal } from "../sign-in/refusal.tsx";
import { PasswordStep } from "./password-step.tsx";
import { QrCode } from "./qr-code.tsx";
import { meWords } from "./words.ts";

/** Three steps: the password, the app, the recovery codes. */
export function EnrolTotp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(meWords);
  const enrol = useWrite((body: PasswordProof) => write("POST", "/me/totp", body));
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) {
    const close = (): void => {
      void queryClient.invalidateQueries({ queryKey: ["session"] });
      onClose();
    };
    return (
      <Dialog open title={t.recoveryTitle} onClose={close}>
        <p>{t.recoveryLead}</p>
        <Secret text={codes.join("\n")} fileName="faregate-recovery-codes.txt" />
        <DialogButtons>
          <Button look="primary" onClick={close}>
            {t.done}
          </Button>
        </DialogButtons>
      </Dialog>
    );
  }
  return (
    <Dialog open title={t.enrolTitle} onClose={onClose}>
      {enrol.data === undefined ? (
        <>
          <p>{t.enrolPassword}</p>
          <PasswordStep
            label={t.next}
            busy={enrol.isPending}
            error={enrol.error}
            submit={(password) => enrol.mutate({ password })}
          />
        </>
      ) : (
        <AppStep enrolment={enrol.data} done={setCodes} />
      )}
    </Dialog>
  );
}

function AppStep({
  enrolment,
  done,
}: {
  readonly enrolment: TotpEnrolment;
  readonly done: (codes: readonly string[]) => void;
}): ReactNode {
  const t = useWords(meWords);
  const [code, setCode] = useState("");
  const confirm = useWrite(
    (body: TotpCode) => write("POST", "/me/totp/confirm", body),
    ({ recovery_codes: codes }) => done(codes),
  );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    confirm.mutate({ code });
  };
  const wrong = faultOf(confirm.error, "code");
  return (
    <form className="flex flex-col gap-4" onSubmit={send}>
      <p>{t.scan}</p>
      <QrCode text={enrolment.uri} label={t.qrCode} />
      <div>
        <p className="text-sm text-mute">{t.key}</p>
        <p className="flex items-center gap-1">
          <code className="min-w-0 font-mono text-sm break-all">{enrolment.secret}</code>
          <Copy text={enrolment.secret} />
        </p>
      </div>
      <p>
        <a className="link" href={enrolment.uri}>
          {t.openApp}
        </a>
      </p>
      <Field label={t.firstCode} error={wrong === undefined ? undefined : t.wrongCode}>
        <Input
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </Field>
      {confirm.error && wrong === undefined && <Refusal error={confirm.error} />}
      <DialogButtons>
        <Button type="submit" look="primary" busy={confirm.isPending}>
          {t.confirm}
        </Button>
      </DialogButtons>
    </form>
  );
}
