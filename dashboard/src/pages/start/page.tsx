import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import type { PasswordBody } from "../../../../src/console/session/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { sessionQuery } from "../../api/session.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { EnrolTotp } from "../me/enrol-totp.tsx";
import { CurrentPassword, HiddenUserName } from "../sign-in/current-password.tsx";
import { givenPassword, rememberGiven } from "../sign-in/enter.ts";
import { useNewPassword } from "../sign-in/new-password.tsx";
import { signInWords } from "../sign-in/words.ts";

/** The first things of somebody who may do nothing else: a password of their own, and codes where settings require them. */
export function StartPage(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const router = useRouter();
  // The recovery codes stay to be read once nothing more is to do.
  const [enrols, setEnrols] = useState(false);
  useEffect(() => {
    if (session === null) router.history.replace("/sign-in");
    const isDone = session && !session.must_change_password && !session.must_set_up_totp;
    if (isDone && !enrols) router.history.replace("/");
  }, [session, router, enrols]);
  const isNext = session?.must_set_up_totp && !session.must_change_password;
  return isNext || enrols ? <TotpStep enrols={enrols} setEnrols={setEnrols} /> : <ChoosePassword />;
}

interface TotpStepProps {
  readonly enrols: boolean;
  readonly setEnrols: (enrols: boolean) => void;
}

function TotpStep({ enrols, setEnrols }: TotpStepProps): ReactNode {
  const t = useWords(signInWords);
  const signOut = useWrite(
    () => write("DELETE", "/session"),
    () => queryClient.setQueryData(["session"], null),
  );
  return (
    <Page title={t.codeTitle} lead={t.totpLead}>
      <div className="flex gap-2">
        <Button look="primary" className="flex-1" onClick={() => setEnrols(true)}>
          {t.setUp}
        </Button>
        <Button busy={signOut.isPending} onClick={() => signOut.mutate(undefined)}>
          {t.signOut}
        </Button>
      </div>
      {enrols && <EnrolTotp onClose={() => setEnrols(false)} />}
    </Page>
  );
}

function ChoosePassword(): ReactNode {
  const t = useWords(signInWords);
  const { data: session } = useQuery(sessionQuery);
  const known = givenPassword();
  const [given, setGiven] = useState(known);
  const chosen = useNewPassword();
  const change = useWrite(
    (body: PasswordBody) => write("POST", "/me/password", body),
    () => {
      rememberGiven("");
      if (session) queryClient.setQueryData(["session"], { ...session, must_change_password: false });
    },
  );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen.check()) change.mutate({ current_password: given, new_password: chosen.password });
  };
  const wrong = faultOf(change.error, "current_password");
  return (
    <Page title={t.startTitle} lead={t.startLead}>
      <form className="flex flex-col gap-4" onSubmit={send}>
        <HiddenUserName email={session?.user.email ?? ""} />
        {(known === "" || wrong !== undefined) && (
          <CurrentPassword
            label={t.given}
            error={wrong === undefined ? undefined : t.givenWrong}
            value={given}
            onChange={setGiven}
          />
        )}
        {chosen.fields}
        {change.error && wrong === undefined && <Failed error={change.error} />}
        <Button type="submit" look="primary" busy={change.isPending}>
          {t.save}
        </Button>
      </form>
    </Page>
  );
}
