import { type FormEvent, type ReactNode, useState } from "react";
import type { PasswordBody } from "../../../../src/console/session/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { CurrentPassword, HiddenUserName } from "../sign-in/current-password.tsx";
import { useNewPassword } from "../sign-in/new-password.tsx";
import { Refusal } from "../sign-in/refusal.tsx";
import { meWords } from "./words.ts";

export function Password(): ReactNode {
  // A new form each time one was sent: nothing typed stays behind.
  const [round, setRound] = useState(0);
  return <PasswordForm key={round} done={() => setRound(round + 1)} />;
}

function PasswordForm({ done }: { readonly done: () => void }): ReactNode {
  const t = useWords(meWords);
  const { user } = useSession();
  const [current, setCurrent] = useState("");
  const chosen = useNewPassword();
  const change = useWrite(
    (body: PasswordBody) => write("POST", "/me/password", body),
    () => {
      toast(t.changed);
      done();
    },
  );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen.check()) change.mutate({ current_password: current, new_password: chosen.password });
  };
  const wrong = faultOf(change.error, "current_password");
  return (
    <Section title={t.password}>
      <p className="max-w-prose text-mute">{t.passwordLead}</p>
      <form className="flex max-w-sm flex-col gap-4" onSubmit={send}>
        <HiddenUserName email={user.email} />
        <CurrentPassword
          label={t.current}
          error={wrong === undefined ? undefined : t.wrong}
          value={current}
          onChange={setCurrent}
        />
        {chosen.fields}
        {change.error && wrong === undefined && <Refusal error={change.error} />}
        <div>
          <Button type="submit" busy={change.isPending}>
            {t.change}
          </Button>
        </div>
      </form>
    </Section>
  );
}
