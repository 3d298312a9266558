import { type ReactNode, useState } from "react";
import type { PasswordProof } from "../../../../src/console/users/contract.ts";
import { write } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { useWrite } from "../../api/use-write.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Section } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { EnrolTotp } from "./enrol-totp.tsx";
import { PasswordStep } from "./password-step.tsx";
import { meWords } from "./words.ts";

/** Codes of an authenticator app: on or off, and how to change that. */
export function Totp(): ReactNode {
  const t = useWords(meWords);
  const { has_totp: on } = useSession().user;
  const [doing, setDoing] = useState<"enrol" | "remove">();
  const close = () => setDoing(undefined);
  return (
    <Section title={t.totp} actions={<Badge tone={on ? "good" : "plain"}>{on ? t.on : t.off}</Badge>}>
      <p className="max-w-prose text-mute">{on ? t.totpOn : t.totpOff}</p>
      <div>
        {on ? (
          <Button look="danger" onClick={() => setDoing("remove")}>
            {t.disable}
          </Button>
        ) : (
          <Button onClick={() => setDoing("enrol")}>{t.enable}</Button>
        )}
      </div>
      {doing === "enrol" && <EnrolTotp onClose={close} />}
      {doing === "remove" && <RemoveTotp onClose={close} />}
    </Section>
  );
}

function RemoveTotp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(meWords);
  const remove = useWrite(
    (body: PasswordProof) => write("POST", "/me/totp/remove", body),
    () => onClose(),
  );
  return (
    <Dialog open title={t.disableTitle} onClose={onClose}>
      <p>{t.disableBreaks}</p>
      <PasswordStep
        label={t.disable}
        busy={remove.isPending}
        error={remove.error}
        submit={(password) => remove.mutate({ password })}
      />
    </Dialog>
  );
}
